package query

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
)

// queryTable draws a table of a number, a leaf, a category and a number.
func queryTable(t testing.TB, rng *rand.Rand, n int) *flagged.Table {
	attributes := []equivclass.Attribute{
		{Name: "age", Type: equivclass.Integer}, {Name: "place", Type: equivclass.Categorical, Hierarchy: equivtest.Tree(t)},
		{Name: "sex", Type: equivclass.Categorical}, {Name: "income", Type: equivclass.Integer},
	}
	rows := make([][]string, n)
	for i := range rows {
		rows[i] = []string{strconv.Itoa(rng.IntN(9)), string(rune('a' + rng.IntN(6))), []string{"F", "M", "X"}[rng.IntN(3)],
			strconv.Itoa(rng.IntN(7) - 3)}
	}
	// every value occurs, so that every query can be asked
	for v := range 9 {
		rows[v%n][0] = strconv.Itoa(v)
	}
	for i, s := range []string{"F", "M", "X"} {
		rows[i][2] = s
	}
	return equivtest.Table(t, attributes, rows)
}

var queryTexts = []string{
	"count",
	"count where age in [2,5]",
	"count where age in (2,5] and sex = F",
	"count where age != 4 and sex != M and income > 0",
	"count where place = left and age >= 3 and age < 7",
	"count where place not in {a, right} and income in {-1, 0, 2}",
	"sum(income)",
	"sum(income) where age > 2 and sex in {F, X}",
	"sum(income) where income != 1 and place = left",
	"sum(age) where sex = M and income <= 0",
	"sum(age) where age in [1,6] and place in {a, d}",
}

// queryDirect answers a query record by record, from the texts alone.
func queryDirect(q *Bound, t *flagged.Table, rows []int32) float64 {
	var out float64
next:
	for _, r := range rows {
		for _, p := range q.Preds {
			if !p.Match[t.Codes[p.Attribute][r]] {
				continue next
			}
		}
		if q.Sum < 0 {
			out++
		} else {
			out += t.Dicts[q.Sum].Number(t.Codes[q.Sum][r])
		}
	}
	return out
}

func TestQueryBindMeansWhatItSays(t *testing.T) {
	table := queryTable(t, rand.New(rand.NewPCG(1, 1)), 30)
	matches := func(text string) (out []string) {
		q := paBound(t, table.Dicts, text)
		require.Len(t, q.Preds, 1)
		for c, m := range q.Preds[0].Match {
			if m {
				out = append(out, table.Dicts[q.Preds[0].Attribute].Text(equivclass.Code(c)))
			}
		}
		slices.Sort(out)
		return out
	}
	assert.Equal(t, []string{"3", "4"}, matches("count where age in (2,5)"))
	assert.Equal(t, []string{"3", "4"}, matches("count where age > 2 and age <= 4"))
	assert.Equal(t, []string{"3", "4"}, matches("count where age in [2.5, 4.5]"))
	assert.Equal(t, []string{"0", "1", "2", "3", "5", "7", "8"}, matches("count where age not in {4, 6, 4}"))
	assert.Equal(t, []string{"a", "b", "c", "e"}, matches("count where place in {left, e}"))
	assert.Equal(t, []string{"d", "f"}, matches("count where place not in {left, e}"))
	assert.Equal(t, []string{"a", "b", "c", "d", "e", "f"}, matches(`count where place = "*"`))
	assert.Equal(t, []string{"X"}, matches("count where sex != F and sex != M"))
	assert.Empty(t, matches("count where age > 2 and age < 2"))
}

// The expectation of a query over all permutations of the columns of a group is
// the estimate, and no permutation lies outside the bounds, which are reached.
func TestQueryBlockReleaseAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 4 {
		table := queryTable(t, rng, 5)
		rows := equivtest.Rows(5)
		for _, text := range queryTexts {
			bound := paBound(t, table.Dicts, text)
			for _, blocks := range [][][]int{WholeBlock(4), AnatomyBlocks(4, 3), {{0, 1}, {2, 3}}, {{0, 3}, {1}, {2}}} {
				got := NewBlockRelease(table.Dicts, table.Codes, [][]int32{rows}, blocks).Estimate(bound)
				mean, least, most := queryOverWorlds(bound, table, blocks)
				require.InDelta(t, mean, got.Estimate, 1e-9, "%s, blocks %v", text, blocks)
				require.LessOrEqual(t, got.Lower, least+1e-9)
				require.GreaterOrEqual(t, got.Upper, most-1e-9)
				if len(blocks) <= 2 && bound.Sum < 0 {
					require.InDelta(t, least, got.Lower, 1e-9, "tight for two blocks")
					require.InDelta(t, most, got.Upper, 1e-9, "tight for two blocks")
				}
			}
		}
	}
}

// queryOverWorlds answers a query on each table that shuffling blocks of five
// rows against the first block can give.
func queryOverWorlds(q *Bound, t *flagged.Table, blocks [][]int) (mean, least, most float64) {
	world := &flagged.Table{Table: &equivclass.Table{Dicts: t.Dicts, Codes: make([][]equivclass.Code, len(t.Codes))}}
	for j := range world.Codes {
		world.Codes[j] = slices.Clone(t.Codes[j])
	}
	least, most = math.Inf(1), math.Inf(-1)
	worlds := 0
	var rec func(b int)
	rec = func(b int) {
		if b == len(blocks) {
			v := queryDirect(q, world, equivtest.Rows(5))
			mean, least, most, worlds = mean+v, min(least, v), max(most, v), worlds+1
			return
		}
		equivtest.EachPermutation(5, func(perm []int) {
			for _, j := range blocks[b] {
				for i, from := range perm {
					world.Codes[j][i] = t.Codes[j][from]
				}
			}
			rec(b + 1)
		})
	}
	rec(1)
	return mean / float64(worlds), least, most
}

// A generalized release's estimate is the mean over uniform values in the cells
// (here summed over all of them), and the truth is within its bounds.
func TestQueryCellReleaseAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		table := queryTable(t, rng, 12)
		groups := [][]int32{{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9, 10, 11}}
		r := NewCellRelease(table.Dicts, table.Codes, groups, 3)
		r.Grain = Grains(table.Dicts)
		for _, text := range queryTexts {
			bound := paBound(t, table.Dicts, text)
			got, truth := r.Estimate(bound), queryDirect(bound, table, equivtest.Rows(12))
			require.LessOrEqual(t, got.Lower, truth+1e-9, text)
			require.GreaterOrEqual(t, got.Upper, truth-1e-9, text)
			require.InDelta(t, queryCellMean(bound, table, r, groups), got.Estimate, 1e-9, text)
			require.LessOrEqual(t, got.Lower, got.Estimate+1e-9)
			require.GreaterOrEqual(t, got.Upper, got.Estimate-1e-9)
		}
	}
}

// queryCellMean spreads each record over all values of its cells.
func queryCellMean(q *Bound, t *flagged.Table, r *CellRelease, groups [][]int32) float64 {
	var mean float64
	for g, rows := range groups {
		ages := r.Cells[g][0]
		leafLo, leafHi := t.Dicts[1].Attribute().Hierarchy.Span(r.Cells[g][1].Node)
		for _, row := range rows {
			worlds, sum := 0, 0.0
			for age := ages.Lo; age <= ages.Hi; age++ {
				code, _, _ := t.Dicts[0].Find([]byte(strconv.Itoa(int(age))))
				for leaf := leafLo; leaf <= leafHi; leaf++ {
					for _, sex := range r.Cells[g][2].Codes {
						one := &flagged.Table{Table: &equivclass.Table{Dicts: t.Dicts,
							Codes: [][]equivclass.Code{{code}, {leaf}, {sex}, {t.Codes[3][row]}}}}
						sum += queryDirect(q, one, []int32{0})
						worlds++
					}
				}
			}
			mean += sum / float64(worlds)
		}
	}
	return mean
}

func TestQueryExtremeSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		values := make([]float64, rng.IntN(8))
		for i := range values {
			values[i] = float64(rng.IntN(9) - 4)
		}
		least := rng.IntN(len(values) + 1)
		most := least + rng.IntN(len(values)-least+1)
		wantLow, wantHigh := math.Inf(1), math.Inf(-1)
		for set := range 1 << len(values) {
			n, sum := 0, 0.0
			for i, v := range values {
				if set>>i&1 == 1 {
					n, sum = n+1, sum+v
				}
			}
			if least <= n && n <= most {
				wantLow, wantHigh = min(wantLow, sum), max(wantHigh, sum)
			}
		}
		low, high := extremeSums(values, least, most)
		require.Equal(t, [2]float64{wantLow, wantHigh}, [2]float64{low, high})
	}
}
