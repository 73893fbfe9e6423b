package boltstore_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/boltstore"
	"anond/incremental/state"
)

func startOver(old state.Meta, barred int, positions map[state.Partition]state.Position) (
	state.Meta, bool, error) {
	out := state.Meta{Seed: old.Seed, Seeded: old.Seeded, Read: map[state.Partition]int64{}}
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
	p := state.Partition{Source: "kafka:t", ID: 2}
	require.NoError(t, s.Commit(&state.Delta{
		Meta:       &state.Meta{Settings: map[string][32]byte{"k": {1}}, Seed: [32]byte{9}, Seeded: true, LastCut: 1},
		Counters:   &state.Counters{Sent: 2},
		Dictionary: []state.DictionaryEntry{{Attribute: 1, Text: canary}},
		Records: []*state.RecordBlock{
			{Columns: [][]equivclass.Code{{0}}, Origin: []uint16{0}, Offset: []int64{4}}},
		Positions:   []state.PartitionPosition{{Partition: p, Position: state.Position{Next: 6, Last: 5}}},
		Known:       []state.Known{state.Know(state.Person{5}, state.Barred)},
		DeadLetters: []state.DeadLetter{{Seq: 7, Partition: p, Offset: 5, Reason: "r", Payload: []byte(canary)}},
	}))
	_, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.ErrorIs(t, err, state.ErrLocked)
	require.NoError(t, s.Close())
	had, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.NoError(t, err)
	require.EqualValues(t, 1, had.Records)
	require.EqualValues(t, 1, had.LettersWait)

	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, &state.Meta{Seed: [32]byte{9}, Seeded: true, Read: map[state.Partition]int64{p: 6}}, got.Meta)
	require.Empty(t, got.Records)
	require.Empty(t, got.Letters)
	require.Empty(t, got.Known, "all is read again, and judged by what is valid then")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(data), canary)
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)

	s = openAt(t, path, fast)
	letter := state.DeadLetter{Seq: 7, Partition: p}
	require.ErrorIs(t, s.Commit(&state.Delta{DeadLetters: []state.DeadLetter{letter}}), state.ErrDelta,
		"its number was given before")
	letter.Seq = 8
	require.NoError(t, s.Commit(&state.Delta{DeadLetters: []state.DeadLetter{letter}}))
	require.NoError(t, s.Close())
}

// TestResetRefusesAReleasedState: whatever it would have removed is still there.
func TestResetRefusesAReleasedState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	_, want := makeState(t, path, 40)
	_, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.ErrorIs(t, err, state.ErrDecided)
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
	require.NoError(t, s.Commit(&state.Delta{Meta: &state.Meta{Seed: [32]byte{9}}, Known: []state.Known{
		state.Know(state.Person{5}, state.Barred), state.Know(state.Person{6}, state.Forgotten),
		state.Know(state.Person{7}, state.Barred|state.Forgotten)}}))
	require.NoError(t, s.Close())
	_, err := boltstore.ResetFile(path, boltstore.Options{}, startOver)
	require.NoError(t, err)
	got, err := readFile(path)
	require.NoError(t, err)
	require.Equal(t, []state.Known{state.Know(state.Person{5}, state.Barred), state.Know(state.Person{7}, state.Barred)}, got.Known)
}

// TestKnownPeopleTakeSixteenBytes: also if they come one in a commit.
func TestKnownPeopleTakeSixteenBytes(t *testing.T) {
	const people = 3000
	s := openAt(t, filepath.Join(t.TempDir(), "anond.db"), fast)
	for i := range people {
		d := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		require.NoError(t, s.Commit(&state.Delta{Known: []state.Known{state.Know(state.Person(d[:16]), state.Barred)}}))
	}
	sizes, err := s.Buckets()
	require.NoError(t, err)
	i := slices.IndexFunc(sizes, func(b boltstore.BucketSize) bool { return b.Name == "known" })
	t.Logf("%.1f bytes a person in %d values", float64(*sizes[i].Bytes)/people, *sizes[i].Keys)
	require.LessOrEqual(t, *sizes[i].Keys, int64(people/100))
	require.Less(t, float64(*sizes[i].Bytes), 18.0*people, "pages that are not full included")
}
