package audit

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// localParts is a chain by recoding lgb whose third release puts the parts of the
// first two together: numbers of buckets are shifted, attribute by attribute.
func localParts(edit func(*testParts)) (*localPlan, []*localRelease) {
	p := nestedLocal()
	last := p.releases[1]
	late := p.add(3, "js", "nurse clerk miner pilot", "M F M F", "e a b c")
	p.releases = append(p.releases, localState{
		classes: append(slices.Clone(last.classes), late),
		jobs:    append(slices.Clone(last.jobs), late),
		sexes:   append(slices.Clone(last.sexes), late),
	})
	p.compact, p.edit = map[int][2]int{3: {0, 2}}, edit
	return p, p.render()
}

func checkLocalChain(t *testing.T, p *localPlan, releases []*localRelease) (*Report, []Violation) {
	o := p.write(t, releases)
	r, err := Dir(o)
	require.NoError(t, err)
	g := NewGate(localGatePolicy(p))
	var all []Violation
	for _, x := range releases {
		dir := filepath.Join(o.Releases, dirName(x.number))
		found, err := g.Check(dir, placedNow(x.number, x.where))
		require.NoError(t, err)
		if all = append(all, found...); len(found) > 0 {
			break
		}
		g.Commit()
		found, err = NewGate(localGatePolicy(p)).Resume(dir, placedAll(x.where), nil)
		require.NoError(t, err)
		require.Empty(t, found)
	}
	return r, all
}

func TestLocalParts(t *testing.T) {
	p, _ := localParts(nil)
	r, found := checkLocalChain(t, p, p.render())
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictCertified, r.Verdict)
	require.Empty(t, found)
}

// TestLocalCompactions: a compaction that shifts a bucket wrongly, or changes what
// is in it, is found.
func TestLocalCompactions(t *testing.T) {
	for _, m := range []struct{ name, file, from, to string }{
		{"bucket of a row", "lgb.csv", "*4", "*5"},
		{"number of a bucket", "buckets.csv", "4", "5"},
		{"value of a bucket", "buckets.csv", "nurse", "pilot"},
		{"class of a row", "lgb.csv", "5", "6"},
		{"cell", "lgb.csv", "{clerk|miner|nurse}", "{clerk|nurse}"},
	} {
		t.Run(m.name, func(t *testing.T) {
			p, releases := localParts(func(r *testParts) {
				if r.number < 3 {
					return
				}
				rows := r.parts[0].tables[m.file]
				for i, row := range slices.Backward(rows) {
					if j := slices.Index(row, m.from); j >= 0 {
						rows[i][j] = m.to
						return
					}
				}
				panic("no such cell")
			})
			r, found := checkLocalChain(t, p, releases)
			require.Contains(t, kinds(r.Violations), kindCompaction)
			require.Contains(t, kinds(found), kindCompaction)
		})
	}
}

// TestLocalPartsWithoutOwnBags: where the buckets of the sensitive attribute are
// not the classes, they bound the frequency, of all parts together.
func TestLocalPartsWithoutOwnBags(t *testing.T) {
	p, g := standardLocal()
	p.crossed(g)
	p.releases[1].ills = join2(p.releases[0].ills, [][]int{g.late})
	r, found := checkLocalChain(t, p, p.render())
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict, "the manifest says level rows")
	require.Empty(t, found)
}
