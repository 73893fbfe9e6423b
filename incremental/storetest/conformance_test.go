package storetest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/internal/sealed"
)

// An opener opens one medium, again and again. The suite closes a store before
// it opens the medium anew.
type opener func(t testing.TB) state.Store

func TestMemoryConforms(t *testing.T) {
	conform(t, func(testing.TB) opener {
		s := memstore.New()
		return func(testing.TB) state.Store {
			s = s.Crash()
			return s
		}
	})
}

func TestBoltConforms(t *testing.T) { conform(t, bolt(boltstore.Options{NoSync: true})) }

// TestEncryptedBoltConforms: an encrypted store is a store.
func TestEncryptedBoltConforms(t *testing.T) {
	tier.NotShort(t, "TestBoltConforms runs the same")
	k, err := sealed.ParseKey(strings.Repeat("a", 2*sealed.KeyBytes))
	require.NoError(t, err)
	conform(t, bolt(boltstore.Options{NoSync: true, Key: k}))
}

func bolt(o boltstore.Options) func(t testing.TB) opener {
	return func(t testing.TB) opener {
		path := filepath.Join(t.TempDir(), "state", "anond.db")
		return func(t testing.TB) state.Store {
			s, err := boltstore.Open(path, o)
			require.NoError(t, err)
			return s
		}
	}
}

// conform runs the suite. fresh returns the opener of a new, empty medium.
func conform(t *testing.T, fresh func(t testing.TB) opener) {
	for _, c := range []struct {
		name string
		test func(*testing.T, opener)
	}{
		{"FreshStoreHandsOutNothing", testFresh},
		{"EveryFieldSurvives", testEveryField},
		{"EmptyFieldsChangeNothing", testEmptyFields},
		{"NilAndEmptyMapsDiffer", testNilMaps},
		{"HandsOutInOrder", testOrder},
		{"CallerKeepsWhatItCommitted", testAliasing},
		{"CalleeKeepsWhatItIsHanded", testHandedOut},
		{"IntentIsMarkedPublished", testIntent},
		{"ClassesTurnOnce", testTurns},
		{"OutboxDelivers", testOutbox},
		{"RefusedDeltaLeavesNothing", testRefused},
		{"VisitorStopsTheLoad", testVisitorError},
		{"TinyCommits", testTinyCommits},
		{"RandomHistory", testRandom},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fresh(t)) })
	}
}

// reopen closes a store and opens its medium again.
func reopen(t testing.TB, s state.Store, open opener) state.Store {
	t.Helper()
	require.NoError(t, s.Close())
	return open(t)
}

func read(t testing.TB, s state.Store) *State {
	t.Helper()
	got, err := Read(s)
	require.NoError(t, err)
	return got
}

func commit(t testing.TB, s state.Store, model *State, d *state.Delta) {
	t.Helper()
	require.NoError(t, s.Commit(d))
	model.Apply(d)
}

func testFresh(t *testing.T, open opener) {
	s := open(t)
	defer func() { require.NoError(t, s.Close()) }()
	for range 2 {
		require.Equal(t, &State{}, read(t, s))
		letters, err := s.Outbox(0, 10, 1<<30)
		require.NoError(t, err)
		require.Empty(t, letters)
		s = reopen(t, s, open)
	}
}

func testEmptyFields(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	commit(t, s, model, NewGenerator(1, 3).Next())
	commit(t, s, model, &state.Delta{})
	require.Equal(t, model, read(t, s))
	require.Equal(t, model, read(t, reopenInto(t, &s, open)))
}

func reopenInto(t testing.TB, s *state.Store, open opener) state.Store {
	*s = reopen(t, *s, open)
	return *s
}

func testVisitorError(t *testing.T, open opener) {
	s := open(t)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Commit(full()))
	v := (&State{}).visitor()
	v.Records = func(*state.RecordBlock) error { return errStop }
	require.ErrorIs(t, s.Load(v), errStop)
	v.Records = func(*state.RecordBlock) error { panic("the visitor's own fault") }
	require.PanicsWithValue(t, "the visitor's own fault", func() { _ = s.Load(v) }, "a store must not take the blame")
}
