package ingest_test

import (
	"anond/incremental/state"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// allowance is a quota whose room a test sets; every look uses up a part of it, as what is
// committed does.
type allowance struct{ left atomic.Int64 }

const allowanceLimit = 1 << 20

func (a *allowance) Room() (left, limit int64) { return a.left.Add(-4000), allowanceLimit }
func (a *allowance) Waits() bool               { return false }

// TestAFullStatePausesReading: reading stops before the limit, orders are obeyed, and with
// more room every record is read once.
func TestAFullStatePausesReading(t *testing.T) {
	t.Parallel()
	r, room := newRig(t, 900), new(allowance)
	room.left.Store(allowanceLimit/8 + 40_000)
	p, commands := commanded(t, r, func(h *ingest.Host) { h.Quota, h.CommitRecords = room, 7 })
	p.until("quota_reached")
	p.reported("full", func(rep ingest.Report) bool { return rep.Full && rep.Machine.Sent > 0 && rep.Machine.Sent < 900 })
	_, err := commands.Ask(bounded(t), ingest.OrderPlan)
	require.NoError(t, err, "orders are obeyed while the state is full")
	room.left.Store(1 << 40)
	p.until("quota_resumed")
	p.reported("all is read", func(rep ingest.Report) bool { return rep.Machine.Sent == 900 && !rep.Full })
	p.stop()
	require.NoError(t, p.ends())
	s := r.host(1, 40).Machine.Status() // what is stored
	require.EqualValues(t, 900, s.Sent)
	require.Equal(t, s.Sent, s.Accounted())
}

// TestAFullStateEndsARunThatHasTo: with --once, and where that is asked for.
func TestAFullStateEndsARunThatHasTo(t *testing.T) {
	for _, once := range []bool{true, false} {
		r, room := newRig(t, 900), new(allowance)
		room.left.Store(allowanceLimit/8 + 40_000)
		p, _ := commanded(t, r, func(h *ingest.Host) { h.Quota, h.Once, h.StopWhenFull = room, once, !once })
		require.ErrorIs(t, p.ends(), state.ErrQuota)
	}
}
