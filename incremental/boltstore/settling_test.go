package boltstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/erase"
	"anond/incremental/memstore"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// TestForgetInsideTheWindow: who is forgotten while the window is open leaves whole, from every store and in every way in which a store
// forgets; of others nothing changes, and of the person nothing is left in a file. Records in open histories are in no block, so
// a copy, a compaction and a removal of what has left keep them.
func TestForgetInsideTheWindow(t *testing.T) {
	o := town(t)
	o.Policy.Settle = settle.Rule{Records: 50}
	begin := func(s state.Store) *incremental.Machine {
		m, err := incremental.Open(s, o)
		require.NoError(t, err)
		for n := range 20 {
			require.NoError(t, m.Stamp(state.Partition{Source: "s"}, 0))
			out, err := m.Apply(state.Partition{Source: "s"}, int64(n),
				equivclass.Row{fmt.Appendf(nil, "p%d", n), fmt.Appendf(nil, "%d", 20+n), fmt.Appendf(nil, "illness-%d", 100+n)})
			require.NoError(t, err)
			require.Equal(t, incremental.Outcome{}, out)
		}
		require.NoError(t, m.Commit())
		require.Equal(t, 20, m.Status().Pending.Settling)
		return m
	}
	plan := func(m *incremental.Machine) *erase.Erasure {
		d, _ := m.Forgetting().DigestOf([]byte("p7"))
		e, err := m.Forget([]state.Digest{d})
		require.NoError(t, err)
		require.False(t, e.Empty())
		require.Equal(t, 1, e.Unpublished)
		return e
	}
	check := func(s state.Store) {
		t.Helper()
		m, err := incremental.Open(s, o)
		require.NoError(t, err)
		got := m.Status()
		require.Equal(t, state.Pending{Settling: 19}, got.Pending)
		require.EqualValues(t, 1, got.Forgotten)
		require.Equal(t, got.Sent, got.Accounted())
		require.Empty(t, m.CheckInvariants())
		for n := range 60 {
			require.NoError(t, m.Stamp(state.Partition{Source: "s"}, 0))
			_, err := m.Apply(state.Partition{Source: "s"}, int64(20+n), equivclass.Row{[]byte("p7"), []byte("30"), []byte("more")})
			require.NoError(t, err)
		}
		require.Equal(t, state.Pending{Waiting: 19}, m.Status().Pending)
	}
	memory := memstore.New()
	check(memory.Forget(plan(begin(memory))))
	memory = memstore.New()
	require.NoError(t, memory.ForgetInPlace(plan(begin(memory))))
	check(memory)

	path := filepath.Join(t.TempDir(), "anond.db")
	s := openAt(t, path, fast)
	m := begin(s)
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(whole), "illness-107")
	require.NoError(t, boltstore.ForgetFile(path, fast, func(s *boltstore.Store) (*erase.Erasure, error) {
		m, err = incremental.Open(s, o)
		require.NoError(t, err)
		return plan(m), nil
	}))
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(now), "illness-107")
	require.Contains(t, string(now), "illness-108")
	sound(t, path)
	require.NoError(t, boltstore.CompactFile(path, fast))
	sound(t, path)
	s = openAt(t, path, fast)
	check(s)
	require.NoError(t, s.Close())

	path = filepath.Join(t.TempDir(), "anond.db")
	s = openAt(t, path, fast)
	m = begin(s)
	require.NoError(t, s.Forget(plan(m)))
	require.True(t, s.Stale(), "its free pages may have the row")
	require.NoError(t, s.Close())
	require.NoError(t, boltstore.CleanFile(path, fast))
	now, err = os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(now), "illness-107")
	sound(t, path)
	s = openAt(t, path, fast)
	check(s)
	require.NoError(t, s.Close())
}

// sound requires that the check of a state finds nothing.
func sound(t *testing.T, path string) {
	t.Helper()
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)
	i, err := boltstore.Info(path, boltstore.Options{})
	require.NoError(t, err)
	require.EqualValues(t, 19, i.Settling)
}
