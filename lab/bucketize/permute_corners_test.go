package bucketize

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/lab/split"
)

// paPoint is the coordinates of an age and a sex of table 1, whose ages go from
// 10 to 90 and whose first record is a man's.
func paPoint(age float32, sex float32) []float32 { return []float32{(age - 10) / 80, sex} }

const paMan, paWoman float32 = 0, 1

// "We artificially construct two tuples t1, t2 in G with each attribute taking
// the maximal/minimal value of the corresponding domains" (section 3.1), here
// of the two groups of table 2.
func TestPACornersOfTheGroupsOfTable2(t *testing.T) {
	p := paPool(equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows))
	of := cornersOf(p)
	top, bottom := of(equivtest.ExampleGroups[0])
	assert.InDeltaSlice(t, paPoint(90, paWoman), top, 1e-6)
	assert.InDeltaSlice(t, paPoint(50, paMan), bottom, 1e-6)
	top, bottom = of(equivtest.ExampleGroups[1])
	assert.InDeltaSlice(t, paPoint(50, paWoman), top, 1e-6)
	assert.InDeltaSlice(t, paPoint(10, paMan), bottom, 1e-6)
	top, bottom = domainCorners(p)
	assert.InDeltaSlice(t, paPoint(90, paWoman), top, 1e-6)
	assert.InDeltaSlice(t, paPoint(10, paMan), bottom, 1e-6)
}

// Algorithm 2 divides table 1 into men and women, and goes on with the women:
// Jane 70, Lily 55, Andy 90, Linda 50, Lucy 40, in this order.
//
// With their own corners, t1 = (90, F) and t2 = (40, F). Jane: 2 x 20/80 against
// 2 x 30/80, to G1. Lily: 3 x 35/80 - 2 x 20/80 = 0.8125 against 2 x 15/80, to
// G2. Andy: 0.25 against 3 x 50/80 - 2 x 15/80, to G1. Linda and Lucy: within
// 15/80 of G2, to G2. With the corners of the table t2 is a man of 10, and every
// woman costs G2 two sexes: she joins G1, and the women are never divided.
func TestPACornersOfTheWomenOfTable1(t *testing.T) {
	p := paPool(equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows))
	const jane, lily, andy, linda, lucy = 2, 3, 4, 6, 7
	women := []int32{jane, lily, andy, linda, lucy}
	split := split.NewBoxSplitter(p)

	rows := slices.Clone(women)
	top, bottom := cornersOf(p)(rows)
	require.Equal(t, 2, split.Divide(rows, top, bottom))
	assert.Equal(t, []int32{jane, andy, lily, linda, lucy}, rows)

	rows = slices.Clone(women)
	top, bottom = domainCorners(p)
	assert.Equal(t, len(women), split.Divide(rows, top, bottom), "all in G1")

	// So does the method, in whichever order it tries the women.
	of := func(m Permutation) (tables [][]int32) {
		want := equivclass.Requirement{K: 2, L: 1}
		tables, rest := m.SubTables(p, slices.Clone(women), want)
		require.Empty(t, rest)
		return tables
	}
	assert.Greater(t, len(of(Permutation{})), 1)
	assert.Len(t, of(Permutation{TableCorners: true}), 1)
}

// A category without order divides a table once under the corners of the table,
// since both tuples keep their categories for good. So sub-tables stay larger.
func TestTableCornersLeaveLargerSubTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 10 {
		table := equivtest.CensusLike(2000 + rng.IntN(500))
		rows := equivtest.Rows(table.Len())
		p := table.PoolOf(equivclass.NewSpace(table.Dicts), rows, []int{0, 1, 2, 3, 4}, 7)
		want := equivclass.Requirement{K: 1, L: 6}
		seed := rng.Uint64()
		near, _ := Permutation{Seed: seed}.SubTables(p, slices.Clone(rows), want)
		far, _ := Permutation{Seed: seed, TableCorners: true}.SubTables(p, slices.Clone(rows), want)
		require.Greater(t, len(near), len(far))
		require.Less(t, equivclass.NCP(p, near, 0), equivclass.NCP(p, far, 0))
	}
}

// Records that are all alike have one corner, and are not divided.
func TestCornersOfEqualRecords(t *testing.T) {
	p := equivtest.Pool([]float32{.5, .25}, []float32{.5, .25})
	top, bottom := cornersOf(p)(equivtest.Rows(2))
	assert.Equal(t, top, bottom)
	groups, rest := Permutation{}.Partition(p, equivclass.Requirement{K: 2, L: 1})
	assert.Equal(t, [][]int32{{0, 1}}, groups)
	assert.Empty(t, rest)
}
