package equivclass

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkLGB(b *testing.B) {
	for _, local := range []Partitioner{Mondrian{}, NCPSplit{}, NCPSplit{Mend: true}} {
		for _, n := range lgbSizes {
			b.Run(fmt.Sprintf("local=%s/rows=%d", local.Name(), n), func(b *testing.B) {
				t := lgbRandom(rand.New(rand.NewPCG(1, 2)), n, 0.2)
				b.ReportAllocs()
				for b.Loop() {
					_, err := LGB{K: 10, Promises: lgbPromises(9, 10), Local: local}.Run(t)
					require.NoError(b, err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}
