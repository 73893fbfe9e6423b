package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// spoiled makes the records from some place on unreadable, but for each tenth.
func spoiled(r *rig, from int) {
	for i := from; i < len(r.values); i++ {
		if i%10 > 0 {
			r.values[i] = []byte(`{"age":"canary","ward":"w1","illness":"i1"}`)
		}
	}
}

// TestTooManyRefusedRecordsPauseTheHost: it reads no further, and goes on when an operator
// says so; the next thousand records are judged anew.
func TestTooManyRefusedRecordsPauseTheHost(t *testing.T) {
	r := newRig(t, 6000)
	spoiled(r, 2000)
	tripped := 0
	p, orders := commanded(t, r, func(h *ingest.Host) {
		h.MaxRefused, h.Tripped = .5, func() error { tripped++; return nil }
	})
	read := func(n uint64) func(ingest.Report) bool {
		return func(rep ingest.Report) bool {
			return rep.Paused && rep.Machine.Sent == n && rep.Machine.DeadLetter > n/4
		}
	}
	p.reported("it pauses behind the third thousand", read(3000))
	require.True(t, p.said("too_many_refused"))
	a, err := orders.Ask(bounded(t), ingest.OrderResume)
	require.NoError(t, err)
	require.True(t, a.Changed)
	p.reported("and behind the fourth", read(4000))
	p.stop()
	require.NoError(t, p.ends())
	require.Equal(t, 2, tripped)
}

// TestTooManyRefusedRecordsEndARun that has to end. Without a limit, or below it, none ends.
func TestTooManyRefusedRecordsEndARun(t *testing.T) {
	for most, fails := range map[float64]bool{0: false, .95: false, .5: true} {
		r := newRig(t, 3000)
		spoiled(r, 500)
		h := r.host(3, 40)
		h.MaxRefused = most
		err := h.Run(t.Context())
		if fails {
			require.ErrorIs(t, err, ingest.ErrManyRefused)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, 3000, h.Machine.Status().Sent)
	}
}
