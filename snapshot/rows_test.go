package snapshot

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersOfBucketFiles: where files of level L2 have numbers, also if buckets name the stratum of their people behind them.
func TestNumbersOfBucketFiles(t *testing.T) {
	m := &Manifest{Recoding: NameBuckets, Policy: Policy{Level: PolicyL2}}
	require.True(t, m.Shared())
	for _, settle := range []string{"", "90d", "histories"} {
		m.Privacy.Settle = settle
		want, row := map[string]bool{"bucket": true, "pool": true, "people": true}, "3,2,10,plain\n"
		if settle == "histories" {
			m.Privacy.MaxRecords, want["records"], row = 3, true, "3,2,10,2+updated,2\n"
			require.Equal(t, "pool attribute value value_2 value_3 count", strings.Join(m.BagColumns("pool"), " "))
		}
		columns := m.BucketsColumns()
		numbers := map[string]bool{}
		for _, at := range m.NumberColumns(BucketsName) {
			numbers[columns[(at+len(columns))%len(columns)]] = true
		}
		require.Equal(t, want, numbers)
		require.Equal(t, settle != "", slices.Contains(columns, "stratum"))
		require.Equal(t, []int{0, -1}, m.NumberColumns(ValuesName))
		require.Equal(t, []int{0, -1}, m.NumberColumns(PoolsName))
		require.Equal(t, []int{-2, -1}, m.NumberColumns(DataName))
		shifted, err := m.Shifting(BucketsName).Shifted([]byte(row), Shift{buckets: 5, pools: 1})
		require.NoError(t, err)
		require.Equal(t, "8,3"+row[3:], string(shifted))
	}
}

// TestSequencesOfRows: empty columns behind the last record are none, and one before it is no history.
func TestSequencesOfRows(t *testing.T) {
	for text, want := range map[string]string{"flu,,": "flu", "flu,cold,": "flu\x1fcold", "flu,?,cold": "flu\x1f?\x1fcold"} {
		got, ok := Sequence(strings.Split(text, ","))
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"flu,,cold", ",cold,", ",,"} {
		_, ok := Sequence(strings.Split(text, ","))
		require.False(t, ok, text)
	}
}
