package snapshot_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// format1Chain is a small chain of made-up records, of which testdata/format1
// holds the first three releases in format version 1.
type format1Chain struct {
	name     string
	settings *snapshot.Settings
	view     func(t *testing.T, release int) *incremental.View // in order of releases, each once
	exports  func(t *testing.T, dir string, members [][]snapshot.Placement) audit.Options
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
				c.regroupFrom(release, 3*max(0, release-3)) // no record too often
			}
			return buried(testView(t, uint32(release), hospital(t), c.persons, c.classes), c.dead...)
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

// TestFormat1 reads the recorded chains, and continues them: what stands before
// becomes one part, and the auditor certifies the whole.
func TestFormat1(t *testing.T) {
	tier.NotShort(t, "it continues every recorded chain")
	for _, c := range format1Chains() {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("testdata", "format1", c.name))))
			recorded, err := readTree(root)
			require.NoError(t, err)
			p := publisher(unsynced{snapshot.OS()}, root)
			g := auditGate{audit.NewGate(audit.Policy{K: c.settings.Policy.K, L: 2, Republication: c.settings.Policy.Republication,
				MaxRegroups: &c.settings.Policy.MaxRegroups})}
			p.Gate = g
			require.NoError(t, p.Open())
			verified, err := snapshot.Verify(p.FS, p.Dir, p.Ledger)
			require.NoError(t, err)
			require.Empty(t, verified.Findings)
			since, err := snapshot.PartsSince(p.FS, p.Dir)
			require.NoError(t, err)
			require.Equal(t, uint32(4), since)
			var members [][]snapshot.Placement
			var before *incremental.View
			for release := 1; release <= 14; release++ {
				v := c.view(t, release)
				if release == 4 {
					c.certified(t, root, members, p)
					placed, err := p.Resume(snapshot.Of(before), c.settings)
					require.NoError(t, err)
					require.Equal(t, everybody(t, before, c.settings, since), placed)
					violations, err := g.Resume(filepath.Join(p.Dir, "000003"), given(placed), regroups(before))
					require.NoError(t, err)
					require.Empty(t, violations)
				}
				if release > 3 {
					out, err := p.Publish(snapshot.Of(change(v, before)), c.settings)
					require.NoError(t, err, "release %d", release)
					g.Commit()
					quality, privacy, err := snapshot.Whole(snapshot.Of(v), c.settings, memory{})
					require.NoError(t, err)
					require.Equal(t, quality, out.Manifest.Quality)
					require.Equal(t, privacy, out.Manifest.Privacy)
				}
				members = append(members, everybody(t, v, c.settings, since))
				before = v
			}
			c.certified(t, root, members, p)
			got, err := readTree(root)
			require.NoError(t, err)
			for name, text := range recorded {
				if !strings.HasSuffix(name, "CURRENT") && !strings.HasSuffix(name, "ledger") && filepath.Dir(name) != "." {
					require.Equal(t, text, got[name], "%s never changes", name)
				}
			}
		})
	}
}

// TestFormat1Interrupted: a release that an earlier version has named but not marked
// is finished by that version, not rendered in another format.
func TestFormat1Interrupted(t *testing.T) {
	c := format1Chains()[0]
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("testdata", "format1", c.name))))
	recorded, err := readTree(root)
	require.NoError(t, err)
	p := publisher(unsynced{snapshot.OS()}, root)
	require.NoError(t, p.Open())
	_, err = p.Publish(snapshot.Of(c.view(t, 3)), c.settings)
	require.ErrorIs(t, err, snapshot.ErrDifferent)
	require.ErrorContains(t, err, "let that version finish it")
	got, err := readTree(root)
	require.NoError(t, err)
	require.Equal(t, recorded, got)
}

// TestFormat1JoinedSoon continues a chain whose classes die in parts that were
// joined right after the switch, and whose first release in parts needs a retry:
// the numbers of dead classes count what stands in the part before them, once.
func TestFormat1JoinedSoon(t *testing.T) {
	defer snapshot.Keep(2)()
	for _, c := range format1Chains() {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("testdata", "format1", c.name))))
			p := publisher(unsynced{snapshot.OS()}, root)
			g := auditGate{audit.NewGate(audit.Policy{K: c.settings.Policy.K, L: 2, Republication: c.settings.Policy.Republication,
				MaxRegroups: &c.settings.Policy.MaxRegroups})}
			p.Gate = g
			require.NoError(t, p.Open())
			var members [][]snapshot.Placement
			var before *incremental.View
			for release := 1; release <= 10; release++ {
				v := c.view(t, release)
				if release == 4 {
					placed, err := p.Resume(snapshot.Of(before), c.settings)
					require.NoError(t, err)
					violations, err := g.Resume(filepath.Join(p.Dir, "000003"), given(placed), regroups(before))
					require.NoError(t, err)
					require.Empty(t, violations)
					for range 2 {
						p.Hook = func(s snapshot.Step) error {
							if s == snapshot.StepRender {
								return errors.New("interrupted")
							}
							return nil
						}
						_, err = p.Publish(snapshot.Of(change(v, before)), c.settings)
						require.Error(t, err)
					}
					p.Hook = nil
				}
				if release > 3 {
					_, err := p.Publish(snapshot.Of(change(v, before)), c.settings)
					require.NoError(t, err, "release %d", release)
					g.Commit()
					again := publisher(unsynced{snapshot.OS()}, root)
					_, err = again.Resume(snapshot.Of(v), c.settings)
					require.NoError(t, err)
					require.Equal(t, again.Written(), p.Written(), "release %d: what is carried is what a start counts", release)
				}
				members = append(members, everybody(t, v, c.settings, 4))
				before = v
			}
			c.certified(t, root, members, p)
		})
	}
}

// regroups is how often each record was regrouped.
func regroups(v *incremental.View) []uint16 {
	out := make([]uint16, v.SA.Len())
	for _, c := range v.Dead {
		for _, m := range c.Members {
			out[m]++
		}
	}
	return out
}

// certified has the auditor certify the releases so far.
func (c *format1Chain) certified(t *testing.T, root string, members [][]snapshot.Placement, p *snapshot.Publisher) {
	t.Helper()
	o := c.exports(t, root, members)
	o.Releases, o.Ledger = p.Dir, p.Ledger
	report, err := audit.Dir(o)
	require.NoError(t, err)
	require.Empty(t, report.Violations)
	require.Equal(t, audit.VerdictCertified, report.Verdict)
}
