package equivtest

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// CheckCover requires that groups and rest are a partition of n rows.
func CheckCover(t testing.TB, groups [][]int32, rest []int32, n int) {
	t.Helper()
	seen := make([]int, n)
	for _, g := range append(slices.Clone(groups), rest) {
		for _, r := range g {
			seen[r]++
		}
	}
	for r, times := range seen {
		require.Equal(t, 1, times, "row %d is in %d places, not in one class or in rest", r, times)
	}
}

// CheckPartition requires the promise of Partitioner by plain counting, without
// the code by which partitioners judge; rows come in any order.
func CheckPartition(t testing.TB, p *equivclass.Pool, want equivclass.Requirement, groups [][]int32, rest []int32) {
	t.Helper()
	CheckCover(t, groups, rest, p.Len())
	for _, g := range groups {
		require.NotEmpty(t, g)
		require.GreaterOrEqual(t, len(g), want.K)
		count, subjects := map[equivclass.Code]int{}, map[uint64]int{}
		var bag equivclass.Bag
		for _, r := range g {
			bag.Add(p.SA[r], 1)
			count[p.SA[r]]++
			if p.Subject != nil && p.Subject[r] != 0 {
				subjects[p.Subject[r]]++
				require.Equal(t, 1, subjects[p.Subject[r]], "a class has two records of a subject")
			}
		}
		for _, n := range count {
			require.LessOrEqual(t, n*want.L, len(g), "a value has more than 1/l of a class")
		}
		for _, e := range want.Extra {
			require.True(t, e.Holds(bag), "a class breaks %s", e.Name())
		}
	}
}

// RequireKibibyte demands that a run allocates less than 1 KiB a row.
func RequireKibibyte(t *testing.T, m equivclass.Partitioner, p *equivclass.Pool, want equivclass.Requirement) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	groups, _ := m.Partition(p, want)
	runtime.ReadMemStats(&after)
	bytes := (after.TotalAlloc - before.TotalAlloc) / uint64(p.Len())
	t.Logf("%s: %d bytes a row, %d classes", m.Name(), bytes, len(groups))
	require.Greater(t, len(groups), 1)
	require.Less(t, bytes, uint64(1024), m.Name())
}
