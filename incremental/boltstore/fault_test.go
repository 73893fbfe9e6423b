package boltstore_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/incremental/storetest"
)

const canary = "Waldemar Canary"

// makeState writes a history with values that must never appear in an error, and
// returns the models before and after the last commit.
func makeState(t testing.TB, path string, steps int) (before, after *storetest.State) {
	s := openAt(t, path, fast)
	g := storetest.NewGenerator(11, 3)
	before, after = &storetest.State{}, &storetest.State{}
	for i := range steps {
		d := g.Next()
		d.Dictionary = append(d.Dictionary, state.DictionaryEntry{Attribute: 1, Text: canary})
		require.NoError(t, s.Commit(d))
		if i < steps-1 {
			before.Apply(d)
		}
		after.Apply(d)
	}
	require.NoError(t, s.Close())
	return before, after
}

// change edits the values of a bucket behind the store's back.
func change(t *testing.T, path, bucket string, edit func(b *bolt.Bucket) error) {
	db, err := bolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bolt.Tx) error { return edit(tx.Bucket([]byte(bucket))) }))
	require.NoError(t, db.Close())
}

// flipFirst flips a bit in the middle of the first value of a bucket.
func flipFirst(t *testing.T, path, bucket string) {
	change(t, path, bucket, func(b *bolt.Bucket) error {
		key, value := b.Cursor().First()
		require.NotNil(t, key, "the state has nothing in this bucket")
		broken := bytes.Clone(value)
		broken[len(broken)/2] ^= 0x10
		return b.Put(bytes.Clone(key), broken)
	})
}

// TestFlippedByteIsSeen flips a byte in the middle of the first value of each
// bucket: Check must name the bucket, Load must fail, and neither shows a value.
func TestFlippedByteIsSeen(t *testing.T) {
	for _, bucket := range []string{
		"meta", "dictionary", "records", "classes", "deaths", "pure", "quarantine", "intents", "positions", "outbox",
		"attempts"} {
		t.Run(bucket, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "anond.db")
			makeState(t, path, 40)
			flipFirst(t, path, bucket)
			requireDamage(t, path, bucket+", key ")
		})
	}
}

// TestLostKeyIsSeen removes the last key of each bucket, as a page lost by the
// medium would.
func TestLostKeyIsSeen(t *testing.T) {
	for _, bucket := range []string{"dictionary", "records", "classes", "deaths", "pure", "quarantine", "intents", "positions", "outbox",
		"attempts"} {
		t.Run(bucket, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "anond.db")
			makeState(t, path, 40)
			change(t, path, bucket, func(b *bolt.Bucket) error {
				key, _ := b.Cursor().Last()
				return b.Delete(bytes.Clone(key))
			})
			requireDamage(t, path, bucket)
		})
	}
}

// TestFlippedKeyIsSeen turns a bit of each key of the head: what it held must not be
// taken for something that was never written.
func TestFlippedKeyIsSeen(t *testing.T) {
	for _, name := range []string{"format", "meta", "counters", "ends"} {
		path := filepath.Join(t.TempDir(), "anond.db")
		makeState(t, path, 40)
		change(t, path, "meta", func(b *bolt.Bucket) error {
			value := bytes.Clone(b.Get([]byte(name)))
			require.NotNil(t, value, name)
			other := []byte(name)
			other[len(other)/2] ^= 1
			return errors.Join(b.Delete([]byte(name)), b.Put(other, value))
		})
		requireDamage(t, path, "meta, key ")
	}
}

// TestMovedValueIsSeen swaps two values with sound contents: the checksum covers
// the key.
func TestMovedValueIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	makeState(t, path, 40)
	change(t, path, "intents", func(b *bolt.Bucket) error {
		c := b.Cursor()
		k1, v1 := c.First()
		k2, v2 := c.Next()
		k1, v1, k2, v2 = bytes.Clone(k1), bytes.Clone(v1), bytes.Clone(k2), bytes.Clone(v2)
		return errors.Join(b.Put(k1, v2), b.Put(k2, v1))
	})
	requireDamage(t, path, "intents, key 00000001")
}

func requireDamage(t *testing.T, path, bucket string) {
	t.Helper()
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, faults)
	named := false
	for _, f := range faults {
		named = named || bytes.Contains([]byte(f), []byte("bucket "+bucket))
		require.NotContains(t, f, canary)
	}
	require.True(t, named, "no fault names the bucket: %q", faults)

	s, err := boltstore.Open(path, fast)
	if err == nil {
		_, err = storetest.Read(s)
		require.NoError(t, s.Close())
	}
	require.ErrorIs(t, err, state.ErrCorrupt)
	require.ErrorContains(t, err, "bucket "+bucket)
	require.NotContains(t, err.Error(), canary)
}

// TestAnyFlippedByte flips bytes anywhere in the file, page headers included.
// What is read is then the state, the state one commit earlier (bbolt falls back
// to its other meta page), or ErrCorrupt; never a crash, never another state.
func TestAnyFlippedByte(t *testing.T) {
	const seed = 4
	flips := tier.Of(t, 50, 50, 150)
	dir := t.TempDir()
	path := filepath.Join(dir, "anond.db")
	before, after := makeState(t, path, 12)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed, seed))
	damaged := 0
	for i := range flips {
		content := bytes.Clone(sound)
		at := random.IntN(len(content))
		if i%2 == 0 { // page headers and their elements, where a flip does most
			at = at&^4095 + random.IntN(128)
		}
		content[at] ^= byte(1 << random.IntN(8))
		broken := filepath.Join(dir, "broken.db")
		require.NoError(t, os.WriteFile(broken, content, 0o600))
		got, err := readFile(broken)
		faults, checkErr := boltstore.Check(broken, boltstore.Options{})
		require.NoError(t, checkErr)
		if err != nil {
			damaged++
			require.ErrorIs(t, err, state.ErrCorrupt, "seed %d, byte %d", seed, at)
			require.NotContains(t, err.Error(), canary)
			require.NotEmpty(t, faults, "byte %d: load fails with %v, check sees nothing", at, err)
			continue
		}
		want := after
		if got.Counters.Sent == before.Counters.Sent {
			want = before
		}
		require.Equal(t, want, got, "seed %d, byte %d", seed, at)
	}
	require.Greater(t, damaged, flips/10, "the test hits the content")
}

func readFile(path string) (*storetest.State, error) {
	s, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	got, err := storetest.Read(s)
	return got, errors.Join(err, s.Close())
}

// TestADamagedStateIsNotHeld: a process that could not open a damaged state opens the
// copy that replaces it.
func TestADamagedStateIsNotHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	makeState(t, path, 40)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	broken := 0
	for page := 2; page < len(sound)/4096; page++ {
		content := bytes.Clone(sound)
		content[page*4096+8] ^= 0xff // what kind of page it is
		require.NoError(t, os.WriteFile(path, content, 0o600))
		if s, err := boltstore.Open(path, fast); err == nil {
			require.NoError(t, s.Close())
		} else {
			require.ErrorIs(t, err, state.ErrCorrupt, "page %d", page)
			broken++
		}
		require.NoError(t, os.WriteFile(path, sound, 0o600))
		require.NoError(t, openAt(t, path, boltstore.Options{NoSync: true, Timeout: 10 * time.Millisecond}).Close(), "page %d", page)
	}
	require.NotZero(t, broken, "no page stops Open")
}

// TestMixedPages reads files whose pages are partly those of an earlier state, as a disk
// leaves them that did not keep the order of writes: some lead back to themselves. What
// is read is a state that was, or damage, and it ends.
func TestMixedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	for seed := range uint64(tier.Of(t, 1, 2, 10)) {
		require.NoError(t, os.RemoveAll(path))
		images := history(t, path, seed)
		random := rand.New(rand.NewPCG(seed, 9))
		for range 60 {
			now, mixed := images[15+random.IntN(10)], bytes.Clone(images[11+random.IntN(3)])
			for at := 0; at+4096 <= len(now); at += 4096 {
				if random.IntN(3) > 0 {
					mixed = append(mixed, make([]byte, max(0, at+4096-len(mixed)))...)
					copy(mixed[at:], now[at:at+4096])
				}
			}
			require.NoError(t, os.WriteFile(path, mixed, 0o600))
			if _, err := readFile(path); err != nil {
				require.ErrorIs(t, err, state.ErrCorrupt)
			}
			_, err := boltstore.Check(path, boltstore.Options{})
			require.NoError(t, err)
		}
	}
}

// history returns the file after each of 25 commits.
func history(t *testing.T, path string, seed uint64) (images [][]byte) {
	s, g := openAt(t, path, fast), storetest.NewGenerator(seed, 3)
	for range 25 {
		require.NoError(t, s.Commit(g.Next()))
		image, err := os.ReadFile(path)
		require.NoError(t, err)
		images = append(images, image)
	}
	require.NoError(t, s.Close())
	return images
}

func TestShortenedFileIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	makeState(t, path, 40)
	info, err := os.Stat(path)
	require.NoError(t, err)
	for _, size := range []int64{info.Size() / 2, 20_000, 8192, 5000, 100} {
		require.NoError(t, os.Truncate(path, size))
		_, err := readFile(path)
		require.ErrorIs(t, err, state.ErrCorrupt, "%d bytes left", size)
		faults, err := boltstore.Check(path, boltstore.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, faults)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, bytes.Repeat([]byte(canary), 1000), 0o600))
	_, err := boltstore.Open(text, fast)
	require.ErrorIs(t, err, state.ErrCorrupt)
	require.NotContains(t, err.Error(), canary)

	other := filepath.Join(dir, "other.db")
	db, err := bolt.Open(other, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte(canary)); return err }))
	require.NoError(t, db.Close())
	_, err = boltstore.Open(other, fast)
	require.ErrorIs(t, err, state.ErrCorrupt)
	require.NotContains(t, err.Error(), canary)
}

func TestFileAndDirectoryAreTheOwners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "anond.db")
	require.NoError(t, openAt(t, path, boltstore.Options{}).Close())
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
}

func TestReadOnlyNeedsAState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	_, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, nil, 0o600)) // created, then killed
	_, err = boltstore.Open(path, boltstore.Options{ReadOnly: true})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, openAt(t, path, fast).Close(), "a daemon goes on from there")

	s := openAt(t, path, boltstore.Options{ReadOnly: true})
	require.Error(t, s.Commit(&state.Delta{Counters: &state.Counters{}}))
	second := openAt(t, path, boltstore.Options{ReadOnly: true})
	require.NoError(t, errors.Join(s.Close(), second.Close()), "readers share the lock")
}

// TestMaxBytes fills a bounded state: the commit that does not fit leaves
// nothing, what is there stays readable, and a small commit may still fit.
func TestMaxBytes(t *testing.T) {
	tier.NotShort(t, "it fills a file")
	const limit = 6 << 20
	path := filepath.Join(t.TempDir(), "anond.db")
	s := openAt(t, path, boltstore.Options{NoSync: true, MaxBytes: limit})
	want, random := &storetest.State{}, rand.New(rand.NewPCG(1, 1))
	var err error
	var d *state.Delta
	for at := 0; err == nil; at += 20_000 {
		d = &state.Delta{Records: []*state.RecordBlock{benchBlock(random, at, 20_000)},
			Counters: &state.Counters{Sent: uint64(at)}, Positions: benchPositions(at + 20_000)}
		if err = s.Commit(d); err == nil {
			want.Apply(d)
		}
	}
	require.ErrorIs(t, err, state.ErrQuota)
	require.ErrorIs(t, err, state.ErrNoSpace)
	require.NotEmpty(t, want.Records)
	got, err := storetest.Read(s)
	require.NoError(t, err)
	require.Equal(t, want, got)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(limit))

	left, limited := s.Room()
	require.True(t, limited)
	require.Positive(t, left, "it is the commit that is too large")
	s.SetMaxBytes(limit / 2)
	left, _ = s.Room()
	require.Negative(t, left)
	s.SetMaxBytes(limit)

	small := &state.Delta{Counters: &state.Counters{Sent: 7, Refused: map[equivclass.Reason]uint64{}}}
	require.NoError(t, s.Commit(small))
	want.Apply(small)
	s.SetMaxBytes(2 * limit)
	require.NoError(t, s.Commit(d), "with more room the same commit succeeds")
	want.Apply(d)
	require.NoError(t, s.Close())
	got, err = readFile(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)
}

// TestLockNamesItsHolder lets a child process hold the state.
func TestLockNamesItsHolder(t *testing.T) {
	tier.NotShort(t, "it waits for a lock")
	t.Parallel() // it waits most of the time
	path := filepath.Join(t.TempDir(), "anond.db")
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), "BOLTSTORE_CHILD=hold", "BOLTSTORE_PATH="+path)
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	_, err = stdout.Read(make([]byte, 1)) // it has the lock
	require.NoError(t, err)
	for _, readOnly := range []bool{false, true} {
		_, err = boltstore.Open(path, boltstore.Options{Timeout: time.Millisecond, ReadOnly: readOnly})
		require.ErrorIs(t, err, state.ErrLocked)
		if pid := holderText(child.Process.Pid); pid != "" {
			require.ErrorContains(t, err, pid)
		}
	}
	_, err = boltstore.Check(path, boltstore.Options{})
	require.ErrorIs(t, err, state.ErrLocked, "a check that cannot be made is no fault")
	require.NoError(t, stdin.Close())
	require.NoError(t, child.Wait())
	require.NoError(t, openAt(t, path, fast).Close())
}
