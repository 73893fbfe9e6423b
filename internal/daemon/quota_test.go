package daemon

import (
	"anond/incremental/state"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
	"anond/incremental/memstore"
	"anond/internal/clock"
	"anond/internal/dataset"
)

// TestACommitWaitsForRoom: a commit that finds no room is repeated when the limit is
// raised, and given up at a stop with nothing stored.
func TestACommitWaitsForRoom(t *testing.T) {
	file, err := boltstore.Open(filepath.Join(t.TempDir(), "anond.db"), boltstore.Options{MaxBytes: 1 << 20, NoSync: true})
	require.NoError(t, err)
	defer file.Close()
	stop := make(chan struct{})
	q := newQuota(file, file, dataset.Options{Clock: clock.System()}, true, stop)
	letters := func(from int) *state.Delta {
		d := &state.Delta{Counters: &state.Counters{}}
		for i := range 200 {
			d.DeadLetters = append(d.DeadLetters, state.DeadLetter{Seq: uint64(from + i), Reason: "not_a_number", Payload: make([]byte, 8000)})
		}
		return d
	}
	done := make(chan error, 1)
	go func() { done <- q.Commit(letters(1)) }()
	require.Eventually(t, q.Waits, time.Hour, time.Millisecond)
	left, limit := q.Room()
	assert.Positive(t, left)
	assert.EqualValues(t, 1<<20, limit)
	q.set(8 << 20)
	require.NoError(t, <-done)
	assert.False(t, q.Waits())
	require.NoError(t, q.Commit(letters(201)))

	q.set(1 << 20)
	<-q.raised
	go func() { done <- q.Commit(letters(401)) }()
	require.Eventually(t, q.Waits, time.Hour, time.Millisecond)
	close(stop)
	require.ErrorIs(t, <-done, state.ErrQuota)
	kept, err := q.Outbox(0, 1000, 1<<30)
	require.NoError(t, err)
	assert.Len(t, kept, 400, "what found no room is not there, and the rest is")
}

// TestAnImpatientCommitFails: a run that has to end does not wait.
func TestAnImpatientCommitFails(t *testing.T) {
	inner := memstore.New()
	inner.FailAt(1, state.ErrQuota)
	for _, o := range []dataset.Options{{Clock: clock.System(), Once: true}, {Clock: clock.System()}} {
		q := newQuota(inner, nil, o, o.Once, nil)
		assert.ErrorIs(t, q.Commit(&state.Delta{Counters: &state.Counters{Sent: 1}}), state.ErrQuota)
		inner.FailAt(1, state.ErrQuota)
	}
}
