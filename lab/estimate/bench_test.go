package estimate

import (
	"testing"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/query"
	"anond/lab/bucketize"
)

func BenchmarkQuery(b *testing.B) {
	table := equivtest.CensusLike(100_000)
	rows, quasi := equivtest.Rows(table.Len()), []int{0, 1, 2, 3, 4, 5, 6}
	groups, _ := bucketize.PermutationNear{}.Partition(table.PoolOf(equivclass.NewSpace(table.Dicts), rows, quasi, 7),
		equivclass.Requirement{K: 5, L: 5})
	src := cut.SplitMix(1)
	queries := accuracy.Counts(table.Dicts, quasi, 7, 4, 0.1, 100, &src)
	for name, r := range map[string]query.Estimator{
		"microdata":      query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{rows}, query.WholeBlock(8)),
		"permutation":    query.NewBlockRelease(table.Dicts, table.Codes, groups, query.SingleBlocks(8)),
		"generalization": query.NewCellRelease(table.Dicts, table.Codes, groups, 7),
	} {
		b.Run(name+"/rows=100000", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r.Estimate(queries[i%len(queries)])
			}
		})
	}
}

// Compare with BenchmarkQuery: the same queries asked together.
func BenchmarkEstimateCounts(b *testing.B) {
	table := equivtest.CensusLike(100_000)
	quasi := []int{0, 1, 2, 3, 4, 5, 6}
	groups, _ := bucketize.PermutationNear{}.Partition(table.PoolOf(equivclass.NewSpace(table.Dicts), equivtest.Rows(table.Len()), quasi, 7),
		equivclass.Requirement{K: 5, L: 5})
	src := cut.SplitMix(1)
	queries := accuracy.Counts(table.Dicts, quasi, 7, 4, 0.1, 96, &src)
	for name, blocks := range map[string][][]int{"anatomy": query.AnatomyBlocks(8, 7), "permutation": query.SingleBlocks(8)} {
		r := query.NewBlockRelease(table.Dicts, table.Codes, groups, blocks)
		b.Run(name+"/rows=100000", func(b *testing.B) {
			for b.Loop() {
				r.EstimateCounts(queries)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(queries)), "ns/query")
		})
	}
}
