package figures

import (
	"fmt"
	"math"
	"runtime"
	"syscall"
	"testing"

	"anond/equivclass"
	"anond/lab/figures/dataset"
	"anond/lab/methods"
)

// benchSizes are the numbers of generated CENSUS records; the exponent is that
// of the time from the first to the last.
var benchSizes = []int{31_250, 125_000, 500_000}

// BenchmarkSizes is each method at several sizes, k=10, l=5, seven
// quasi-identifiers: processor seconds, seconds, bytes allocated a record (an
// upper bound of what it needs) and the exponent of growth. Processor time counts
// all workers, and is what a busy machine leaves comparable.
func BenchmarkSizes(b *testing.B) {
	all := dataset.Generated(dataset.Census(), benchSizes[len(benchSizes)-1], 1)
	var pools []*equivclass.Pool
	for _, n := range benchSizes {
		pools = append(pools, dataset.First(all, n).Pool([]int{0, 1, 2, 3, 4, 5, 6}, 7))
	}
	for _, m := range methods.All() {
		spent := make([]float64, len(pools))
		for i, p := range pools {
			b.Run(fmt.Sprintf("%s/n=%d", m.Name, p.Len()), func(b *testing.B) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				begun := processorTime()
				for b.Loop() {
					m.Partitioner(methods.Options{Seed: 1, Workers: runtime.GOMAXPROCS(0)}).Partition(p, equivclass.Requirement{K: 10, L: 5})
				}
				runtime.ReadMemStats(&after)
				spent[i] = (processorTime() - begun) / float64(b.N)
				b.ReportMetric(spent[i], "cpu-s/op")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(p.Len()), "B/record")
				if first := spent[0]; i > 0 && first > 0 {
					b.ReportMetric(math.Log(spent[i]/first)/math.Log(float64(p.Len())/float64(pools[0].Len())), "exponent")
				}
			})
		}
	}
}

// processorTime is what this process has used, in seconds.
func processorTime() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(r.Utime) + seconds(r.Stime)
}
