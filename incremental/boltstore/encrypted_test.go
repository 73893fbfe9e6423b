package boltstore_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/incremental/storetest"
	"anond/internal/sealed"
)

func keyOf(t testing.TB, digit string) sealed.Key {
	k, err := sealed.ParseKey(strings.Repeat(digit, 2*sealed.KeyBytes))
	require.NoError(t, err)
	return k
}

func under(k sealed.Key) boltstore.Options { return boltstore.Options{NoSync: true, Key: k} }

// makeEncrypted writes an encrypted state of some deltas.
func makeEncrypted(t testing.TB, path string, k sealed.Key, seed uint64, steps int) *storetest.State {
	g, want := storetest.NewGenerator(seed, 3), &storetest.State{}
	s := openAt(t, path, under(k))
	for range steps {
		d := g.Next()
		require.NoError(t, s.Commit(d))
		want.Apply(d)
	}
	require.NoError(t, s.Close())
	return want
}

func readUnder(path string, k sealed.Key) (*storetest.State, error) {
	o := under(k)
	o.ReadOnly = true
	s, err := boltstore.Open(path, o)
	if err != nil {
		return nil, err
	}
	got, err := storetest.Read(s)
	return got, errors.Join(err, s.Close())
}

// TestKeyAndStateBelongTogether: no key, another key, and a key for a state in clear
// are each named, and nothing is changed.
func TestKeyAndStateBelongTogether(t *testing.T) {
	path, k := filepath.Join(t.TempDir(), "anond.db"), keyOf(t, "a")
	want := makeEncrypted(t, path, k, 5, 12)
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	_, err = boltstore.Open(path, fast)
	require.ErrorIs(t, err, sealed.ErrNoKey)
	assert.Contains(t, err.Error(), k.ID())
	_, err = boltstore.Open(path, under(keyOf(t, "b")))
	require.ErrorIs(t, err, sealed.ErrWrongKey)
	for _, check := range []boltstore.Options{{}, {Key: keyOf(t, "b")}} {
		_, err = boltstore.Check(path, check)
		require.Error(t, err)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))

	info, err := boltstore.Info(path, under(k))
	require.NoError(t, err)
	assert.Equal(t, boltstore.FormatNumber, info.Format)
	assert.Equal(t, k.ID(), info.KeyID)
	got, err := readUnder(path, k)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	clear := filepath.Join(t.TempDir(), "anond.db")
	makeState(t, clear, 4)
	_, err = boltstore.Open(clear, under(k))
	require.ErrorIs(t, err, sealed.ErrNotEncrypted)
}

// TestNothingStandsInClear looks for a person's value, a reason and a name of a source
// in the bytes of an encrypted file, of its backup and of its compacted copy.
func TestNothingStandsInClear(t *testing.T) {
	dir, k := t.TempDir(), keyOf(t, "a")
	path, out := filepath.Join(dir, "anond.db"), filepath.Join(dir, "copy.db")
	d := func() *state.Delta {
		p := state.Partition{Source: "kafka:" + canary}
		return &state.Delta{
			Meta:        &state.Meta{Settings: map[string][32]byte{canary: {}}, InitialEnds: map[state.Partition]int64{p: 7}},
			Counters:    &state.Counters{Sent: 1},
			Dictionary:  []state.DictionaryEntry{{Attribute: 1, Text: canary}},
			Positions:   []state.PartitionPosition{{Partition: p, Position: state.Position{Next: 3, Last: 2}}},
			DeadLetters: []state.DeadLetter{{Seq: 1, Partition: p, Reason: canary, Attribute: canary, Payload: []byte(canary)}},
		}
	}
	for _, key := range []sealed.Key{k, {}} { // in clear it is there, so the search finds what there is
		require.NoError(t, errors.Join(os.RemoveAll(path), os.RemoveAll(out)))
		s := openAt(t, path, under(key))
		require.NoError(t, s.Commit(d()))
		require.NoError(t, s.Close())
		_, err := boltstore.BackupFile(t.Context(), path, out, under(key))
		require.NoError(t, err)
		require.NoError(t, boltstore.CompactFile(path, under(key)))
		for _, file := range []string{path, out} {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, !key.Set(), bytes.Contains(content, []byte(canary)), file)
		}
	}
}

// TestRekey: in clear, encrypted, under another key and in clear again, the content is
// the same, and nothing of the file before is left.
func TestRekey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	a, b, none := keyOf(t, "a"), keyOf(t, "b"), sealed.Key{}
	_, want := makeState(t, path, 40)
	for _, step := range []struct{ from, to sealed.Key }{{none, a}, {a, b}, {b, b}, {b, none}} {
		require.NoError(t, boltstore.RekeyFile(path, under(step.from), step.to))
		got, err := readUnder(path, step.to)
		require.NoError(t, err)
		require.Equal(t, want, got)
		faults, err := boltstore.Check(path, under(step.to))
		require.NoError(t, err)
		require.Empty(t, faults)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, !step.to.Set(), bytes.Contains(content, []byte(canary)))
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		require.NoError(t, err)
		require.Equal(t, []string{path}, left)
	}
	require.Error(t, boltstore.RekeyFile(path, under(a), b), "it is in clear")
	require.ErrorIs(t, boltstore.RekeyFile(path+"x", under(a), b), fs.ErrNotExist)

	s := openAt(t, path, fast)
	g := storetest.NewGenerator(11, 3)
	for range 40 {
		g.Next()
	}
	require.NoError(t, s.Commit(g.Next()), "the daemon goes on in it")
	require.NoError(t, s.Close())
}

// TestTamperedValueIsSeen: each value of an encrypted state, changed, cut off, emptied
// or taken from another state under the same key, is found by loading and by Check.
func TestTamperedValueIsSeen(t *testing.T) {
	dir, k := t.TempDir(), keyOf(t, "a")
	path, twin := filepath.Join(dir, "anond.db"), filepath.Join(dir, "twin.db")
	makeEncrypted(t, path, k, 5, 25)
	makeEncrypted(t, twin, k, 5, 25)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	for bucket, values := range valuesOf(t, twin) {
		if len(values) == 0 {
			continue
		}
		for name, damage := range map[string]func(value, other []byte) []byte{
			"changed": func(value, _ []byte) []byte { value[len(value)/2] ^= 4; return value },
			"cut":     func(value, _ []byte) []byte { return value[:len(value)-1] },
			"emptied": func([]byte, []byte) []byte { return []byte{} },
			"foreign": func(_, other []byte) []byte { return other },
		} {
			require.NoError(t, os.WriteFile(path, sound, 0o600))
			change(t, path, bucket, func(b *bolt.Bucket) error {
				key, value := b.Cursor().First()
				if bucket == "meta" {
					key = []byte("meta")
					value = b.Get(key)
				}
				return b.Put(bytes.Clone(key), damage(bytes.Clone(value), values[string(key)]))
			})
			faults, err := boltstore.Check(path, under(k))
			require.NoError(t, err, "%s %s", bucket, name)
			require.NotEmpty(t, faults, "%s %s", bucket, name)
			if bucket == "outbox" {
				continue // its content is read when it is delivered
			}
			_, err = readUnder(path, k)
			require.ErrorIs(t, err, state.ErrCorrupt, "%s %s", bucket, name)
			require.ErrorContains(t, err, "bucket "+bucket)
		}
	}
}

func valuesOf(t *testing.T, path string) map[string]map[string][]byte {
	db, err := bolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	defer db.Close()
	out := map[string]map[string][]byte{}
	require.NoError(t, db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			out[string(name)] = map[string][]byte{}
			return b.ForEach(func(key, value []byte) error {
				out[string(name)][string(key)] = bytes.Clone(value)
				return nil
			})
		})
	}))
	return out
}

// TestCipherCannotBeRemoved: a file without its wrapped key, or with one and the format
// of a file in clear, is damaged.
func TestCipherCannotBeRemoved(t *testing.T) {
	path, k := filepath.Join(t.TempDir(), "anond.db"), keyOf(t, "a")
	makeEncrypted(t, path, k, 5, 3)
	change(t, path, "meta", func(b *bolt.Bucket) error { return b.Delete([]byte("cipher")) })
	for _, o := range []boltstore.Options{fast, under(k)} {
		_, err := boltstore.Open(path, o)
		require.ErrorIs(t, err, state.ErrCorrupt)
		require.ErrorContains(t, err, "key format")
	}
}

// BenchmarkEncrypted compares a state in clear with an encrypted one, without fsync, so
// that nothing hides the cost: ns a record of commits of ten thousand, ns of a commit of
// one, ns a record of loading.
func BenchmarkEncrypted(b *testing.B) {
	for name, k := range map[string]sealed.Key{"clear": {}, "encrypted": keyOf(b, "a")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				path := filepath.Join(b.TempDir(), "anond.db")
				s := openAt(b, path, under(k))
				began := time.Now()
				fillState(b, s, 1_000_000)
				b.ReportMetric(float64(time.Since(began).Nanoseconds())/1e6, "fill-ns/record")
				block := benchBlock(rand.New(rand.NewPCG(2, 2)), 0, 1)
				began = time.Now()
				for i := range 5000 {
					block.First = state.RecordID(1_000_000 + i)
					require.NoError(b, s.Commit(&state.Delta{Records: []*state.RecordBlock{block}, Positions: benchPositions(i)}))
				}
				b.ReportMetric(float64(time.Since(began).Nanoseconds())/5000, "one-ns")
				require.NoError(b, s.Close())
				began = time.Now()
				s = openAt(b, path, under(k))
				require.Equal(b, 1_005_000, countRecords(b, s))
				b.ReportMetric(float64(time.Since(began).Nanoseconds())/1e6, "load-ns/record")
				require.NoError(b, s.Close())
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
