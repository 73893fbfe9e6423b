package lgb_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
	"anond/lab/bucketize"
	"anond/lab/lgb"
	"anond/lab/topdown"
)

func BenchmarkLGB(b *testing.B) {
	for _, local := range []equivclass.Partitioner{topdown.Mondrian{}, topdown.NCPSplit{}, topdown.NCPSplit{Fixed: true}} {
		for _, n := range lgbSizes {
			b.Run(fmt.Sprintf("local=%s/rows=%d", local.Name(), n), func(b *testing.B) {
				t := equivtest.RandomTable(equivtest.Rand(1), n, 0.2)
				b.ReportAllocs()
				for b.Loop() {
					lgbRun(b, t, local)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}

var lgbSizes = []int{30_162, 125_000, 500_000}

// The contract: at most 1 KiB of memory a row. Everything allocated counts, live
// or not.
func TestPermutationAndLGBAllocateLessThanAKibibyteARow(t *testing.T) {
	const n = 20_000
	p, table := equivtest.Clustered(n, 7, 50), equivtest.RandomTable(equivtest.Rand(1), n, 0.2)
	for name, f := range map[string]func(){
		"permutation":      func() { bucketize.Permutation{}.Partition(p, equivclass.Requirement{K: 10, L: 10}) },
		"permutation-near": func() { bucketize.PermutationNear{}.Partition(p, equivclass.Requirement{K: 10, L: 10}) },
		"lgb-mdp":          func() { lgbRun(t, table, topdown.Mondrian{}) },
		"lgb-ncp":          func() { lgbRun(t, table, topdown.NCPSplit{}) },
	} {
		bytes := lgbAllocated(f) / n
		t.Logf("%s: %d bytes a row", name, bytes)
		assert.Less(t, bytes, uint64(1024), name)
	}
}

func lgbRun(t testing.TB, table *flagged.Table, local equivclass.Partitioner) {
	_, err := lgb.LGB{K: 10, Promises: lgbPromises(9, 10), Local: local}.Run(table)
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
