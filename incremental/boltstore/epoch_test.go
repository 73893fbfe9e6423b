package boltstore_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/sealed"
)

// earlierPeople are some thousands, so that there are several blocks.
func earlierPeople(n int) []incremental.EarlierPerson {
	rng, out := rand.New(rand.NewPCG(5, 5)), []incremental.EarlierPerson(nil)
	for range n {
		out = append(out, incremental.EarlierPerson{Subject: rng.Uint64(), Home: uint16(rng.IntN(2)), Partition: int32(rng.IntN(9) - 1)})
	}
	return incremental.Distinct(out)
}

func secondEpoch() *incremental.Epoch {
	return &incremental.Epoch{Number: 3, Partitions: 12, Settings: map[string][32]byte{},
		Chains: []incremental.Chain{{Epoch: 1, Of: 1, Release: 4, Manifest: [32]byte{1}}, {Epoch: 2, Shard: 1, Of: 2}},
		Left:   []incremental.ForgottenBefore{{Key: [32]byte{2}, People: []incremental.Digest{{3}, {4}}}}}
}

func begins(t *testing.T, path string, key sealed.Key, people []incremental.EarlierPerson) {
	t.Helper()
	require.NoError(t, boltstore.BeginEpoch(t.Context(), path, key, secondEpoch(), func(yield func(incremental.EarlierPerson, error) bool) {
		for _, p := range people {
			if !yield(p, nil) {
				return
			}
		}
	}))
}

func knows(t *testing.T, path string, o boltstore.Options, people []incremental.EarlierPerson) {
	t.Helper()
	info, err := boltstore.Info(path, boltstore.Options{Key: o.Key})
	require.NoError(t, err)
	require.Equal(t, 9, info.Format)
	require.Equal(t, 3, info.Epoch)
	require.Equal(t, uint64(len(people)), info.Earlier)
	s := openAt(t, path, o)
	var have []incremental.EarlierPerson
	var e *incremental.Epoch
	c := incremental.NewCensus()
	v := c.Visitor()
	v.Records = func(*incremental.RecordBlock) error { return nil }
	v.Class = func(*incremental.Class) error { return nil }
	v.Epoch = func(x *incremental.Epoch) error { e = x; return nil }
	v.Earlier = func(p []incremental.EarlierPerson) error { have = append(have, p...); return nil }
	require.NoError(t, s.Load(v))
	want := secondEpoch()
	want.People = uint64(len(people))
	require.Equal(t, want, e)
	require.Equal(t, people, have)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	require.Equal(t, 3, m.EpochNumber())
	require.Equal(t, 12, m.Partitions())
	require.NoError(t, s.Close())
	faults, err := boltstore.Check(path, boltstore.Options{Key: o.Key})
	require.NoError(t, err)
	require.Empty(t, faults)
}

// TestEpochStaysInAState: what a state knows of earlier epochs is there in whatever the file is written anew for:
// an erasure, a compaction, another key, a reset, a backup.
func TestEpochStaysInAState(t *testing.T) {
	people := earlierPeople(5000)
	path := filepath.Join(t.TempDir(), "anond.db")
	begins(t, path, sealed.Key{}, people)
	knows(t, path, fast, people)
	s := openAt(t, path, fast)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	feed(t, m, 0, 10)
	require.NoError(t, s.Close())
	require.NoError(t, forgets(t, path, fast, "p3"))
	knows(t, path, fast, people)
	require.NoError(t, boltstore.CompactFile(path, fast))
	knows(t, path, fast, people)
	key, err := sealed.NewKey(rand.NewChaCha8([32]byte{1}))
	require.NoError(t, err)
	require.NoError(t, boltstore.RekeyFile(path, fast, key))
	under := fast
	under.Key = key
	knows(t, path, under, people)
	copied := path + ".copy"
	_, err = boltstore.BackupFile(t.Context(), path, copied, under)
	require.NoError(t, err)
	knows(t, copied, under, people)
	type positions = map[incremental.Partition]incremental.Position
	_, err = boltstore.ResetFile(path, under, func(incremental.Meta, positions) (incremental.Meta, error) { return incremental.Meta{}, nil })
	require.NoError(t, err)
	knows(t, path, under, people)
}

// TestClosedStateTakesNothing: but the erasure of people goes on, and the mark stays.
func TestClosedStateTakesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	s := openAt(t, path, fast)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	feed(t, m, 0, 10)
	require.NoError(t, s.CloseEpoch())
	require.NoError(t, s.CloseEpoch(), "again")
	_, err = m.Apply(incremental.Partition{Source: "other"}, 0, equivclass.Row{[]byte("p11"), []byte("30"), []byte("illness-1")})
	require.NoError(t, err)
	require.ErrorIs(t, m.Commit(), incremental.ErrClosed)
	require.NoError(t, s.Close())
	require.NoError(t, forgets(t, path, fast, "p3"))
	require.NoError(t, boltstore.CompactFile(path, fast))
	type positions = map[incremental.Partition]incremental.Position
	_, err = boltstore.ResetFile(path, fast, func(incremental.Meta, positions) (incremental.Meta, error) { return incremental.Meta{}, nil })
	require.ErrorIs(t, err, incremental.ErrClosed)
	s = openAt(t, path, fast)
	closed, err := s.Closed()
	require.NoError(t, err)
	require.True(t, closed)
	require.NoError(t, s.Close())
	info, err := boltstore.Info(path, boltstore.Options{})
	require.NoError(t, err)
	require.True(t, info.Closed)
	require.Equal(t, 9, info.Format)
}

// TestHandoverIsNoState: it is read as what it is, whole or not at all, and no machine opens it.
func TestHandoverIsNoState(t *testing.T) {
	people, path := earlierPeople(3000), filepath.Join(t.TempDir(), "handover.db")
	people[7].Waiting = true
	h := &incremental.Handover{Epoch: *secondEpoch(), Dataset: "town", Keys: [32]byte{8}, Topic: 6, Blind: true, Waiting: 1}
	require.NoError(t, boltstore.WriteHandover(t.Context(), path, sealed.Key{}, h, people))
	require.ErrorIs(t, boltstore.WriteHandover(t.Context(), path, sealed.Key{}, h, people), fs.ErrExist)
	have, err := boltstore.OpenHandover(path, sealed.Key{})
	require.NoError(t, err)
	h.People = uint64(len(people))
	require.Equal(t, *h, have.Handover)
	var list []incremental.EarlierPerson
	for p, err := range have.People() {
		require.NoError(t, err)
		list = append(list, p)
	}
	require.Equal(t, people, list)
	require.NoError(t, have.Close())
	s := openAt(t, path, fast)
	_, err = incremental.Open(s, town(t))
	require.ErrorIs(t, err, boltstore.ErrHandover)
	require.NoError(t, s.Close())

	state := filepath.Join(t.TempDir(), "anond.db")
	require.NoError(t, openAt(t, state, fast).Close())
	_, err = boltstore.OpenHandover(state, sealed.Key{})
	require.ErrorContains(t, err, "not what anond epoch close has written")
}

// TestBeginningIsWholeOrNot: where the people end in an error, or out of order, there is no state.
func TestBeginningIsWholeOrNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	gone := errors.New("the file is gone")
	people := earlierPeople(2000)
	ending := func(yield func(incremental.EarlierPerson, error) bool) {
		for _, p := range people {
			if !yield(p, nil) {
				return
			}
		}
		yield(incremental.EarlierPerson{}, gone)
	}
	err := boltstore.BeginEpoch(t.Context(), path, sealed.Key{}, secondEpoch(), ending)
	require.ErrorIs(t, err, gone)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Empty(t, left)
	people[3], people[4] = people[4], people[3]
	begun := boltstore.BeginEpoch(t.Context(), path, sealed.Key{}, secondEpoch(), func(yield func(incremental.EarlierPerson, error) bool) {
		for _, p := range people {
			if !yield(p, nil) {
				return
			}
		}
	})
	require.ErrorIs(t, begun, incremental.ErrCorrupt)
	require.NoFileExists(t, path)
}

// TestGoldenEpochState reads a state of format 9 that was written when that format was new.
func TestGoldenEpochState(t *testing.T) {
	path := goldenState(t, "format9.db.gz", func(path string) { begins(t, path, sealed.Key{}, earlierPeople(40)) })
	knows(t, path, fast, earlierPeople(40))
}
