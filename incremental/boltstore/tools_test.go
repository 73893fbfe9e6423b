package boltstore_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/storetest"
)

var rewrite = flag.Bool("rewrite", false, "write the golden state and its content anew; explain the difference when committing it")

// golden are the deltas of the golden state: a seed was chosen whose history is
// small and holds every kind of content.
func golden() (out []*incremental.Delta) {
	g := storetest.NewGenerator(83, 2)
	for range 8 {
		out = append(out, g.Next())
	}
	return out
}

// TestGoldenStateStaysReadable reads a file that an earlier version wrote. If it
// fails, states in the field cannot be read either: write a new format version
// rather than the golden file.
func TestGoldenStateStaysReadable(t *testing.T) {
	for _, format := range []string{"format1", "format2", "format3", "format4"} {
		t.Run(format, func(t *testing.T) { staysReadable(t, format, *rewrite && format == "format4") })
	}
}

func staysReadable(t *testing.T, format string, rewrite bool) {
	packed, dump := filepath.Join("testdata", format+".db.gz"), filepath.Join("testdata", format+".txt")
	if rewrite {
		writeGolden(t, packed, dump)
	}
	path := filepath.Join(t.TempDir(), "anond.db")
	require.NoError(t, os.WriteFile(path, unpackFile(t, packed), 0o600))
	got, err := readFile(path)
	require.NoError(t, err)
	want, err := os.ReadFile(dump)
	require.NoError(t, err)
	require.Equal(t, string(want), string(dumpState(t, got)))
	require.NotEmpty(t, got.Records)
	require.NotEmpty(t, got.Classes)
	require.NotEmpty(t, got.Letters)
	require.Equal(t, format != "format1", got.Meta.References != nil)
	require.Equal(t, format >= "format3", got.Meta.Hierarchies != nil && got.Meta.Read != nil)
	bucketed := slices.ContainsFunc(got.Classes, func(c incremental.Class) bool { return c.Bucket != 0 })
	require.Equal(t, format >= "format4", !reflect.DeepEqual(got.Meta.Pools, incremental.Pools{}) && bucketed)
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)

	s := openAt(t, path, fast) // and it can be continued
	require.NoError(t, s.Commit(&incremental.Delta{Counters: &incremental.Counters{Sent: 1}}))
	require.NoError(t, s.Close())
}

func writeGolden(t *testing.T, packed, dump string) {
	path := filepath.Join(t.TempDir(), "anond.db")
	s := openAt(t, path, fast)
	for _, d := range golden() {
		require.NoError(t, s.Commit(d))
	}
	got, err := storetest.Read(s)
	require.NoError(t, err)
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err = s.BackupTo(t.Context(), copied)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	packFile(t, copied, packed)
	require.NoError(t, os.WriteFile(dump, dumpState(t, got), 0o644))
}

// goldenState is a copy of a packed state in testdata, which write makes anew with -rewrite.
func goldenState(t *testing.T, name string, write func(path string)) string {
	t.Helper()
	packed, path := filepath.Join("testdata", name), filepath.Join(t.TempDir(), "anond.db")
	if *rewrite {
		write(path)
		packFile(t, path, packed)
	}
	require.NoError(t, os.WriteFile(path, unpackFile(t, packed), 0o600))
	return path
}

func packFile(t *testing.T, path, packed string) {
	t.Helper()
	plain, err := os.ReadFile(path)
	require.NoError(t, err)
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	_, err = w.Write(plain)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(packed, small.Bytes(), 0o644))
}

func unpackFile(t *testing.T, name string) []byte {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	return content
}

// dumpState prints all that a state holds, a line for each thing. What earlier formats
// did not know is left out where it is zero.
func dumpState(t *testing.T, s *storetest.State) []byte {
	// JSON cannot print the ends in meta, which are keyed by a struct; fmt
	// prints them in order.
	out := fmt.Appendf(nil, "meta %+v\n", *s.Meta)
	line := func(name string, v any) {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		out = fmt.Appendf(out, "%s %s\n", name, text)
	}
	line("counters", s.Counters)
	line("dictionary", s.Dictionary)
	for _, x := range s.Records {
		line("record", x)
	}
	for _, x := range s.Classes {
		line("class", x)
	}
	for _, x := range s.Intents {
		line("intent", x)
	}
	line("positions", s.Positions)
	line("quarantine", s.Quarantine)
	line("last letter", s.LastLetter)
	line("letters", s.Letters)
	out = bytes.Replace(out, []byte(" RefusedL:0"), nil, 1) // younger than the golden file
	out = bytes.Replace(out, []byte(" RefusedUnder:[]"), nil, 1)
	out = bytes.Replace(out, []byte(" Partitions:0"), nil, 1)
	out = bytes.Replace(out, []byte(" Pools:{Decided:0 First:0 Refused:false Grown:false}"), nil, 1)
	return bytes.ReplaceAll(out, []byte(`"Bucket":0,`), nil)
}

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
	require.ErrorIs(t, err, incremental.ErrLocked)
	require.ErrorIs(t, backupFile(path, out), incremental.ErrLocked)
	require.ErrorIs(t, boltstore.CompactFile(path, boltstore.Options{}), incremental.ErrLocked)
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
	require.ErrorIs(t, boltstore.Compact(src, dst), incremental.ErrCorrupt)
	left, err := filepath.Glob(dst + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestInfoCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	_, want := makeState(t, path, 40)
	got, err := boltstore.Info(path, boltstore.Options{})
	require.NoError(t, err)
	require.Equal(t, 7, got.Format) // the history is that of a shard
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
