package topdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

func wangPartitioners() []equivclass.Partitioner {
	return []equivclass.Partitioner{WangCloseK{}, WangMedian{}, SingleDimensional{}, Mondrian{}, MondrianBoth{}, MondrianRelaxed{}}
}

// wangCheck holds the promise of Partitioner by counting, not by cutJudge.
func wangCheck(t *testing.T, p *equivclass.Pool, want equivclass.Requirement, groups [][]int32, rest []int32) {
	t.Helper()
	seen := make([]int, p.Len())
	for _, g := range groups {
		require.True(t, want.Holds(p.Bag(g)), "a class breaks the requirement")
		require.GreaterOrEqual(t, len(g), want.K)
		require.True(t, slices.IsSorted(g))
		subjects := map[uint64]bool{}
		for _, r := range g {
			seen[r]++
			if p.Subject != nil && p.Subject[r] != 0 {
				require.False(t, subjects[p.Subject[r]], "two records of a subject in a class")
				subjects[p.Subject[r]] = true
			}
		}
	}
	for _, r := range rest {
		seen[r]++
	}
	for _, n := range seen {
		require.Equal(t, 1, n, "every record is in one class or in rest")
	}
}

func TestWangPartitionersKeepTheirPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	cuts := map[string]int{}
	for range 150 {
		p := equivtest.Grid(rng, 1+rng.IntN(200), 1+rng.IntN(4), 1+rng.IntN(12), 2+rng.IntN(9))
		if rng.IntN(3) == 0 {
			p.Subject = make([]uint64, p.Len())
			for i := range p.Subject {
				p.Subject[i] = uint64(rng.IntN(p.Len()))
			}
		}
		want := equivclass.Requirement{K: 1 + rng.IntN(7), L: 1 + rng.IntN(3)}
		switch rng.IntN(4) {
		case 0:
			want.Extra = []equivclass.Principle{equivclass.DistinctL{L: 2}}
		case 1:
			want.Extra = []equivclass.Principle{equivclass.EntropyL{L: 1.5}, equivclass.RecursiveL{C: 3, L: 2}}
		}
		for _, m := range wangPartitioners() {
			groups, rest := m.Partition(p, want)
			wangCheck(t, p, want, groups, rest)
			again, _ := m.Partition(p, want)
			require.Equal(t, groups, again, "same pool, same classes")
			if p.Subject == nil && want.Holds(p.Bag(equivtest.Rows(p.Len()))) {
				require.Empty(t, rest, "what can be one class leaves nobody out")
			}
			if len(groups) > 1 {
				cuts[m.Name()]++
			}
		}
	}
	for _, m := range wangPartitioners() {
		require.Greater(t, cuts[m.Name()], 40, m.Name()+" hardly ever cut anything")
	}
}

func TestWangPartitionersOnTheEdge(t *testing.T) {
	for _, m := range wangPartitioners() {
		empty := equivtest.Pool([]float32{0})
		empty.X, empty.SA = nil, nil
		groups, rest := m.Partition(empty, equivclass.Requirement{K: 2, L: 1})
		require.Empty(t, groups, m.Name())
		require.Empty(t, rest, m.Name())
		// three records of one value are infeasible at l = 2: all rest
		groups, rest = m.Partition(equivtest.Pool([]float32{0}, []float32{0.5}, []float32{1}), equivclass.Requirement{K: 1, L: 2})
		require.Empty(t, groups, m.Name())
		require.Equal(t, []int32{0, 1, 2}, rest, m.Name())
	}
}

func BenchmarkWang(b *testing.B) {
	for _, m := range wangPartitioners() {
		for _, want := range []equivclass.Requirement{{K: 5, L: 1}, {K: 10, L: 5}} {
			for _, n := range []int{1000, 10000, 30000, 100000} {
				p := equivtest.Clustered(n, 7, 14)
				b.Run(fmt.Sprintf("%s/k=%d/l=%d/n=%d", m.Name(), want.K, want.L, n), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						m.Partition(p, want)
					}
				})
			}
		}
	}
}
