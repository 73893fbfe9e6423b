package bucketize

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
	"anond/lab/split"
)

func paBound(t testing.TB, dicts []*equivclass.Dictionary, text string) *query.Bound {
	t.Helper()
	q, err := query.Parse(text)
	require.NoError(t, err)
	bound, err := query.Bind(q, dicts)
	require.NoError(t, err)
	return bound
}

func paPool(t *flagged.Table) *equivclass.Pool {
	quasi := []int{0, 1}
	return t.PoolOf(equivclass.NewSpace(t.Dicts), cut.Identity(t.Len()), quasi, 2)
}

// Table 1 is the microdata: the query of example 1 counts Jane alone.
func TestPATable1Microdata(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	whole := query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{cut.Identity(table.Len())}, query.WholeBlock(3))
	require.Equal(t, query.Answer{Estimate: 1, Lower: 1, Upper: 1}, whole.Estimate(paBound(t, table.Dicts, equivtest.ExampleQuery)))
}

// Table 2 is 4-diverse and shows [50-90] and [10-50]; example 1 estimates 1/4 + 1/8.
func TestPATable2AndExample1Generalization(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	r := query.NewCellRelease(table.Dicts, table.Codes, equivtest.ExampleGroups, 2)
	assert.Equal(t, query.Cell{Lo: 50, Hi: 90}, r.Cells[0][0])
	assert.Equal(t, query.Cell{Lo: 10, Hi: 50}, r.Cells[1][0])
	for g := range r.Cells {
		assert.Len(t, r.Cells[g][1].Codes, 2, "F/M")
		assert.True(t, equivclass.FrequencyL{L: 4}.Holds(r.Bags[g]))
	}
	q := paBound(t, table.Dicts, equivtest.ExampleQuery)
	assert.InDelta(t, 3.0/8, r.Estimate(q).Estimate, 1e-12)
	assert.Equal(t, query.Answer{Estimate: 3.0 / 8, Lower: 0, Upper: 2}, r.Estimate(q))
}

// Table 3 is anatomy; example 1 estimates 2/5 + 2/4.
func TestPATable3AndExample1Anatomy(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	r := query.NewBlockRelease(table.Dicts, table.Codes, equivtest.ExampleGroups, query.AnatomyBlocks(3, 2))
	assert.InDelta(t, 0.9, r.Estimate(paBound(t, table.Dicts, equivtest.ExampleQuery)).Estimate, 1e-12)
}

// Table 4 is one outcome of permutation; example 2 estimates 0.855. The print
// has 3/5 x 2/4 as its second term; 3/4 x 2/4 gives the printed sum. Group 1 adds
// 5 x 4/5 x 3/5 x 1/5, group 2 4 x 3/4 x 2/4 x 1/4.
func TestPATable4AndExample2(t *testing.T) {
	table4 := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExamplePermuted)
	r := query.NewBlockRelease(table4.Dicts, table4.Codes, equivtest.ExampleGroups, query.SingleBlocks(3))
	q := paBound(t, table4.Dicts, equivtest.ExampleQuery)
	assert.InDelta(t, 0.855, r.Estimate(q).Estimate, 1e-12)

	table1 := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	fromMicrodata := query.NewBlockRelease(table1.Dicts, table1.Codes, equivtest.ExampleGroups, query.SingleBlocks(3))
	assert.InDelta(t, 0.855, fromMicrodata.Estimate(paBound(t, table1.Dicts, equivtest.ExampleQuery)).Estimate, 1e-12,
		"group shares are all that counts")

	for g, group := range equivtest.ExampleGroups { // table 4 is a permutation of table 1, column by column
		for j := range equivtest.ExampleAttributes {
			var want, got []string
			for _, i := range group {
				want, got = append(want, equivtest.ExampleRows[i][j]), append(got, equivtest.ExamplePermuted[i][j])
			}
			assert.ElementsMatch(t, want, got, "group %d, column %d", g+1, j)
		}
	}
}

// Example 3: Bob has Emphysema with probability 1/5 and is in group 1 of table 4
// with 1/5 x 2/5.
func TestPAExample3(t *testing.T) {
	assert.InDelta(t, 1.0/5, sensitivePosterior(1, 5), 1e-12)
	assert.InDelta(t, 2.0/25, PresenceProbability([]int{1, 2}, 5), 1e-12)
	assert.InDelta(t, 2.0/5, PresenceExact([]int{1, 2}, 5), 1e-12, "some row shows (65, M) when the male ones include that of 65")

	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	deltas, counts := groupDeltas(paPool(table), equivtest.ExampleGroups[0])
	assert.InDelta(t, 2.0/25, deltas[0], 1e-12)
	assert.Equal(t, []int{1, 1, 1, 1, 1}, counts)
}

// Example 4: the NCP of table 2, summed over tuples and attributes, is 13 1/2.
// It counts F/M of {F, M} as 2/2 = 1; so does (2-1)/(2-1), which makes an exact
// value cost nothing.
func TestPAExample4(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	p := paPool(table)
	assert.InDelta(t, 13.5, equivclass.NCP(p, equivtest.ExampleGroups, 0)*float64(p.Len()*p.D()), 1e-6)
}

// Theorem 1, by enumeration of all permutations of group 1 of table 1: the
// subject's posterior is count/size. Eq. 1 as printed gives 1/50 a value, and
// 5/50 for all values together, so it is no distribution.
func TestPATheorem1(t *testing.T) {
	diseases := []int{0, 1, 2, 2, 3}
	hits, all := make([]int, 4), 0
	equivtest.EachPermutation(5, func(perm []int) {
		hits[diseases[perm[0]]]++ // the value next to the subject's row
		all++
	})
	for v, c := range []int{1, 1, 2, 1} {
		assert.InDelta(t, sensitivePosterior(c, 5), float64(hits[v])/float64(all), 1e-12)
	}
	printed := 0.0
	for range 5 {
		printed += 1.0 / (5 * 5 * 2)
	}
	assert.InDelta(t, 0.1, printed, 1e-12)
}

// Lemma 1, by enumeration: delta is the probability that a given row shows the
// subject's QI; that some row does is PresenceExact, which is more.
func TestPALemma1(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		size := 2 + rng.IntN(3)
		counts := []int{1 + rng.IntN(size), 1 + rng.IntN(size), 1 + rng.IntN(size)}
		first, some, all := 0, 0, 0
		equivtest.EachPermutation(size, func(a []int) {
			a = slices.Clone(a)
			equivtest.EachPermutation(size, func(b []int) {
				b = slices.Clone(b)
				equivtest.EachPermutation(size, func(c []int) {
					all++
					found := false
					for i := range size {
						hit := a[i] < counts[0] && b[i] < counts[1] && c[i] < counts[2]
						if found = found || hit; hit && i == 0 {
							first++
						}
					}
					if found {
						some++
					}
				})
			})
		})
		require.InDelta(t, PresenceProbability(counts, size), float64(first)/float64(all), 1e-9)
		exact := PresenceExact(counts, size)
		require.InDelta(t, exact, float64(some)/float64(all), 1e-9)
		require.GreaterOrEqual(t, exact, PresenceProbability(counts, size)-1e-12)
	}
}

// Theorem 2 holds for the groups that Algorithm 1 makes, where no value occurs
// twice, and for l-diverse groups in general it does not.
func TestPATheorem2(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		l := 2 + rng.IntN(4)
		p := equivtest.Grid(rng, l*(2+rng.IntN(20)), 2, 3, 4*l)
		groups, _ := Permutation{}.Partition(p, equivclass.Requirement{K: 1, L: l})
		for _, g := range groups {
			deltas, counts := groupDeltas(p, g)
			require.GreaterOrEqual(t, reconstructionError(p.Bag(g), counts, deltas), reconstructionBound(l, deltas)-1e-9)
		}
	}
	// Four values twice each, l = 4, every QI alike to its group's first attribute: d = 1/8.
	var b equivclass.Bag
	for v := range 4 {
		b.Add(equivclass.Code(v), 2)
	}
	deltas, counts := slices.Repeat([]float64{1.0 / 8}, 8), slices.Repeat([]int{2}, 8)
	assert.InDelta(t, 8*(1-1.0/4), reconstructionError(b, counts, deltas), 1e-12)
	assert.InDelta(t, 8*(1-3.0/16), reconstructionBound(4, deltas), 1e-12, "above the error: eq. 7 is no bound here")
	// d = 1/l is Xiao and Tao's n (1 - 1/l).
	assert.InDelta(t, 8*(1-1.0/4), reconstructionBound(4, slices.Repeat([]float64{1.0 / 4}, 8)), 1e-12)
}

// Theorem 3: if no value has more than n/l records, Algorithm 1 fulfils
// l-diversity; its groups have l to 2l-1 records and no value twice, so steps 6
// to 8 find nothing to do. With more than n/l of one value no partition would.
func TestPATheorem3(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	feasible := 0
	for range 2000 {
		l, n := 1+rng.IntN(6), 1+rng.IntN(60)
		p := equivtest.Grid(rng, n, 2, 5, 1+rng.IntN(12))
		rows := equivtest.Rows(n)
		if !p.Bag(rows).Eligible(l) {
			groups, rest := Permutation{}.Partition(p, equivclass.Requirement{K: 1, L: l})
			require.Empty(t, groups)
			require.Len(t, rest, n)
			continue
		}
		feasible++
		groups := assignGroups(p, equivtest.Rows(n), equivclass.Requirement{K: 1, L: l})
		require.Len(t, groups, n/l)
		equivtest.CheckCover(t, groups, nil, n)
		for _, g := range groups {
			require.GreaterOrEqual(t, len(g), l)
			require.Less(t, len(g), 2*l)
			require.LessOrEqual(t, p.Bag(g).Max(), 1)
		}
	}
	require.Greater(t, feasible, 300)
}

// Theorems 4 and 5 in counts, not in seconds: the rows that all cuts of the
// preprocessing look at grow as n log n, not as n^2.
func TestPATheorems4And5(t *testing.T) {
	work := func(n int) float64 {
		p := equivtest.Clustered(n, 5, 50)
		c := &permutationCutter{judge: cut.NewJudge(p, equivclass.Requirement{K: 10, L: 10}), split: split.NewBoxSplitter(p), tries: 5,
			corners: cornersOf(p)}
		rows := 0
		cut.TopDown(equivtest.Rows(n), c.judge, func(r []int32) int { rows += len(r); return c.cut(r) })
		return float64(rows) / (float64(n) * math.Log2(float64(n)))
	}
	small, large := work(2000), work(64000)
	t.Logf("rows looked at / n log2 n: %.3f at 2,000, %.3f at 64,000", small, large)
	require.Less(t, large, 1.5*small)
}
