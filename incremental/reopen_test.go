package incremental_test

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
)

// TestReopen: after an erasure in place the machine goes on with what it had in memory alone, and the
// digest of the one before goes on to work, as a source uses it.
func TestReopen(t *testing.T) {
	store := memstore.New()
	p := policy(2, 2)
	p.Level, p.MaxHold, p.CutEvery, p.MaxRecords = state.L2, 0, 100, 7
	o := incremental.Options{Schema: withPeople(t), Policy: p}
	m, err := incremental.Open(store, o)
	require.NoError(t, err)
	apply := func(m *incremental.Machine, from, to int) {
		for r := from; r < to; r++ {
			row := someTwice(r)
			row[2] = []byte{'a' + byte(r%2)}
			out, err := m.Apply(source, int64(r), row)
			require.NoError(t, err)
			require.Equal(t, equivclass.Accepted, out.Reason)
		}
		require.NoError(t, m.Commit())
	}
	apply(m, 0, 5)
	m.Trigger().Set(6, true)
	deletes := state.Partition{Source: "deletes"}
	out, err := m.Delete(deletes, 0, []byte("a"))
	require.NoError(t, err)
	require.True(t, out.Forgotten)
	again, err := m.Delete(deletes, 0, []byte("b"))
	require.NoError(t, err)
	require.True(t, again.Known, "a delete that is read again changes nothing")
	require.True(t, m.Forgetting().Staged())
	require.NoError(t, m.Commit())
	require.False(t, m.Forgetting().Staged())
	require.Equal(t, 1, m.Forgetting().Due())

	digest := m.Digest
	before := digest([]byte("x"))
	e, err := m.Forget(nil)
	require.NoError(t, err)
	require.Equal(t, 2, e.Unpublished)
	require.NoError(t, store.ForgetInPlace(e))
	next, err := m.Reopen(o)
	require.NoError(t, err)
	require.Equal(t, before, digest([]byte("x")))
	_, err = m.Apply(source, 9, make(equivclass.Row, len(o.Schema.Attributes())))
	require.ErrorIs(t, err, incremental.ErrBroken, "the machine before is done with")
	require.Zero(t, next.Forgetting().Due())
	require.EqualValues(t, 3, next.Status().Forgotten, "two records, and the delete")
	require.Empty(t, next.CheckInvariants())

	_, err = next.Delete(deletes, 1, []byte("x"))
	require.NoError(t, err)
	_, err = next.Delete(deletes, 2, []byte("y"))
	require.ErrorIs(t, err, incremental.ErrStateFull, "5 records and 2 people: max_records bounds both")
	_, err = next.Delete(deletes, 2, []byte("x"))
	require.NoError(t, err, "who is known takes no room")
	nobody, err := incremental.Open(memstore.New(), incremental.Options{Schema: plane(t, 2), Policy: p})
	require.NoError(t, err)
	_, err = nobody.Delete(deletes, 0, []byte("x"))
	require.ErrorIs(t, err, erase.ErrNoSubject)
}
