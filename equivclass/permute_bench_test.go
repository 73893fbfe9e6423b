package equivclass

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var lgbSizes = []int{30_162, 125_000, 500_000}

func BenchmarkPermutation(b *testing.B) {
	for _, m := range []Partitioner{Permutation{}, PermutationNear{}} {
		for _, n := range lgbSizes {
			b.Run(fmt.Sprintf("method=%s/rows=%d", m.Name(), n), func(b *testing.B) {
				p := wangClustered(n, 7, 50)
				b.ReportAllocs()
				for b.Loop() {
					groups, _ := m.Partition(p, Requirement{K: 10, L: 10})
					random := splitMix(1)
					Permute(groups, 8, &random)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	table := paCensus(100_000)
	rows, quasi := wangRows(table.Len()), []int{0, 1, 2, 3, 4, 5, 6}
	groups, _ := PermutationNear{}.Partition(table.PoolOf(NewSpace(table.Dicts), rows, quasi, 7), Requirement{K: 5, L: 5})
	src := splitMix(1)
	queries := CountWorkload(table.Dicts, quasi, 7, 4, 0.1, 100, &src)
	for name, r := range map[string]Estimator{
		"microdata":      NewBlockRelease(table.Dicts, table.Codes, [][]int32{rows}, WholeBlock(8)),
		"permutation":    NewBlockRelease(table.Dicts, table.Codes, groups, SingleBlocks(8)),
		"generalization": NewCellRelease(table.Dicts, table.Codes, groups, 7),
	} {
		b.Run(name+"/rows=100000", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r.Estimate(queries[i%len(queries)])
			}
		})
	}
}

// Beside BenchmarkQuery: the same queries asked together.
func BenchmarkEstimateCounts(b *testing.B) {
	table := paCensus(100_000)
	quasi := []int{0, 1, 2, 3, 4, 5, 6}
	groups, _ := PermutationNear{}.Partition(table.PoolOf(NewSpace(table.Dicts), wangRows(table.Len()), quasi, 7), Requirement{K: 5, L: 5})
	src := splitMix(1)
	queries := CountWorkload(table.Dicts, quasi, 7, 4, 0.1, 96, &src)
	for name, blocks := range map[string][][]int{"anatomy": AnatomyBlocks(8, 7), "permutation": SingleBlocks(8)} {
		r := NewBlockRelease(table.Dicts, table.Codes, groups, blocks)
		b.Run(name+"/rows=100000", func(b *testing.B) {
			for b.Loop() {
				r.EstimateCounts(queries)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(queries)), "ns/query")
		})
	}
}

// The contract: at most 1 KiB of memory a row. Everything allocated counts, live
// or not.
func TestPermutationAndLGBAllocateLessThanAKibibyteARow(t *testing.T) {
	const n = 20_000
	p, table := wangClustered(n, 7, 50), lgbRandom(lgbRand(1), n, 0.2)
	for name, f := range map[string]func(){
		"permutation":      func() { Permutation{}.Partition(p, Requirement{K: 10, L: 10}) },
		"permutation-near": func() { PermutationNear{}.Partition(p, Requirement{K: 10, L: 10}) },
		"lgb-mdp":          func() { lgbRun(t, table, Mondrian{}) },
		"lgb-ncp":          func() { lgbRun(t, table, NCPSplit{}) },
	} {
		bytes := lgbAllocated(f) / n
		t.Logf("%s: %d bytes a row", name, bytes)
		assert.Less(t, bytes, uint64(1024), name)
	}
}

func lgbRun(t testing.TB, table *FlaggedTable, local Partitioner) {
	_, err := LGB{K: 10, Promises: lgbPromises(9, 10), Local: local}.Run(table)
	require.NoError(t, err)
}

// lgbAllocated returns the bytes that f allocates in all.
func lgbAllocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
