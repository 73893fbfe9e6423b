package equivclass

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var lgbSizes = []int{30_162, 125_000, 500_000}

func BenchmarkPermutation(b *testing.B) {
	for _, n := range lgbSizes {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			p := wangClustered(n, 7, 50)
			b.ReportAllocs()
			for b.Loop() {
				groups, _ := Permutation{}.Partition(p, Requirement{K: 10, L: 10})
				random := splitMix(1)
				Permute(groups, 8, &random)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}

// The contract: a method on Adult's 30,162 training rows in a second at most.
func TestPermutationOnAdultWithinASecond(t *testing.T) {
	p := wangAdult(t, 30162, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex", "native-country")
	start := time.Now()
	groups, rest := Permutation{}.Partition(p, Requirement{K: 5, L: 5})
	random := splitMix(1)
	Permute(groups, 8, &random)
	took := time.Since(start)
	require.Empty(t, rest)
	t.Logf("%d groups, NCP %.4f, %v", len(groups), IntervalNCP(p, groups, 0), took)
	require.Less(t, took, wangSecond)
}

// lgbExponent is e in time ~ n^e between two sizes.
func lgbExponent(n1, n2 int, t1, t2 time.Duration) float64 {
	return math.Log(float64(t2)/float64(t1)) / math.Log(float64(n2)/float64(n1))
}

// lgbAllocated returns the bytes that f allocates in all.
func lgbAllocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
