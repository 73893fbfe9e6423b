package topdown

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/bucketize"
	"anond/equivclass/equivtest"
	"anond/equivclass/internal/cut"
)

// Both partitioners keep the promise of Partitioner on any requirement.
func TestNCPPartitionersKeepTheirPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, m := range []equivclass.Partitioner{NCPSplit{}, NCPSplit{Mend: true}, bucketize.Permutation{}, bucketize.Permutation{Tries: 1, Seed: 5}, bucketize.PermutationNear{}} {
		for range 60 {
			n := rng.IntN(150)
			p := equivtest.MixedPool(t, rng, n)
			if rng.IntN(2) == 0 {
				p.Subject = make([]uint64, n)
				for i := range p.Subject {
					p.Subject[i] = uint64(rng.IntN(n + 1))
				}
			}
			want := equivclass.Requirement{K: 1 + rng.IntN(8), L: 1 + rng.IntN(4)}
			if rng.IntN(2) == 0 {
				want.Extra = []equivclass.Principle{equivclass.EntropyL{L: 1.5}, equivclass.DistinctL{L: 2}}
			}
			groups, rest := m.Partition(p, want)
			equivtest.CheckCover(t, groups, rest, n)
			for _, g := range groups {
				require.True(t, want.Holds(p.Bag(g)), m.Name())
				require.True(t, p.DistinctSubjects(g), m.Name())
			}
			again, _ := m.Partition(p, want)
			require.Equal(t, groups, again, "a function of the pool alone")
		}
	}
}

// The seeds' NCP against that of the farthest of all pairs.
func TestSeedsAreFarApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		p := equivtest.MixedPool(t, rng, 25)
		c := newNCPCutter(p, equivclass.Requirement{K: 1, L: 1})
		u, v := c.seeds(equivtest.Rows(25))
		var most float32
		for i := range int32(25) {
			for j := range i {
				most = max(most, float32(p.Loss([]int32{i, j})*3))
				require.InDelta(t, p.Loss([]int32{i, j})*3, float64(cut.PairLoss(p, i, j)), 1e-5)
			}
		}
		require.GreaterOrEqual(t, cut.PairLoss(p, u, v), most*0.6)
	}
}
