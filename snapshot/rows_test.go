package snapshot

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersOfBucketFiles: where files of level L2 have numbers, also if buckets name the stratum of their people behind them.
func TestNumbersOfBucketFiles(t *testing.T) {
	m := &Manifest{Recoding: NameBuckets, Policy: Policy{Level: PolicyL2}}
	require.True(t, m.Shared())
	for _, settle := range []string{"", "90d"} {
		m.Privacy.Settle = settle
		columns := m.BucketsColumns()
		numbers := map[string]bool{}
		for _, at := range m.NumberColumns(BucketsName) {
			numbers[columns[(at+len(columns))%len(columns)]] = true
		}
		require.Equal(t, map[string]bool{"bucket": true, "pool": true, "people": true}, numbers)
		require.Equal(t, settle != "", columns[len(columns)-1] == "stratum")
		require.Equal(t, []int{0, -1}, m.NumberColumns(ValuesName))
		require.Equal(t, []int{0, -1}, m.NumberColumns(PoolsName))
		require.Equal(t, []int{-2, -1}, m.NumberColumns(DataName))
		row, err := m.Shifting(BucketsName).Shifted([]byte("3,2,10,plain\n"), Shift{buckets: 5, pools: 1})
		require.NoError(t, err)
		require.Equal(t, "8,3,10,plain\n", string(row))
	}
}
