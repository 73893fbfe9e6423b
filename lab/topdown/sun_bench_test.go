package topdown

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

func BenchmarkSun(b *testing.B) {
	for _, m := range sunPartitioners(5) {
		for _, n := range []int{10000, 100000, 500000} {
			p := sunPool(b, rand.New(rand.NewPCG(1, uint64(n))), n, 7, 14)
			b.Run(fmt.Sprintf("%s/p=5/k=20/n=%d", m.Name(), n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m.Partition(p, equivclass.Requirement{K: 20, L: 1})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}

// At most 1 KiB a row, everything that a run allocates counted, live or not.
func TestSunAllocatesLessThanAKibibyteARow(t *testing.T) {
	mixed := sunPool(t, rand.New(rand.NewPCG(2, 2)), 20000, 7, 14)
	for _, m := range sunPartitioners(5) {
		equivtest.RequireKibibyte(t, m, mixed, equivclass.Requirement{K: 20, L: 1})
	}
}
