package boltstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/erase"
	"anond/incremental/state"
	"anond/internal/sealed"
)

// town is the dataset of a golden state that has forgotten somebody.
func town(t *testing.T) incremental.Options {
	t.Helper()
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return incremental.Options{Schema: s, Seed: [32]byte{6}, Policy: state.Policy{
		Requirement: equivclass.Requirement{K: 2, L: 2}, Level: state.L2, Republication: state.Append,
		Threshold: 1, MaxHold: 3, HoldInCuts: true, Workers: 1, Neighbours: 8, Similar: 3, MinPool: 8}}
}

// filled fills a state: 300 people in a release, one record that waits.
func filled(t *testing.T, s state.Store) *incremental.Machine {
	t.Helper()
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	feed(t, m, 0, 300)
	i, err := m.Cut(60, [32]byte{})
	require.NoError(t, err)
	require.NotNil(t, i)
	require.NoError(t, m.Published(i.Release, [32]byte{1}))
	feed(t, m, 300, 301)
	return m
}

func feed(t *testing.T, m *incremental.Machine, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		row := equivclass.Row{fmt.Appendf(nil, "p%d", n), fmt.Appendf(nil, "%d", 20+n%60),
			fmt.Appendf(nil, "illness-%d", min(n, 299)%7+n/300*100)}
		out, err := m.Apply(state.Partition{Source: "s"}, int64(n), row)
		require.NoError(t, err)
		require.Empty(t, out.Reason)
	}
	require.NoError(t, m.Commit())
}

// forgets lets the state at path forget people.
func forgets(t *testing.T, path string, o boltstore.Options, people ...string) error {
	return boltstore.ForgetFile(path, o, func(s *boltstore.Store) (*erase.Erasure, error) {
		m, err := incremental.Open(s, town(t))
		if err != nil {
			return nil, err
		}
		var list []state.Digest
		for _, p := range people {
			d, _ := m.Forgetting().DigestOf([]byte(p))
			list = append(list, d)
		}
		return m.Forget(list)
	})
}

// TestForgetFile: the new file has the records of the others and nothing of the person, opens
// as a machine that agrees with itself, encrypted or not, and its copies are whole.
func TestForgetFile(t *testing.T) {
	key, err := sealed.ParseKey("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	require.NoError(t, err)
	for _, key := range []sealed.Key{{}, key} {
		o := boltstore.Options{NoSync: true, Key: key}
		path := filepath.Join(t.TempDir(), "anond.db")
		s := openAt(t, path, o)
		before := filled(t, s).Status()
		require.NoError(t, s.Close())
		refused := errors.New("refused")
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		require.ErrorIs(t, boltstore.ForgetFile(path, o, func(*boltstore.Store) (*erase.Erasure, error) { return nil, refused }), refused)
		require.NoError(t, boltstore.ForgetFile(path, o, func(*boltstore.Store) (*erase.Erasure, error) { return nil, nil }))
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, old, now, "without a plan nothing changes")

		require.NoError(t, forgets(t, path, o, "p3", "p300"))
		now, err = os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, !key.Set(), bytes.Contains(old, []byte("illness-105")))
		require.NotContains(t, string(now), "illness-105", "only p300 had it")
		require.NoError(t, boltstore.CompactFile(path, o))
		require.NoError(t, boltstore.RekeyFile(path, o, sealed.Key{}))
		forgotten(t, path, before)
	}
}

// forgotten requires that a state without key has forgotten the two people.
func forgotten(t *testing.T, path string, before incremental.Status) {
	t.Helper()
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)
	s := openAt(t, path, fast)
	known, err := s.Forgotten()
	require.NoError(t, err)
	require.False(t, known.Fresh)
	require.Len(t, known.People, 2)
	require.Zero(t, known.Due)
	m, err := incremental.Open(s, town(t))
	require.NoError(t, err)
	require.Empty(t, m.CheckInvariants())
	require.ElementsMatch(t, known.People, m.Forgetting().People())
	require.Equal(t, before.Published, m.Status().Published)
	require.EqualValues(t, 1, m.Status().Forgotten)
	out, err := m.Apply(state.Partition{Source: "s"}, 301, equivclass.Row{[]byte("p3"), []byte("20"), []byte("new")})
	require.NoError(t, err)
	require.True(t, out.Forgotten)
	require.NoError(t, m.Commit())
	require.NoError(t, s.Close())
	s = openAt(t, path, fast)
	m, err = incremental.Open(s, town(t))
	require.NoError(t, err)
	require.EqualValues(t, 2, m.Status().Forgotten)
	require.Empty(t, m.CheckInvariants())
	require.NoError(t, s.Close())
}
