package memstore_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/incremental/storetest"
)

func TestFailAtFailsThatCommitOnly(t *testing.T) {
	boom := errors.New("boom")
	s := memstore.New()
	s.FailAt(2, boom)
	s.FailAt(4, boom)
	want := &storetest.State{}
	for i := range 5 {
		d := &state.Delta{Counters: &state.Counters{Sent: uint64(i)}}
		err := s.Commit(d)
		if i == 1 || i == 3 {
			require.ErrorIs(t, err, boom)
		} else {
			require.NoError(t, err)
			want.Apply(d)
		}
		got, err := storetest.Read(s)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestCloneGoesItsOwnWayAndCrashEndsTheOld(t *testing.T) {
	s := memstore.New()
	g := storetest.NewGenerator(5, 2)
	require.NoError(t, s.Commit(g.Next()))
	before, err := storetest.Read(s)
	require.NoError(t, err)

	clone := s.Clone()
	require.NoError(t, s.Commit(g.Next()))
	got, err := storetest.Read(clone)
	require.NoError(t, err)
	require.Equal(t, before, got)

	left := clone.Crash()
	require.ErrorIs(t, clone.Commit(&state.Delta{Delivered: 0, Counters: &state.Counters{}}), memstore.ErrClosed)
	_, err = storetest.Read(clone)
	require.ErrorIs(t, err, memstore.ErrClosed)
	got, err = storetest.Read(left)
	require.NoError(t, err)
	require.Equal(t, before, got)
}
