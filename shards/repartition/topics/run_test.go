package topics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/internal/fault"
)

// TestPositionsOfShardsFit: a target is refused before anything is written to it if a shard could
// not number its positions.
func TestPositionsOfShardsFit(t *testing.T) {
	require.NoError(t, fitting(64, 1000, 8))
	require.NoError(t, fitting(256, 255, 1))
	require.NoError(t, fitting(256, 5000, 0), "the number of shards is not known")
	err := fitting(257, 255, 1)
	require.ErrorIs(t, err, incremental.ErrTooManyPartitions)
	require.ErrorContains(t, err, "a shard of 1 would read 257 of 257 partitions, with 255 partitions of the source each, which takes 65792")
	kind, hint := fault.Of(err)
	require.Equal(t, fault.Config, kind)
	require.Contains(t, hint, "more shards, or a target of fewer partitions (--to)")
	require.Error(t, fitting(9, 30000, 4), "of 9 partitions one shard has 3, and two would fit")
	require.NoError(t, fitting(8, 30000, 4))
}
