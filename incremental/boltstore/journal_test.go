package boltstore_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/state"
)

// journaledState is the state of a shard that follows a journal.
func journaledState(t *testing.T, path string) {
	t.Helper()
	shardState(t, path)
	s := openAt(t, path, fast)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	require.Zero(t, m.Journal())
	m.Follow(state.JournalMark{Seq: 7, Digest: [32]byte{8}, Next: 9})
	m.Saw(state.LedgerMark{Size: 10, Digest: [16]byte{11}})
	require.NoError(t, m.Commit())
	require.NoError(t, s.Close())
}

func readsJournaled(t *testing.T, path string) {
	t.Helper()
	readsShard(t, path)
	s := openAt(t, path, fast)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	require.Equal(t, state.JournalMark{Seq: 7, Digest: [32]byte{8}, Next: 9}, m.Journal())
	require.Equal(t, state.LedgerMark{Size: 10, Digest: [16]byte{11}}, m.Ledger())
	require.NoError(t, s.Close())
}

// TestJournaledStateKeepsItsMark where the file is written anew, and that of the ledger of subjects.
func TestJournaledStateKeepsItsMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	journaledState(t, path)
	readsJournaled(t, path)
	require.NoError(t, forgets(t, path, fast, "p3"))
	readsJournaled(t, path)
	require.NoError(t, boltstore.CompactFile(path, fast))
	readsJournaled(t, path)
}
