package topdown

import (
	"fmt"
	"testing"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

func wangPartitioners() []equivclass.Partitioner {
	return []equivclass.Partitioner{WangCloseK{}, WangCloseK{Plain: true}, WangMedian{}, SingleDimensional{}, Mondrian{}, MondrianBoth{},
		MondrianRelaxed{}}
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
