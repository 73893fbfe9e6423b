package boltstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
)

func startOver(old incremental.Meta, barred uint64, positions map[incremental.Partition]incremental.Position) (
	incremental.Meta, bool, error) {
	out := incremental.Meta{Seed: old.Seed, Seeded: old.Seeded, Read: map[incremental.Partition]int64{}}
	for p, x := range positions {
		out.Read[p] = x.Next
	}
	return out, barred == 2, nil
}

// TestReset: a state without release is replaced by an empty one that knows the
// seed, how far was read, and the number of the newest dead letter. Nothing of a
// record stays in the file.
func TestReset(t *testing.T) {
	tier.NotShort(t, "it writes many files")
	path := filepath.Join(t.TempDir(), "anond.db")
	s := openAt(t, path, fast)
	p := incremental.Partition{Source: "kafka:t", ID: 2}
	require.NoError(t, s.Commit(&incremental.Delta{
		Meta:       &incremental.Meta{Settings: map[string][32]byte{"k": {1}}, Seed: [32]byte{9}, Seeded: true, LastCut: 1},
		Counters:   &incremental.Counters{Sent: 2},
		Dictionary: []incremental.DictionaryEntry{{Attribute: 1, Text: canary}},
		Records: []*incremental.RecordBlock{
			{SA: []equivclass.Code{0}, Columns: [][]equivclass.Code{{0}}, Origin: []uint16{0}, Offset: []int64{4}}},
		Positions:   []incremental.PartitionPosition{{Partition: p, Position: incremental.Position{Next: 6, Last: 5}}},
		Barred:      []uint64{5},
		DeadLetters: []incremental.DeadLetter{{Seq: 7, Partition: p, Offset: 5, Reason: "r", Payload: []byte(canary)}},
	}))
	_, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.ErrorIs(t, err, incremental.ErrLocked)
	require.NoError(t, s.Close())
	had, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.NoError(t, err)
	require.EqualValues(t, 1, had.Records)
	require.EqualValues(t, 1, had.LettersWait)

	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, &incremental.Meta{Seed: [32]byte{9}, Seeded: true, Read: map[incremental.Partition]int64{p: 6}}, got.Meta)
	require.Empty(t, got.Records)
	require.Empty(t, got.Letters)
	require.Empty(t, got.Barred, "all is read again, and judged by what is valid then")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(data), canary)
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)

	s = openAt(t, path, fast)
	letter := incremental.DeadLetter{Seq: 7, Partition: p}
	require.ErrorIs(t, s.Commit(&incremental.Delta{DeadLetters: []incremental.DeadLetter{letter}}), incremental.ErrDelta,
		"its number was given before")
	letter.Seq = 8
	require.NoError(t, s.Commit(&incremental.Delta{DeadLetters: []incremental.DeadLetter{letter}}))
	require.NoError(t, s.Close())
}

// TestResetRefusesAReleasedState: whatever it would have removed is still there.
func TestResetRefusesAReleasedState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	_, want := makeState(t, path, 40)
	_, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.ErrorIs(t, err, incremental.ErrDecided)
	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, len(want.Records), len(got.Records))
	_, err = boltstore.ResetFile(filepath.Join(t.TempDir(), "none.db"), boltstore.Options{}, startOver)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestResetKeepsWhoIsBarred if it is told to.
func TestResetKeepsWhoIsBarred(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	s := openAt(t, path, fast)
	require.NoError(t, s.Commit(&incremental.Delta{Meta: &incremental.Meta{Seed: [32]byte{9}}, Barred: []uint64{5, 1 << 60}}))
	require.NoError(t, s.Close())
	_, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.NoError(t, err)
	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, []uint64{5, 1 << 60}, got.Barred)
}
