package lgb

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/flagged"
	"anond/lab/topdown"
)

// lgbCrossing counts the buckets of an attribute that neither lie inside one
// group nor are unions of whole groups.
func lgbCrossing(n int, result *Result, j int) (crossing int) {
	group := slices.Repeat([]int{-1}, n)
	for g, rows := range result.Groups {
		for _, r := range rows {
			group[r] = g
		}
	}
	for _, bucket := range result.Buckets[j] {
		in := map[int]int{}
		for _, r := range bucket {
			in[group[r]]++
		}
		whole := true
		for g, k := range in {
			whole = whole && k == len(result.Groups[g])
		}
		if len(in) > 1 && !whole {
			crossing++
		}
	}
	return crossing
}

// Nested buckets nest, keep l, and hold each flagged value once, whatever cuts
// the groups; Algorithm 2's cross groups. Groups are the same either way.
func TestLGBNested(t *testing.T) {
	inside := 0
	for seed := range uint64(3) {
		table := equivtest.RandomTable(equivtest.Rand(40+seed), 700, 0.4)
		for _, local := range []equivclass.Partitioner{topdown.Mondrian{}, topdown.NCPSplit{}, topdown.NCPSplit{Fixed: true}} {
			m := LGB{K: 6, Promises: lgbPromises(9, 4), Local: local, Fold: true}
			m.Promises[1].L = 3
			plain, err := m.Run(table)
			require.NoError(t, err)
			m.Nested = true
			result, err := m.Run(table)
			require.NoError(t, err)
			require.Equal(t, plain.Groups, result.Groups)
			for _, j := range []int{0, 1, 7, 8} {
				require.Zero(t, lgbCrossing(table.Len(), result, j))
				seen := map[int32]bool{}
				for _, bucket := range result.Buckets[j] {
					if j > 0 {
						b := equivclass.BagOf(table.Codes[j], bucket)
						require.True(t, b.Eligible(m.Promises[j].L))
					}
					for _, r := range bucket {
						require.False(t, seen[r])
						seen[r] = true
					}
				}
				for g, rows := range result.Groups {
					for _, r := range rows {
						require.Equal(t, result.Flags[g]>>j&1 == 1, seen[r])
					}
				}
			}
			require.NotZero(t, lgbCrossing(table.Len(), plain, 8))
			if len(result.Buckets[8]) > len(result.Groups) {
				inside++
			}
			again, err := m.Run(table)
			require.NoError(t, err)
			require.Equal(t, result, again)
		}
	}
	require.NotZero(t, inside, "some groups are cut inside")
}

// What cannot keep l as a whole is infeasible, nested or not.
func TestLGBNestedInfeasible(t *testing.T) {
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "q", Type: equivclass.Integer}, {Name: "s", Type: equivclass.Categorical}},
		[][]string{{"1", "x!"}, {"2", "x!"}, {"3", "x!"}, {"4", "y!"}})
	m := lgbOf(2, 2, topdown.Mondrian{})
	m.Nested = true
	_, err := m.Run(table)
	var bad *InfeasibleError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, 3, bad.Count)
}

// lgbAssignments are the different assignments of values, over all attributes
// together, that fit some arrangement of people in rows: what level L0 counts.
func lgbAssignments(t *flagged.Table, result *Result) map[string][][]equivclass.Code {
	w := lgbEnumerate(t, result) // for the buckets of rows
	seen, out := map[string]bool{}, map[string][][]equivclass.Code{}
	rowOf := slices.Repeat([]int32{-1}, t.Len())
	values := make([][]equivclass.Code, len(t.Dicts))
	for j := range values {
		values[j] = slices.Clone(t.Codes[j])
	}
	var assign func(j, b int)
	assign = func(j, b int) {
		switch {
		case j == len(t.Dicts):
			var copied [][]equivclass.Code
			for _, column := range values {
				copied = append(copied, slices.Clone(column))
			}
			out[fmt.Sprint(copied)] = copied
			return
		case b == len(result.Buckets[j]):
			assign(j+1, 0)
			return
		}
		var records []int32
		for record, row := range rowOf {
			if row >= 0 && w.bucket[j][row] == b {
				records = append(records, int32(record))
			}
		}
		tried := map[string]bool{}
		lgbPermutations(result.Buckets[j][b], func(from []int32) {
			bag := cut.Gather(t.Codes[j], from)
			if tried[fmt.Sprint(bag)] {
				return
			}
			tried[fmt.Sprint(bag)] = true
			for i, record := range records {
				if t.Flags[record]>>j&1 == 0 && bag[i] != t.Codes[j][record] {
					return // a known value would stand elsewhere
				}
				values[j][record] = bag[i]
			}
			assign(j, b+1)
			for _, record := range records {
				values[j][record] = t.Codes[j][record]
			}
		})
	}
	var place func(g int)
	place = func(g int) {
		if g < len(result.Groups) {
			lgbPermutations(result.Groups[g], func(rows []int32) {
				for i, record := range result.Groups[g] {
					rowOf[record] = rows[i]
				}
				place(g + 1)
			})
			return
		}
		var key []int
		for _, row := range rowOf {
			for j := range t.Dicts {
				if row >= 0 {
					key = append(key, w.bucket[j][row])
				}
			}
		}
		if k := fmt.Sprint(key); !seen[k] {
			seen[k] = true
			assign(0, 0)
		}
	}
	place(0)
	return out
}

// lgbLikeliest is the largest share of assignments in which a record has some
// value of an attribute that is flagged for it and promises l.
func lgbLikeliest(t *flagged.Table, worlds map[string][][]equivclass.Code, result *Result,
	each func(j int, record int32, v equivclass.Code, share float64)) (most float64) {
	for _, rows := range result.Groups {
		for _, record := range rows {
			for _, j := range []int{1, 3} {
				if t.Flags[record]>>j&1 == 0 {
					continue
				}
				count := map[equivclass.Code]int{}
				for _, values := range worlds {
					count[values[j][record]]++
				}
				for v, n := range count {
					share := float64(n) / float64(len(worlds))
					most = max(most, share)
					each(j, record, v, share)
				}
			}
		}
	}
	return most
}

// Level L0 by enumeration, each assignment of values counted once and over all
// attributes together: nested buckets give the same posterior as arrangements of
// rows, at most 1/l; those of Algorithm 2 give more than 1/l on some tables.
func TestLGBNestedWorlds(t *testing.T) {
	rng := equivtest.Rand(23)
	cuts, exceeded := 0, 0
	tables := tier.Of(t, 20, 30, 90)
	for range tables {
		table := lgbSmall(t, rng, 6)
		m := LGB{K: 2, Fold: true, Local: topdown.Mondrian{}, Seed: [32]byte{byte(rng.IntN(256))},
			Promises: []LocalPromise{{}, {L: 2}, {Principle: ShareWithin{T: 0.2}}, {L: 2}}}
		crossing, err := m.Run(table)
		if err != nil || len(crossing.Groups) == 0 {
			continue
		}
		m.Nested = true
		result, err := m.Run(table)
		require.NoError(t, err)
		cuts++
		w := lgbEnumerate(table, result)
		most := lgbLikeliest(table, lgbAssignments(table, result), result, func(j int, record int32, v equivclass.Code, share float64) {
			require.InDelta(t, w.hasWhat[j][record][v]/w.total, share, 1e-9)
		})
		require.LessOrEqual(t, most, 0.5+1e-9)
		if lgbLikeliest(table, lgbAssignments(table, crossing), crossing, func(int, int32, equivclass.Code, float64) {}) > 0.5+1e-9 {
			exceeded++
		}
	}
	require.Greater(t, cuts, tables*2/9)
	require.NotZero(t, exceeded, "buckets that cross groups break 1/l at level L0")
	t.Logf("%d tables, %d with a value more likely than 1/l under Algorithm 2", cuts, exceeded)
}
