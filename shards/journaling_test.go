package shards

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/dataset"
)

// TestSharesOfARepeat: the partitions of a shard together keep to the bound, however they are divided; a batch that could be
// read the first time can be read again.
func TestSharesOfARepeat(t *testing.T) {
	for _, c := range []struct{ total, of, index, mine int }{{12, 8, 0, 2}, {12, 8, 3, 2}, {12, 8, 4, 1}, {12, 8, 7, 1}, {1, 1, 0, 1},
		{64, 3, 0, 22}, {64, 3, 1, 21}, {64, 3, 2, 21}, {200, 1, 0, 200}} {
		have := 0
		for p := range c.total {
			if p%c.of == c.index {
				have++
			}
		}
		require.Equal(t, c.mine, have)
		conf := &config.Config{}
		conf.Shard.Index, conf.Shard.Of = c.index, c.of
		conf.Memory.MaxInFlight, conf.Source.MaxRecordBytes = 64<<20, 1<<20
		s, whole := repeatShares(conf, c.total), dataset.SharesOf(conf)
		require.Equal(t, 64<<20/c.mine/4, s.Stage, "%+v", c)
		require.LessOrEqual(t, c.mine*s.Stage, whole.Stage, "%+v", c)
		require.Equal(t, whole.Batch, s.Batch)
		require.Equal(t, whole.Commit, s.Commit)
	}
}
