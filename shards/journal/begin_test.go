package journal_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/ingest"
	"anond/shards/journal"
	"anond/shards/journal/journaltest"
)

// machine is that of a state which no journal has begun with.
func machine(t *testing.T, seed byte) *incremental.Machine {
	t.Helper()
	s, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: s,
		Policy: state.Policy{Requirement: equivclass.Requirement{K: 2, L: 2}, Republication: state.Regroup, Threshold: 1,
			MaxRegroups: 2, Neighbours: 8, NeighbourDims: 1, Similar: 4, Initial: cuts.Median{}, Local: cuts.Median{}},
		Seed: [32]byte{seed}})
	require.NoError(t, err)
	return m
}

// TestASeedIsCopiedBeforeItsJournalBegins: a process that dies between the two leaves a copy and no journal, and never a journal whose
// seed nobody has. Of two that begin at once the copy of the one that was too late goes.
func TestASeedIsCopiedBeforeItsJournalBegins(t *testing.T) {
	log, copies := journaltest.New(), 0
	began := func() bool {
		_, end, err := log.Extent(t.Context())
		require.NoError(t, err)
		return end > 0
	}
	begin := func(seed byte, copying func() error) error {
		f := &journal.Follower{Host: &ingest.Host{Machine: machine(t, seed)}, Entries: open(t, log, state.JournalMark{}),
			Beginning: func(context.Context) (func(), error) {
				copies++
				return func() { copies-- }, copying()
			}}
		return f.Root(t.Context(), nil)
	}
	disk := errors.New("the disk is full")
	require.ErrorIs(t, begin(1, func() error { return disk }), disk)
	require.False(t, began(), "no copy, no journal")
	copies = 0
	require.NoError(t, begin(1, func() error { require.False(t, began()); return nil }))
	require.True(t, began())
	require.Equal(t, 1, copies)
	require.ErrorIs(t, begin(2, func() error { return nil }), journal.ErrFenced)
	require.Equal(t, 1, copies)
}
