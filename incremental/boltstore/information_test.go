package boltstore_test

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/incremental/storetest"
)

func backupFile(src, dst string) error {
	_, err := boltstore.BackupFile(context.Background(), src, dst, boltstore.Options{})
	return err
}

func TestBackupIsAStateAndTheStoreGoesOn(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "anond.db"), fast)
	g, want := storetest.NewGenerator(6, 3), &storetest.State{}
	for range 20 {
		d := g.Next()
		require.NoError(t, s.Commit(d))
		want.Apply(d)
	}
	path := filepath.Join(dir, "copy.db")
	copied, err := s.BackupTo(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Commit(g.Next()))
	require.NoError(t, s.Close())

	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, boltstore.Copied{Path: path, Bytes: int64(len(content)), SHA256: sha256.Sum256(content),
		Release: uint32(len(want.Intents)), Records: uint64(len(want.Records))}, copied)
	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestCompactKeepsContentAndDropsFreePages(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "anond.db"), filepath.Join(dir, "small.db")
	_, want := makeState(t, src, 60)
	require.NoError(t, boltstore.Compact(src, dst))
	got, err := readFile(dst)
	require.NoError(t, err)
	require.Equal(t, want, got)
	faults, err := boltstore.Check(dst, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)
	before, err := os.Stat(src)
	require.NoError(t, err)
	after, err := os.Stat(dst)
	require.NoError(t, err)
	require.Less(t, after.Size(), before.Size())
	require.Equal(t, fs.FileMode(0o600), after.Mode().Perm())

	require.ErrorIs(t, boltstore.Compact(src, dst), fs.ErrExist)
	require.ErrorIs(t, boltstore.Compact(filepath.Join(dir, "none"), filepath.Join(dir, "x")), fs.ErrNotExist)
}

// TestFilesOfAStoppedState: a copy and a compacted state hold what the state
// does; both are refused while a writer has it.
func TestFilesOfAStoppedState(t *testing.T) {
	tier.NotShort(t, "it waits for processes")
	t.Parallel() // it waits most of the time
	dir := t.TempDir()
	path, out := filepath.Join(dir, "anond.db"), filepath.Join(dir, "copy.db")
	_, want := makeState(t, path, 60)
	before, err := os.Stat(path)
	require.NoError(t, err)

	held := openAt(t, path, boltstore.Options{NoSync: true})
	_, err = boltstore.Open(path, boltstore.Options{Timeout: 1})
	require.ErrorIs(t, err, state.ErrLocked)
	require.ErrorIs(t, backupFile(path, out), state.ErrLocked)
	require.ErrorIs(t, boltstore.CompactFile(path, boltstore.Options{}), state.ErrLocked)
	require.NoError(t, held.Close())

	require.NoError(t, backupFile(path, out))
	require.ErrorIs(t, backupFile(path, out), fs.ErrExist)
	require.NoError(t, os.WriteFile(path+".compact", []byte("of a run that was interrupted"), 0o600))
	require.NoError(t, boltstore.CompactFile(path, boltstore.Options{}))
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, after.Size(), before.Size())
	for _, file := range []string{path, out} {
		got, err := readFile(file)
		require.NoError(t, err)
		require.Equal(t, want, got)
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{path, out}, left)
	require.ErrorIs(t, boltstore.CompactFile(filepath.Join(dir, "none"), boltstore.Options{}), fs.ErrNotExist)
	require.NoFileExists(t, filepath.Join(dir, "none"))
}

func TestCompactRefusesADamagedState(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "anond.db"), filepath.Join(dir, "small.db")
	makeState(t, src, 20)
	flipFirst(t, src, "records")
	require.ErrorIs(t, boltstore.Compact(src, dst), state.ErrCorrupt)
	left, err := filepath.Glob(dst + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestInfoCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	_, want := makeState(t, path, 40)
	got, err := boltstore.Info(path, boltstore.Options{})
	require.NoError(t, err)
	require.Equal(t, boltstore.FormatNumber, got.Format)
	require.Equal(t, "-rw-------", got.Mode)
	require.EqualValues(t, len(want.Records), got.Records)
	require.EqualValues(t, len(want.Classes), got.Classes)
	require.EqualValues(t, len(want.Positions), got.Partitions)
	require.EqualValues(t, len(want.Quarantine), got.Quarantined)
	require.EqualValues(t, len(want.Letters), got.LettersWait)
	require.Equal(t, want.LastLetter, got.LetterLast)
	newest := want.Intents[len(want.Intents)-1]
	require.Equal(t, newest.Release, got.LastRelease)
	require.Equal(t, newest.Published, got.Published)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, info.Size(), got.Bytes)
	require.Less(t, got.FreeBytes, got.Bytes)
}
