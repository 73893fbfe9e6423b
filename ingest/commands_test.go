package ingest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// gated is a feed that hands out what lies behind a record only when it may.
type gated struct {
	*feed
	at      int64
	asked   chan struct{} // closed when the loop's reader has come to the gate
	open    chan struct{}
	arrived atomic.Bool
}

func (g *gated) Next(ctx context.Context) (*ingest.Chunk, error) {
	if g.next >= g.at && g.arrived.CompareAndSwap(false, true) {
		close(g.asked)
		select {
		case <-g.open:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return endless{g.feed}.Next(ctx)
}

// commanded starts a host that makes no release by itself but the first.
func commanded(t *testing.T, r *rig, change func(*ingest.Host)) (*running, *ingest.Commands) {
	p := rigPolicy()
	p.CutEvery = 0
	h := r.hostUnder(p, 4, 20)
	h.Once, h.Source, h.Commands = false, endless{h.Source.(*feed)}, ingest.NewCommands()
	if change != nil {
		change(h)
	}
	return start(t, h), h.Commands
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func sent(n uint64) func(ingest.Report) bool {
	return func(rep ingest.Report) bool {
		return rep.Machine.Sent == n && rep.Releasing == 0 && rep.Machine.Release == 1
	}
}

// TestReleaseNow: an order makes the release that the plan before it named, and with
// nothing new it says why not.
func TestReleaseNow(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	p, commands := commanded(t, r, nil)
	p.reported("all is read", sent(900))
	plan, err := commands.Ask(bounded(t), ingest.OrderPlan)
	require.NoError(t, err)
	require.Positive(t, plan.Plan.Newcomers)
	require.Len(t, r.press.releases, 1, "a plan publishes nothing")

	a, err := commands.Ask(bounded(t), ingest.OrderRelease)
	require.NoError(t, err)
	require.EqualValues(t, 2, a.Release.Intent.Release)
	require.Equal(t, plan.Plan.Newcomers, a.Release.Intent.Newcomers)
	require.Len(t, r.press.releases, 2, "it is published before the answer comes")

	for a.Release != nil { // what waits for a better class comes out in the end
		a, err = commands.Ask(bounded(t), ingest.OrderRelease)
		require.NoError(t, err)
	}
	require.Equal(t, "nothing_new", a.Why)
	p.stop()
	require.NoError(t, p.ends())
	_, err = commands.Ask(bounded(t), ingest.OrderPlan)
	require.ErrorIs(t, err, ingest.ErrEnding)
}

// TestReleaseNowDuringTheFirstLoad: where the first load ends is not the operator's choice.
func TestReleaseNowDuringTheFirstLoad(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	g := &gated{at: 100, asked: make(chan struct{}), open: make(chan struct{})}
	_, commands := commanded(t, r, func(h *ingest.Host) {
		g.feed = h.Source.(endless).feed
		h.Source = g
	})
	<-g.asked
	for _, o := range []ingest.Order{ingest.OrderRelease, ingest.OrderPlan} {
		a, err := commands.Ask(bounded(t), o)
		require.NoError(t, err)
		require.Equal(t, ingest.Answer{Why: "first_load"}, a)
	}
}

// TestPause: nothing is read while the host is paused, and no release begins by the
// trigger; an order still makes one. Then it goes on.
func TestPause(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	g := &gated{at: 600, asked: make(chan struct{}), open: make(chan struct{})}
	p, commands := commanded(t, r, func(h *ingest.Host) {
		g.feed = h.Source.(endless).feed
		h.Source = g
	})
	<-g.asked
	read := g.next
	p.reported("what came before the gate is read", sent(uint64(read)))
	a, err := commands.Ask(bounded(t), ingest.OrderPause)
	require.NoError(t, err)
	require.True(t, a.Changed)
	a, err = commands.Ask(bounded(t), ingest.OrderPause)
	require.NoError(t, err)
	require.False(t, a.Changed)
	always := ingest.Trigger{Next: func(now time.Time) time.Time { return now }}
	require.NoError(t, commands.Tune(bounded(t), ingest.Tunables{Trigger: always, Reschedule: true}))
	close(g.open)
	p.reported("it says so, also later", func(rep ingest.Report) bool { return rep.Paused && rep.Machine.Release == 1 })
	a, err = commands.Ask(bounded(t), ingest.OrderRelease)
	require.NoError(t, err)
	require.EqualValues(t, 2, a.Release.Intent.Release)
	i := a.Release.Intent
	require.EqualValues(t, read, i.Records+i.Pending.Total()+refusedOf(read), "no record came in")

	require.NoError(t, commands.Tune(bounded(t), ingest.Tunables{}))
	_, err = commands.Ask(bounded(t), ingest.OrderResume)
	require.NoError(t, err)
	p.reported("all is read", func(rep ingest.Report) bool { return rep.Machine.Sent == 900 && !rep.Paused })
}

// refusedOf is how many of the first records of people are refused.
func refusedOf(records int64) (n int) {
	for i := range records {
		if i%97 == 5 {
			n++
		}
	}
	return n
}

// TestBeginsPaused: a host that was paused reads nothing until it is told to go on.
func TestBeginsPaused(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	p, commands := commanded(t, r, func(h *ingest.Host) { h.Paused = true })
	a, err := commands.Ask(bounded(t), ingest.OrderPlan)
	require.NoError(t, err)
	require.Equal(t, "first_load", a.Why)
	require.Zero(t, len(r.press.releases))
	_, err = commands.Ask(bounded(t), ingest.OrderResume)
	require.NoError(t, err)
	p.reported("all is read", sent(900))
}

// TestOrdersDuringLongWork: while a release is decided the host can be paused; an order
// that needs the machine waits, and learns that the host ends.
func TestOrdersDuringLongWork(t *testing.T) {
	t.Parallel()
	r := newRig(t, 400)
	policy := rigPolicy()
	policy.Initial = slow{}
	h := r.hostUnder(policy, 5, 30)
	h.Once, h.Source, h.Commands = false, endless{h.Source.(*feed)}, ingest.NewCommands()
	p := start(t, h)
	p.reported("it decides", func(rep ingest.Report) bool { return rep.Doing == ingest.DoingDecide })
	a, err := h.Commands.Ask(bounded(t), ingest.OrderPause)
	require.NoError(t, err)
	require.True(t, a.Changed)
	waiting := make(chan error, 1)
	go func() {
		_, err := h.Commands.Ask(bounded(t), ingest.OrderPlan)
		waiting <- err
	}()
	p.reported("it is paused", func(rep ingest.Report) bool { return rep.Paused })
	p.stop()
	require.NoError(t, p.ends())
	require.ErrorIs(t, <-waiting, ingest.ErrEnding)
}

// TestOneReleaseAtATime: an order for a release does not queue behind one in progress.
// Whoever asked for that one learns when it is published.
func TestOneReleaseAtATime(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	emptied := full(r)
	p, commands := commanded(t, r, nil)
	p.reported("all is read", sent(900))
	type result struct {
		ingest.Answer
		err error
	}
	first := make(chan result, 1)
	go func() {
		a, err := commands.Ask(bounded(t), ingest.OrderRelease)
		first <- result{a, err}
	}()
	p.reported("release 2 waits for its disk", func(rep ingest.Report) bool { return rep.ReleaseFailure == syscall.ENOSPC.Error() })
	_, err := commands.Ask(bounded(t), ingest.OrderRelease)
	require.ErrorIs(t, err, ingest.ErrReleasing)
	emptied.Store(true)
	got := <-first
	require.NoError(t, got.err)
	require.EqualValues(t, 2, got.Release.Intent.Release)
}

// TestARefusedReleaseIsAnswered: the gate's refusal ends the run, and whoever asked for the
// release is told.
func TestARefusedReleaseIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	r.press.fail = func(n uint32) error {
		if n == 2 {
			return errors.Join(ingest.ErrPermanent, errors.New("gate"))
		}
		return nil
	}
	p, commands := commanded(t, r, nil)
	p.reported("all is read", sent(900))
	_, err := commands.Ask(bounded(t), ingest.OrderRelease)
	require.ErrorIs(t, err, ingest.ErrPermanent)
	require.ErrorIs(t, p.ends(), ingest.ErrPermanent)
}

// TestTune: a trigger by count holds from the order on.
func TestTune(t *testing.T) {
	t.Parallel()
	r := newRig(t, 900)
	g := &gated{at: 600, asked: make(chan struct{}), open: make(chan struct{})}
	p, commands := commanded(t, r, func(h *ingest.Host) {
		g.feed = h.Source.(endless).feed
		h.Source = g
	})
	<-g.asked
	p.reported("one release", sent(uint64(g.next)))
	require.NoError(t, commands.Tune(bounded(t), ingest.Tunables{CutEvery: 50}))
	close(g.open)
	p.reported("more than one", func(rep ingest.Report) bool { return rep.Machine.Sent == 900 && rep.Machine.Release > 4 })
}

// TestTooManyOrders: while long work has the machine so many orders wait and no more; the
// others are told at once, and those that wait are answered at the end.
func TestTooManyOrders(t *testing.T) {
	r := newRig(t, 400)
	policy := rigPolicy()
	policy.Initial = slow{}
	h := r.hostUnder(policy, 5, 30)
	h.Commands = ingest.NewCommands()
	p := start(t, h)
	p.reported("a decision that never ends", func(rep ingest.Report) bool { return rep.Doing == ingest.DoingDecide })
	const most, more = 64, 6
	answers := make(chan error, most+more)
	for range most + more {
		go func() {
			_, err := h.Commands.Ask(t.Context(), ingest.OrderPlan)
			answers <- err
		}()
	}
	for range more {
		require.ErrorIs(t, <-answers, ingest.ErrBusy)
	}
	p.stop()
	require.NoError(t, p.ends())
	for range most {
		require.ErrorIs(t, <-answers, ingest.ErrEnding)
	}
}
