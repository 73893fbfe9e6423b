package permutation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/dataset"
	"anond/cmd/anond/internal/figures/figurestest"
	"anond/equivclass"
	"anond/equivclass/bucketize"
	"anond/equivclass/topdown"
)

// information is the mutual information of two attributes inside groups, in nats,
// weighted by size and less its bias (Miller and Madow).
func information(t *equivclass.Table, groups [][]int32, a, b int) float64 {
	sum, all := 0.0, 0
	for _, g := range groups {
		of, with, both := map[equivclass.Code]float64{}, map[equivclass.Code]float64{}, map[[2]equivclass.Code]float64{}
		for _, r := range g {
			x, y := t.Codes[a][r], t.Codes[b][r]
			of[x]++
			with[y]++
			both[[2]equivclass.Code{x, y}]++
		}
		n := float64(len(g))
		for pair, k := range both {
			sum += k * math.Log(k*n/(of[pair[0]]*with[pair[1]]))
		}
		sum -= float64((len(of)-1)*(len(with)-1)) / 2
		all += len(g)
	}
	return sum / float64(all)
}

// Why permutation loses even where quasi-identifiers are independent: Algorithm
// 2's sub-tables make them dependent (its boxes take rare values only with
// records that fit otherwise), straight cuts do not. Marital status with race is
// the pair that figure 1's worst queries join.
func TestAlgorithm2MakesIndependentAttributesDependent(t *testing.T) {
	p := dataset.Census().Scaled(0, "gender", "education", "marital", "race")
	table := occ(dataset.Generated(p, 20_000, 1), 5)
	rows := make([]int32, table.table.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	const marital, race = 3, 4
	require.InDelta(t, 0, information(table.table, [][]int32{rows}, marital, race), .001, "independent as a whole")
	want := equivclass.Requirement{K: usualL, L: usualL}
	tables, _ := bucketize.Permutation{}.SubTables(table.pool, rows, want)
	leaves, _ := topdown.Mondrian{}.Partition(table.pool, want)
	inTables, inLeaves := information(table.table, tables, marital, race), information(table.table, leaves, marital, race)
	t.Logf("%d sub-tables of Algorithm 2: %.4f nats; %d leaves of straight cuts: %.4f", len(tables), inTables, len(leaves), inLeaves)
	assert.Greater(t, inTables, .01)
	assert.Less(t, inLeaves, .002)
}

// Each method is published as its name says, and its groups satisfy l.
func TestStraightCutsKeepTheRequirement(t *testing.T) {
	table := sal(dataset.Generated(dataset.Census(), 3000, 1), 5)
	for _, l := range []int{2, 10} {
		want := equivclass.Requirement{K: 1, L: l}
		groups, rest := straightCuts{}.Partition(table.pool, want)
		require.Empty(t, rest)
		n := 0
		for _, g := range groups {
			require.True(t, want.Holds(table.pool.Bag(g)))
			n += len(g)
		}
		require.Equal(t, table.table.Len(), n)
	}
}

func TestOneSettingOfMoreErrorRefutes(t *testing.T) {
	assert.Equal(t, figures.Holds, versus{less: 2}.verdict())
	assert.Equal(t, figures.Undecided, versus{less: 2, alike: 1}.verdict())
	assert.Equal(t, figures.HoldsNot, versus{less: 2, alike: 1, more: 1}.verdict())
}

// The figures are the same for the same seed, but for times.
func TestFiguresRepeat(t *testing.T) {
	for _, id := range []string{"pa-4", "pa-5"} {
		f := figurestest.Find(t, Figures(), id)
		in := figures.Input{Seed: 3, Scale: .005}
		a, err := f.Run(t.Context(), in)
		require.NoError(t, err)
		b, err := f.Run(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, len(a.Panels), len(b.Panels))
		require.NotEmpty(t, a.Claims)
		for i := range a.Panels {
			if !a.Panels[i].Timed {
				assert.Equal(t, a.Panels[i].Rows, b.Panels[i].Rows, "%s %s", id, a.Panels[i].Name)
			}
		}
		if id != "pa-5" {
			assert.Equal(t, a.Claims, b.Claims)
		}
	}
}
