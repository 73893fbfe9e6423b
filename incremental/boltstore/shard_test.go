package boltstore_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/boltstore"
)

// shardState is the state of a shard of 12 partitions.
func shardState(t *testing.T, path string) {
	t.Helper()
	s := openAt(t, path, fast)
	o := town(t)
	m, err := incremental.Open(s, o)
	require.NoError(t, err)
	m.Source().SetPartitions(12)
	m.Source().SetPartitions(15) // it is kept once
	feed(t, m, 0, 10)
	require.NoError(t, s.Close())
}

func readsShard(t *testing.T, path string) {
	t.Helper()
	s := openAt(t, path, fast)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	require.Equal(t, 12, m.Source().Partitions())
	require.NoError(t, s.Close())
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)
}

// TestShardStateKeepsItsPartitions, where the file is written anew, until a reset.
func TestShardStateKeepsItsPartitions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	shardState(t, path)
	readsShard(t, path)
	require.NoError(t, forgets(t, path, fast, "p3"))
	readsShard(t, path)
	require.NoError(t, boltstore.CompactFile(path, fast))
	readsShard(t, path)
	_, err := boltstore.ResetFile(path, fast, startOver)
	require.NoError(t, err)
	s := openAt(t, path, fast)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	require.Zero(t, m.Source().Partitions())
	require.NoError(t, s.Close())
}
