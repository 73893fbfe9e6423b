package equivtest

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// CheckCover holds that groups and rest are a partition of n rows.
func CheckCover(t testing.TB, groups [][]int32, rest []int32, n int) {
	t.Helper()
	seen := make([]bool, n)
	for _, g := range append(slices.Clone(groups), rest) {
		for _, r := range g {
			require.False(t, seen[r], "row %d stands twice", r)
			seen[r] = true
		}
	}
	require.NotContains(t, seen, false)
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

// CheckPartition holds the promise of Partitioner by counting; rows come in any order.
func CheckPartition(t *testing.T, p *equivclass.Pool, want equivclass.Requirement, groups [][]int32, rest []int32) {
	t.Helper()
	seen := make([]int, p.Len())
	for _, g := range groups {
		require.True(t, want.Holds(p.Bag(g)), "a class breaks the requirement")
		require.True(t, p.DistinctSubjects(g), "two records of a subject in a class")
		for _, r := range g {
			seen[r]++
		}
	}
	for _, r := range rest {
		seen[r]++
	}
	for _, n := range seen {
		require.Equal(t, 1, n, "every record is in one class or in rest")
	}
}
