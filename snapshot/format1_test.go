package snapshot_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit"
)

var recordFormat1 = flag.Bool("record-format1", false, "write testdata/format1 anew; only code that writes format version 1 can")

// format1Chain is a small chain of made-up records, of which testdata/format1
// holds the first three releases in format version 1.
type format1Chain struct {
	name     string
	settings *snapshot.Settings
	view     func(t *testing.T, release int) *incremental.View // in order of releases, each once
	exports  func(t *testing.T, dir string, members [][]uint32) audit.Options
}

// format1Chains are the chains by recoding; those that regroup have dead classes.
func format1Chains() []format1Chain {
	tabular := func(name string, recoding snapshot.Recoding, regroup bool) format1Chain {
		c := &chain{r: rand.New(rand.NewPCG(7, 3))}
		s := settings(recoding)
		s.Policy.Diversity, s.Policy.SubjectRepeat = nil, ""
		return format1Chain{name, s, func(t *testing.T, release int) *incremental.View {
			c.grow(release, true)
			if release > 1 && regroup {
				c.regroup(release)
			}
			return testView(t, uint32(release), hospital(t), c.persons, c.classes)
		}, c.exports}
	}
	l := &localChain{r: rand.New(rand.NewPCG(2, 4)), own: true, nested: true}
	var references *incremental.View
	s := settings(snapshot.LGB(testSeed))
	s.Policy = snapshot.Policy{K: 4, L: 2, Republication: "append", Diversity: []snapshot.Diversity{}}
	local := format1Chain{"lgb", s, func(t *testing.T, release int) *incremental.View {
		l.birth(t, release)
		v := clinicView(t, &l.content)
		v.Intent.Release, v.Intent.CreatedAt = uint32(release), v.Intent.CreatedAt+int64(release)
		if references == nil {
			references = v
		}
		v.References = references.References
		return v
	}, l.exports}
	return []format1Chain{
		tabular("generalization", snapshot.Generalization(), false),
		tabular("generalization-regrouped", snapshot.Generalization(), true),
		tabular("anatomy", snapshot.Anatomy(), false),
		tabular("permutation", snapshot.Permutation(testSeed), false),
		tabular("slicing", snapshot.Slicing(testSeed, hospitalSlices), false),
		local,
	}
}

// TestFormat1 holds the recorded chains against what this code writes.
func TestFormat1(t *testing.T) {
	for _, c := range format1Chains() {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			p := publisher(newRecorder(root), root)
			p.Gate = openGate{}
			require.NoError(t, p.Open())
			var members [][]uint32
			for release := 1; release <= 3; release++ {
				out, err := p.Publish(snapshot.Of(c.view(t, release)), c.settings)
				require.NoError(t, err)
				members = append(members, out.Members)
			}
			o := c.exports(t, root, members)
			o.Releases, o.Ledger = p.Dir, p.Ledger
			report, err := audit.Dir(o)
			require.NoError(t, err)
			require.Empty(t, report.Violations)
			require.Equal(t, audit.VerdictCertified, report.Verdict)
			got, err := readTree(root)
			require.NoError(t, err)
			recorded := filepath.Join("testdata", "format1", c.name)
			if *recordFormat1 {
				require.NoError(t, os.RemoveAll(recorded))
				require.NoError(t, os.CopyFS(recorded, os.DirFS(root)))
			}
			want, err := readTree(recorded)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}
