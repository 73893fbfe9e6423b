package audit

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
	"anond/snapshot/audit/table"
)

func attacker(t *testing.T, r *Report, name string) shares.Attacker {
	i := slices.IndexFunc(r.Attackers, func(a shares.Attacker) bool { return a.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return r.Attackers[i]
}

// TestNaiveUpdateIsExposed: a record added to its class and republished, as the
// literal incremental update does. Every release alone is 4-anonymous and
// 2-diverse; the attackers see the newcomers all the same.
func TestNaiveUpdateIsExposed(t *testing.T) {
	p := &plan{k: 4, l: 2, budget: 2, recoding: "generalization"}
	first, second := p.add(1, "a a b b c d"), p.add(1, "c c d e f a")
	n1, n2 := p.add(2, "c"), p.add(2, "b")
	grown, other := join(first, n1), join(second, n2)
	p.releases = [][][]int{{first, second}, {grown, other}}
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Equal(t, verdictViolated, r.Verdict)

	linked := attacker(t, r, shares.AttackerNewcomerLink)
	require.Equal(t, 2, linked.People)
	require.Equal(t, 2, linked.ExactlyOne)
	require.Equal(t, 1, linked.MinCandidates)
	plain := attacker(t, r, shares.AttackerNewcomer)
	require.Zero(t, plain.BelowL, "two newcomers with two values: the whole difference hides them")
	require.Positive(t, r.Certificates.OtherRecords)
}

// TestRerunIsExposedToLink: a partition made anew in each release. The values a
// person's classes have in common are few.
func TestRerunIsExposedToLink(t *testing.T) {
	p := &plan{k: 2, l: 2, budget: 9, recoding: "generalization"}
	x := p.add(1, "a b c a c b a d")
	p.releases = [][][]int{
		{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7]}},
		{{x[0], x[7]}, {x[1], x[2], x[3]}, {x[4], x[5], x[6]}},
	}
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	link := attacker(t, r, shares.AttackerLink)
	require.Equal(t, 8, link.People)
	require.Equal(t, 2, link.ExactlyOne) // x0 and x6: {a,b,c} and {a,d} have only a in common
	require.Equal(t, link.ExactlyOne, link.BelowL)
}

// TestQIAttackAgainstTwin holds the index against the plain definition: for
// every record, look at every class.
func TestQIAttackAgainstTwin(t *testing.T) {
	for _, recoding := range []string{"generalization", "anatomy", "permutation"} {
		t.Run(recoding, func(t *testing.T) {
			p, g := standard()
			p.recoding = recoding
			p.releases[2] = [][]int{join(g.frozen[:4], g.late), join(g.frozen[4:], g.q), p.releases[2][1], p.releases[2][2]}
			o := p.write(t, p.render())
			all, err := newAuditor(o)
			require.NoError(t, err)
			for _, n := range all.in.numbers {
				require.NoError(t, all.release(n))
			}
			all.analyse()
			a := all.eras[0]
			q := shares.NewQIAttack(a.s, a.records, publishedEver(a), a.report.L)
			for i := range a.views {
				a.attackByQI(q, i)
			}
			for _, rec := range a.in.index.Ids {
				require.Equal(t, twinCandidates(a, int(rec)), candidateValues(a, q, int(rec)))
			}
		})
	}
}

func publishedEver(a *era) []bool {
	out := make([]bool, len(a.in.index.Ids))
	for i := range a.views {
		for rec, c := range a.views[i].ClassOf {
			out[rec] = out[rec] || c > 0
		}
	}
	return out
}

func candidateValues(a *era, q *shares.QiAttack, rec int) []uint32 {
	if q.Cand[rec] == 0 {
		return nil
	}
	return slices.Clone(a.s.Sets.Sets[q.Cand[rec]-1])
}

// twinCandidates is the definition of attackerQI, word by word.
func twinCandidates(a *era, rec int) []uint32 {
	var out []uint32
	d := len(a.s.Qi)
	row := a.records.Qi[rec*d:][:d]
	published := false
	for i := range a.views {
		v := &a.views[i]
		if published = published || v.Class(rec) > 0; !published {
			continue
		}
		seen := map[uint32]bool{}
		for c := range v.Rel.Tab.M {
			if mayHold(a.s, v.Rel.Tab, c, row) {
				for _, x := range v.Rel.Tab.Bag(c) {
					seen[x] = true
				}
			}
		}
		var now []uint32
		for x := range seen {
			now = append(now, x)
		}
		slices.Sort(now)
		if out == nil {
			out = now
			continue
		}
		out = slices.DeleteFunc(out, func(x uint32) bool { return !slices.Contains(now, x) })
	}
	return out
}

func mayHold(s *format.Schema, t *table.Table, c int, row []uint32) bool {
	if !t.Exact() {
		for a, attr := range s.Qi {
			if !attr.Contains(t.Cells(c)[a], row[a]) {
				return false
			}
		}
		return true
	}
	if !t.Permuted {
		for i := t.Start[c]; i < t.Start[c+1]; i++ {
			if slices.Equal(t.Row(i), row) {
				return true
			}
		}
		return false
	}
	for a := range s.Qi {
		found := false
		for i := t.Start[c]; i < t.Start[c+1]; i++ {
			found = found || t.Row(i)[a] == row[a]
		}
		if !found {
			return false
		}
	}
	return true
}
