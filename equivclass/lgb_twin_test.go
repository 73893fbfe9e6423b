package equivclass

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// lgbMixedPool has a number, a hierarchy and a set of categories.
func lgbMixedPool(t testing.TB, rng *rand.Rand, n int) *Pool {
	t.Helper()
	p := &Pool{Space: &Space{Dims: []Dim{{Kind: Number, Width: 1}, {Kind: Tree, Size: 6, Tree: queryTree(t)}, {Kind: Set, Size: 5}}}, SA: make([]Code, n)}
	for i := range n {
		p.X = append(p.X, float32(rng.IntN(8))/8, float32(rng.IntN(6))/5, float32(rng.IntN(5))/4)
		p.SA[i] = Code(rng.IntN(6))
	}
	return p
}

// The growing box counts what Pool.Loss counts anew: the penalty of a record is
// the difference of the sums over all tuples and dimensions.
func TestGrowingBoxAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		p := lgbMixedPool(t, rng, 12)
		b := newGrowingBox(p)
		for range 2 { // a box is used again
			b.start(p.At(0))
			for i := int32(1); i < 12; i++ {
				before := p.Loss(wangRows(int(i))) * 3 * float64(i)
				after := p.Loss(wangRows(int(i)+1)) * 3 * float64(i+1)
				require.InDelta(t, after-before, b.penalty(p.At(i)), 1e-4)
				b.add(p.At(i))
			}
		}
	}
}

// divideTwin deals rows between two seeds by NCP computed anew, in quadratic time.
func divideTwin(p *Pool, rows []int32, u, v int32) (left, right []int32) {
	ncp := func(seed int32, rows []int32, more ...int32) float64 {
		all := append(append([]int32{seed}, rows...), more...)
		return p.Loss(all) * float64(p.D()*len(all))
	}
	for _, r := range rows {
		if ncp(u, left, r)-ncp(u, left) < ncp(v, right, r)-ncp(v, right)-1e-6 {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

// Equal penalties may fall either way by rounding, so a few rows in a hundred
// tables may differ; most tables must not.
func TestDivideAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	same := 0
	for range 200 {
		p := lgbMixedPool(t, rng, 30)
		u, v := int32(rng.IntN(30)), int32(rng.IntN(30))
		wantLeft, wantRight := divideTwin(p, wangRows(30), u, v)
		rows := wangRows(30)
		left := newBoxSplitter(p).divide(rows, p.At(u), p.At(v))
		lgbCover(t, [][]int32{rows}, nil, 30)
		if slices.Equal(wantLeft, rows[:left]) && slices.Equal(wantRight, rows[left:]) {
			same++
		}
	}
	require.Greater(t, same, 180)
}

// Both partitioners keep the promise of Partitioner on any requirement.
func TestNCPPartitionersKeepTheirPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, m := range []Partitioner{NCPSplit{}, NCPSplit{Mend: true}, Permutation{}, Permutation{Tries: 1, Seed: 5}, PermutationNear{}} {
		for range 60 {
			n := rng.IntN(150)
			p := lgbMixedPool(t, rng, n)
			if rng.IntN(2) == 0 {
				p.Subject = make([]uint64, n)
				for i := range p.Subject {
					p.Subject[i] = uint64(rng.IntN(n + 1))
				}
			}
			want := Requirement{K: 1 + rng.IntN(8), L: 1 + rng.IntN(4)}
			if rng.IntN(2) == 0 {
				want.Extra = []Principle{EntropyL{L: 1.5}, DistinctL{L: 2}}
			}
			groups, rest := m.Partition(p, want)
			lgbCover(t, groups, rest, n)
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
		p := lgbMixedPool(t, rng, 25)
		c := newNCPCutter(p, Requirement{K: 1, L: 1})
		u, v := c.seeds(wangRows(25))
		var most float32
		for i := range int32(25) {
			for j := range i {
				most = max(most, float32(p.Loss([]int32{i, j})*3))
				require.InDelta(t, p.Loss([]int32{i, j})*3, float64(pairLoss(p, i, j)), 1e-5)
			}
		}
		require.GreaterOrEqual(t, pairLoss(p, u, v), most*0.6)
	}
}
