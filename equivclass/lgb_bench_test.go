package equivclass

import (
	"fmt"
	"testing"
)

func BenchmarkLGB(b *testing.B) {
	for _, local := range []Partitioner{Mondrian{}, NCPSplit{}, NCPSplit{Mend: true}} {
		for _, n := range lgbSizes {
			b.Run(fmt.Sprintf("local=%s/rows=%d", local.Name(), n), func(b *testing.B) {
				t := lgbRandom(lgbRand(1), n, 0.2)
				b.ReportAllocs()
				for b.Loop() {
					lgbRun(b, t, local)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}
