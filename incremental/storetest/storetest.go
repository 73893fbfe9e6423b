// Package storetest is the conformance suite of state.Store. Every store runs
// it; a machine may rely on what it tests and on nothing else.
package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
)

// An Opener opens one medium, again and again. The suite closes a store before
// it opens the medium anew.
type Opener func(t testing.TB) state.Store

// Run runs the suite. fresh returns the opener of a new, empty medium.
func Run(t *testing.T, fresh func(t testing.TB) Opener) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Opener)
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
func reopen(t testing.TB, s state.Store, open Opener) state.Store {
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

func testFresh(t *testing.T, open Opener) {
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

func testEmptyFields(t *testing.T, open Opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	commit(t, s, model, NewGenerator(1, 3).Next())
	commit(t, s, model, &state.Delta{})
	require.Equal(t, model, read(t, s))
	require.Equal(t, model, read(t, reopenInto(t, &s, open)))
}

func reopenInto(t testing.TB, s *state.Store, open Opener) state.Store {
	*s = reopen(t, *s, open)
	return *s
}

func testVisitorError(t *testing.T, open Opener) {
	s := open(t)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Commit(full()))
	v := (&State{}).visitor()
	v.Records = func(*state.RecordBlock) error { return errStop }
	require.ErrorIs(t, s.Load(v), errStop)
	v.Records = func(*state.RecordBlock) error { panic("the visitor's own fault") }
	require.PanicsWithValue(t, "the visitor's own fault", func() { _ = s.Load(v) }, "a store must not take the blame")
}
