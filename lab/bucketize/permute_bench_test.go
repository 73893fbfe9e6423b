package bucketize

import (
	"fmt"
	"testing"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
)

func BenchmarkPermutation(b *testing.B) {
	for _, m := range []equivclass.Partitioner{Permutation{}, PermutationNear{}} {
		for _, n := range lgbSizes {
			b.Run(fmt.Sprintf("method=%s/rows=%d", m.Name(), n), func(b *testing.B) {
				p := equivtest.Clustered(n, 7, 50)
				b.ReportAllocs()
				for b.Loop() {
					groups, _ := m.Partition(p, equivclass.Requirement{K: 10, L: 10})
					random := cut.SplitMix(1)
					Permute(groups, 8, &random)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}
