package boltstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/incremental/storetest"
)

// TestRestore: a copy replaces a state that is missing, damaged, older or as far, and
// no state that has decided more; a damaged copy replaces nothing.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	path, copied, aside := filepath.Join(dir, "anond.db"), filepath.Join(dir, "copy.db"), filepath.Join(dir, "aside.db")
	g, want := storetest.NewGenerator(11, 3), &storetest.State{}
	s := openAt(t, path, fast)
	apply := func(steps int) {
		for range steps {
			d := g.Next()
			if d.Meta != nil { // which the generator draws, and a machine only adds to
				d.Meta.Pools = state.Pools{Fixed: uint64(len(want.Intents)), First: 7}
			}
			require.NoError(t, s.Commit(d))
			want.Apply(d)
		}
	}
	apply(25)
	then := len(want.Intents)
	_, err := s.BackupTo(t.Context(), copied)
	require.NoError(t, err)
	kept, err := storetest.Read(s)
	require.NoError(t, err)
	_, err = boltstore.RestoreFile(t.Context(), copied, path, aside, boltstore.Options{Timeout: 1})
	require.ErrorIs(t, err, state.ErrLocked)
	apply(25)
	require.Greater(t, len(want.Intents), then)
	require.NoError(t, s.Close())

	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = boltstore.RestoreFile(t.Context(), copied, path, aside, fast)
	require.ErrorIs(t, err, boltstore.ErrAhead)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoFileExists(t, aside)

	restore := func(copied string, want *storetest.State) {
		t.Helper()
		out, err := boltstore.RestoreFile(t.Context(), copied, path, aside, fast)
		require.NoError(t, err)
		require.EqualValues(t, len(want.Records), out.Records)
		got, err := readFile(path)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.FileExists(t, copied)
		require.NoFileExists(t, path+".restore")
	}
	newer := filepath.Join(dir, "newer.db")
	require.NoError(t, os.Rename(path, newer))
	restore(copied, kept) // none was there
	require.NoFileExists(t, aside)
	restore(copied, kept) // as far
	require.FileExists(t, aside)
	require.NoError(t, os.Remove(aside))
	restore(newer, want) // older
	require.NoError(t, os.Remove(aside))
	require.NoError(t, os.WriteFile(path, []byte("no state at all"), 0o600))
	restore(copied, kept) // damaged
	require.NoError(t, os.Remove(aside))

	flipFirst(t, copied, "records")
	_, err = boltstore.RestoreFile(t.Context(), copied, path, aside, fast)
	require.ErrorIs(t, err, state.ErrCorrupt)
	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, kept, got)
}

// TestCommitsGoOnDuringABackup: the file of a state of some megabytes may grow many
// times while a reader holds the mapping.
func TestCommitsGoOnDuringABackup(t *testing.T) {
	tier.NotShort(t, "it copies a large state")
	s := openAt(t, filepath.Join(t.TempDir(), "anond.db"), fast)
	require.NoError(t, s.Commit(&state.Delta{DeadLetters: []state.DeadLetter{{Seq: 1, Payload: make([]byte, 1<<20)}}}))
	release := boltstore.HoldReader(s)
	for i := range 40 { // would need the mapping to grow, were it as large as the file
		letter := state.DeadLetter{Seq: uint64(i) + 2, Payload: make([]byte, 4<<20)}
		require.NoError(t, s.Commit(&state.Delta{DeadLetters: []state.DeadLetter{letter}}))
	}
	release()
	require.NoError(t, s.Close())
}
