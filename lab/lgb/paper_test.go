package lgb_test

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
	"anond/equivclass/measure"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/lab/lgb"
	"anond/lab/topdown"
)

func lgbOf(k, l int, local equivclass.Partitioner) lgb.LGB {
	return lgb.LGB{K: k, Promises: slices.Repeat([]lgb.LocalPromise{{L: l}}, 9), Local: local}
}

// lgbShown writes a cell of the figures: [lo-hi], a number, or a label.
func lgbShown(d *equivclass.Dictionary, c query.Cell) string {
	switch {
	case d.Kind() == equivclass.Tree:
		return d.Attribute().Hierarchy.Label(c.Node)
	case c.Lo == c.Hi:
		return strconv.Itoa(int(c.Lo))
	default:
		return "[" + strconv.Itoa(int(c.Lo)) + "-" + strconv.Itoa(int(c.Hi)) + "]"
	}
}

// Figure 1(c): the generalized table, and 1(d): the buckets of its groups.
func TestLGBFigure1(t *testing.T) {
	table := lgb.FlaggedExample(t)
	groups := [][]int32{{0, 1, 2, 3}, {4, 5, 6, 7}}
	r := query.NewCellRelease(table.Dicts, table.Codes, groups, 3)
	want := [][]string{{"[16-28]", "*", "213**"}, {"[22-34]", "*", "213**"}}
	for g := range groups {
		for j, text := range want[g] {
			assert.Equal(t, text, lgbShown(table.Dicts[j], r.Cells[g][j]), "group %d", g+1)
		}
		assert.Len(t, r.Bags[g].Counts, 4, "four diseases, each once")
	}
	// 1(d) is anatomy on the same groups. It shows Mark (24, Male, 21336) in one
	// row exactly: the identity is disclosed, as section 1.1 says.
	q := paBound(t, table.Dicts, `count where gender = Male and zip = 21336`)
	assert.Equal(t, query.Answer{Estimate: 1, Lower: 1, Upper: 1},
		query.NewBlockRelease(table.Dicts, table.Codes, groups, query.AnatomyBlocks(4, 3)).Estimate(q))
}

// Figure 2 is what LGB makes at k=2, l=2: its groups and cells to the digit,
// with both local generalizations.
func TestLGBFigure2(t *testing.T) {
	table := lgb.FlaggedExample(t)
	want := [][]string{ // by group; empty where bucketed
		{"[25-28]", "*", "", ""},
		{"[16-22]", "Male", "2135*", ""},
		{"", "Male", "213**", ""},
		{"", "Female", "21328", ""},
	}
	for _, local := range []equivclass.Partitioner{topdown.Mondrian{}, topdown.NCPSplit{}} {
		result, err := lgbOf(2, 2, local).Run(table)
		require.NoError(t, err)
		require.Empty(t, result.Rest)
		release := estimate.NewLocalRelease(table, result)
		for g, rows := range lgb.FlaggedExampleGroups {
			at := slices.IndexFunc(result.Groups, func(x []int32) bool { return slices.Equal(x, rows) })
			require.GreaterOrEqual(t, at, 0, "%s: group %d", local.Name(), g+1)
			for j, text := range want[g] {
				assert.Equal(t, text == "", result.Flags[at]>>j&1 == 1)
				if text != "" {
					assert.Equal(t, text, lgbShown(table.Dicts[j], release.Cells[at][j]))
				}
			}
		}
	}
}

// Figure 4 is a locally bucketized table that keeps l=2, and no outcome of
// Algorithm 2, which finds closer ages: {24, 29} and {31, 34} after the median 29.
func TestLGBFigure4(t *testing.T) {
	table := lgb.FlaggedExample(t)
	for j, buckets := range lgb.FlaggedExampleValues {
		for _, b := range buckets {
			lgbRequireUnique(t, table.Codes[j], b, 2)
		}
	}
	result, err := lgbOf(2, 2, topdown.Mondrian{}).Run(table)
	require.NoError(t, err)
	assert.ElementsMatch(t, [][]int32{{3, 6}, {4, 7}}, lgbSorted(result.Buckets[0]), "ages of 1004 and 1007, 1005 and 1008")
	assert.Empty(t, result.Buckets[1], "gender is a QI attribute")
	assert.ElementsMatch(t, [][]int32{{0, 1}}, lgbSorted(result.Buckets[2]))
	assert.Len(t, result.Buckets[3], 4)
	printed := *result
	printed.Buckets = lgb.FlaggedExampleValues
	assert.InDelta(t, 4.0/18, estimate.BucketWidth(table, result, 0), 1e-6, "(5 + 3) / 2 years of 16 to 34")
	assert.InDelta(t, 6.0/18, estimate.BucketWidth(table, &printed, 0), 1e-6, "(7 + 5) / 2 years")
}

// The probabilities that sections 1.1 and 2.2 read off figures 2 and 4.
func TestLGBFigure2AdversaryOnMark(t *testing.T) {
	table := lgb.FlaggedExample(t)
	r := estimate.NewLocalRelease(table, &lgb.Result{Groups: lgb.FlaggedExampleGroups, Flags: []uint64{0b1100, 0b1000, 0b1001, 0b1001},
		Buckets: lgb.FlaggedExampleValues})
	row := func(record int32) int { return slices.Index(slices.Concat(lgb.FlaggedExampleGroups...), record) }
	code := func(j int, text string) equivclass.Code { return equivtest.Code(t, table.Dicts[j], text) }

	for _, age := range []string{"24", "31", "29", "34"} {
		assert.InDelta(t, 1.0/4, exposure(r, row(3), 0, code(0, age)), 1e-12, "Mark's age")
	}
	assert.InDelta(t, 1.0/4, exposure(r, row(3), 3, code(3, "Dyspepsia")), 1e-12)
	assert.InDelta(t, 1.0/2, exposure(r, row(3), 3, code(3, "Pneumonia")), 1e-12)
	assert.InDelta(t, 1.0/4, exposure(r, row(3), 3, code(3, "Bronchitis")), 1e-12)
	assert.InDelta(t, 1.0/4, exposure(r, row(5), 3, code(3, "Flu")), 1e-12, "1006: decreased to 1/4 by local generalization")
}

func lgbSorted(buckets [][]int32) [][]int32 {
	out := make([][]int32, len(buckets))
	for i, b := range buckets {
		out[i] = slices.Sorted(slices.Values(b))
	}
	return out
}

func lgbRequireUnique(t testing.TB, column []equivclass.Code, bucket []int32, l int) {
	t.Helper()
	require.GreaterOrEqual(t, len(bucket), l)
	seen := map[equivclass.Code]bool{}
	for _, r := range bucket {
		require.False(t, seen[column[r]], "a value stands twice in a local bucket")
		seen[column[r]] = true
	}
}

// Lemma 1 and corollary 1: each record has the flags and the QI cells of at
// least k rows. Lemma 2 and corollary 2: no value is more probable than the
// largest share of a matching bucket, hence than 1/l. Corollary 3: both at once.
// The principle's buckets (sex) satisfy it.
func TestLGBLemmasAndCorollaries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, local := range []equivclass.Partitioner{topdown.Mondrian{}, topdown.NCPSplit{}, topdown.NCPSplit{Fixed: true}} {
		for round := range 8 {
			table := equivtest.RandomTable(rng, 120+rng.IntN(200), 0.4)
			k, l := 2+round%4, 2+round%3
			m := lgb.LGB{K: k, Promises: lgbPromises(9, l), Local: local, Fold: round%2 == 0}
			result, err := m.Run(table)
			require.NoError(t, err)
			equivtest.CheckCover(t, result.Groups, result.Rest, table.Len())
			release := estimate.NewLocalRelease(table, result)
			row := 0
			for g, rows := range result.Groups {
				require.GreaterOrEqual(t, len(rows), k)
				for _, r := range rows {
					require.Zero(t, table.Flags[r]&^result.Flags[g], "no record gets less protection than asked for")
					lgbCheckRecord(t, release, table, result.Flags[g], row, r, l)
					row++
				}
			}
			for j, buckets := range result.Buckets {
				for _, b := range buckets {
					if j == 0 {
						require.True(t, lgb.ShareWithin{T: 0.35}.Holds((&equivclass.Pool{SA: table.Codes[0]}).Bag(b)))
					} else {
						lgbRequireUnique(t, table.Codes[j], b, l)
					}
				}
			}
		}
	}
}

// exposure is lemma 2: the probability that a row's subject has a sensitive
// value on an attribute, for an adversary who knows all QI values. The
// subject's matching tuples are the rows of its local equivalence group; each
// lies in one matching bucket, in which the value has its share. Cost: rows of
// the group and their buckets.
func exposure(r *estimate.LocalRelease, row, attribute int, value equivclass.Code) float64 {
	sum, n := 0.0, 0
	for i, g := range r.Group {
		if g != r.Group[row] {
			continue
		}
		n++
		bucket := r.Values[attribute][r.Bucket[attribute][i]]
		hits := 0
		for _, v := range bucket {
			if v == value {
				hits++
			}
		}
		sum += float64(hits) / float64(len(bucket))
	}
	return sum / float64(n)
}

func lgbCheckRecord(t *testing.T, release *estimate.LocalRelease, table *flagged.Table, flags uint64, row int, record int32,
	l int) {
	for j := 1; j < len(table.Dicts); j++ {
		if flags>>j&1 == 0 {
			require.EqualValues(t, -1, release.Bucket[j][row], "a QI value is in no bucket")
			continue
		}
		bucket := release.Values[j][release.Bucket[j][row]]
		require.Contains(t, bucket, table.Codes[j][record])
		require.LessOrEqual(t, exposure(release, row, j, table.Codes[j][record]), 1/float64(l)+1e-12)
	}
}

// Section 4.1: the protections are independent; l does not change the groups.
func TestLGBGroupsDoNotDependOnL(t *testing.T) {
	table := equivtest.RandomTable(rand.New(rand.NewPCG(8, 8)), 3000, 0.2)
	for _, local := range []equivclass.Partitioner{topdown.Mondrian{}, topdown.NCPSplit{}} {
		at5, err := withPrinciple(lgbOf(5, 5, local)).Run(table)
		require.NoError(t, err)
		at10, err := withPrinciple(lgbOf(5, 10, local)).Run(table)
		require.NoError(t, err)
		require.Equal(t, at5.Groups, at10.Groups)
	}
}

func withPrinciple(m lgb.LGB) lgb.LGB {
	m.Promises[0] = lgb.LocalPromise{Principle: lgb.ShareWithin{T: 0.35}}
	return m
}

// Proposition 2 overlooks subsets of fewer than k records: those are withheld,
// or folded into a subset that protects more.
func TestLGBProposition2SmallSubsets(t *testing.T) {
	rows := [][]string{{"1", "a", "x!"}, {"2", "b", "y!"}, {"3", "a", "z!"}, {"4!", "b", "w!"}, {"5!", "a", "v!"}, {"6!", "b", "u!"},
		{"7", "a!", "t!"}}
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "n", Type: equivclass.Integer}, {Name: "c", Type: equivclass.Categorical},
		{Name: "s", Type: equivclass.Categorical}}, rows)
	table.Flags[0] = 0b100
	strict, err := lgbOf(3, 1, topdown.Mondrian{}).Run(table)
	require.NoError(t, err)
	require.Equal(t, []int32{6}, strict.Rest, "one record has its flags for itself")

	table = equivtest.Table(t, []equivclass.Attribute{{Name: "n", Type: equivclass.Integer}, {Name: "c", Type: equivclass.Categorical},
		{Name: "s", Type: equivclass.Categorical}}, append(rows[1:3:3], rows[3:6]...))
	folding := lgbOf(3, 1, topdown.Mondrian{})
	folding.Fold = true
	apart, err := folding.Run(table)
	require.NoError(t, err)
	require.Equal(t, []int32{0, 1}, apart.Rest, "under l no record is folded")
	folding.Promises[0] = lgb.LocalPromise{Principle: equivclass.DistinctL{L: 2}}
	folded, err := folding.Run(table)
	require.NoError(t, err)
	require.Empty(t, folded.Rest)
	require.Equal(t, []uint64{0b101}, slices.Compact(slices.Clone(folded.Flags)), "two records joined three that protect more")
}

// What cannot be kept is refused, with the l that can be.
func TestLGBInfeasible(t *testing.T) {
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "n", Type: equivclass.Integer}, {Name: "s", Type: equivclass.Categorical}},
		[][]string{{"1", "x!"}, {"2", "x!"}, {"3", "y!"}, {"4", "z!"}, {"5", "w!"}})
	_, err := lgbOf(2, 3, topdown.Mondrian{}).Run(table)
	var infeasible *lgb.InfeasibleError
	require.ErrorAs(t, err, &infeasible)
	require.Equal(t, 1, infeasible.Attribute)
	require.Equal(t, 2, infeasible.Reachable())
	require.NotContains(t, err.Error(), "x!", "no value in an error")
	_, err = lgbOf(2, infeasible.Reachable(), topdown.Mondrian{}).Run(table)
	require.NoError(t, err)

	_, err = lgb.LGB{K: 2, Local: topdown.Mondrian{}}.Run(table)
	require.ErrorContains(t, err, "no promise")
	_, err = lgb.LGB{K: 2, Local: topdown.Mondrian{}, Promises: []lgb.LocalPromise{{}, {Principle: lgb.ShareWithin{T: 0}}}}.Run(table)
	require.ErrorAs(t, err, &infeasible)
}

// Table 1 of the paper: the domain sizes of the generated table.
func TestLGBTable1(t *testing.T) {
	table := equivtest.RandomTable(rand.New(rand.NewPCG(1, 1)), 100, 0.2)
	var sizes []int
	for _, d := range table.Dicts {
		sizes = append(sizes, d.Len())
	}
	require.Equal(t, []int{2, 73, 13, 6, 9, 11, 93, 257, 719}, sizes)
}

// Section 4.1: lgb-mdp divides more evenly (smaller C_DM), lgb-ncp loses less
// NCP. On a generated table of the paper's size and domains.
func TestLGBFigures5And6(t *testing.T) {
	table := equivtest.RandomTable(rand.New(rand.NewPCG(9, 9)), 31_055, 0.2)
	measure := func(local equivclass.Partitioner) (int64, float64) {
		result, err := lgb.LGB{K: 8, Promises: lgbPromises(9, 8), Local: local}.Run(table)
		require.NoError(t, err)
		ncp, values := estimate.LocalNCP(table, result)
		return measure.CDM(measure.Sizes(result.Groups), len(result.Rest), 1), ncp / float64(values)
	}
	mdpDM, mdpNCP := measure(topdown.Mondrian{})
	ncpDM, ncpNCP := measure(topdown.NCPSplit{})
	fixedDM, fixedNCP := measure(topdown.NCPSplit{Fixed: true})
	t.Logf("C_DM: mdp %d, ncp %d, ncp fixed %d; NCP: %.4f, %.4f, %.4f", mdpDM, ncpDM, fixedDM, mdpNCP, ncpNCP, fixedNCP)
	assert.Less(t, mdpDM, ncpDM)
	assert.Less(t, fixedDM, ncpDM)
	assert.Less(t, fixedNCP, ncpNCP)
	assert.False(t, math.IsNaN(ncpNCP))
}

// Without an attribute that is QI for everybody, a principle's buckets cannot be cut:
// all sensitive values are one bucket, if they satisfy it. Records without QI values
// are a group of their own.
func TestLGBEverythingSensitive(t *testing.T) {
	rows := [][]string{{"F!", "1!"}, {"M!", "2!"}, {"F!", "3!"}, {"M!", "4!"}}
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "sex", Type: equivclass.Categorical}, {Name: "n", Type: equivclass.Integer}},
		rows)
	m := lgb.LGB{K: 2, Local: topdown.Mondrian{}, Promises: []lgb.LocalPromise{{Principle: lgb.ShareWithin{T: 0.1}}, {L: 2}}}
	result, err := m.Run(table)
	require.NoError(t, err)
	require.Equal(t, [][]int32{{0, 1, 2, 3}}, result.Groups)
	require.Equal(t, [][]int32{{0, 1, 2, 3}}, result.Buckets[0])
	require.Equal(t, [][]int32{{0, 1}, {2, 3}}, lgbSorted(result.Buckets[1]))
	sum, values := estimate.LocalNCP(table, result)
	require.Zero(t, sum)
	require.Zero(t, values)
	require.Zero(t, estimate.BucketWidth(table, &lgb.Result{Buckets: make([][][]int32, 2)}, 0))

	table.Flags[3] = 2 // one known sex: its record is withheld, and two of three are F
	result, err = m.Run(table)
	require.Nil(t, result)
	var infeasible *lgb.InfeasibleError
	require.ErrorAs(t, err, &infeasible)
	require.ErrorContains(t, err, "share-within")
}

// A table that does not fit together is refused, saying what is wrong.
func TestLGBRefusesAMisshapenTable(t *testing.T) {
	for want, spoil := range map[string]func(*flagged.Table){
		"has 0 attributes":                                  func(t *flagged.Table) { t.Dicts = nil },
		"4 dictionaries but 3 columns":                      func(t *flagged.Table) { t.Codes = t.Codes[1:] },
		"attribute 0 has 8 values but 7 records have flags": func(t *flagged.Table) { t.Flags = t.Flags[1:] },
	} {
		bad := lgb.FlaggedExample(t)
		spoil(bad)
		_, err := lgbOf(2, 2, topdown.Mondrian{}).Run(bad)
		require.ErrorContains(t, err, want)
	}
}
