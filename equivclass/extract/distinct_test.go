package extract_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
)

// distinctPool is n records of three dimensions whose values are all different,
// or one of 20.
func distinctPool(n int, different bool) *equivclass.Pool {
	rng := rand.New(rand.NewPCG(5, 5))
	dim := equivclass.Dim{Kind: equivclass.Number}
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: []equivclass.Dim{dim, dim, dim}}, SA: make([]equivclass.Code, n)}
	for i := range n {
		for range 3 {
			p.X = append(p.X, rng.Float32())
		}
		p.SA[i] = equivclass.Code(i % 20)
		if different {
			p.SA[i] = equivclass.Code(n - i)
		}
	}
	return p
}

// TestExtractWithAllValuesDifferent: what a part of the pool costs does not grow
// with the values of the other parts. Memory shows it without a clock: it was
// parts x values, more than twice what few values take already at this size.
func TestExtractWithAllValuesDifferent(t *testing.T) {
	n := tier.Of(t, 5000, 10000, 60000)
	allocated := func(different bool) uint64 {
		p := distinctPool(n, different)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		groups, rest := extract.Extract{Workers: 1}.Partition(p, equivclass.Requirement{K: 5, L: 5})
		runtime.ReadMemStats(&after)
		require.Len(t, slices.Concat(append(groups, rest)...), n)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, all := allocated(false), allocated(true)
	t.Logf("few values: %d bytes, all different: %d bytes", few, all)
	assert.Less(t, all, 2*few)
}

// TestBagOfIsTheBagOfAdd: however the values come.
func TestBagOfIsTheBagOfAdd(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		column, rows := make([]equivclass.Code, 400), make([]int32, 0, 400)
		for i := range column {
			column[i] = equivclass.Code(rng.IntN(1 + int(seed)*10))
			if rng.IntN(3) > 0 {
				rows = append(rows, int32(i))
			}
		}
		var want equivclass.Bag
		for _, r := range rows {
			want.Add(column[r], 1)
		}
		require.Equal(t, want, equivclass.BagOf(column, rows))
	}
}
