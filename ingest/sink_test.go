package ingest_test

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// stuck is a sink that hangs where no context reaches it, as a write to a disk
// may.
type stuck struct {
	called  chan struct{} // closed at the first delivery
	begun   atomic.Bool
	release chan struct{}
}

func newStuck(t *testing.T) *stuck {
	s := &stuck{called: make(chan struct{}), release: make(chan struct{})}
	t.Cleanup(func() { close(s.release) })
	return s
}

func (s *stuck) Deliver(context.Context, []state.DeadLetter) error {
	if s.begun.CompareAndSwap(false, true) {
		close(s.called)
	}
	<-s.release
	return errors.New("stuck")
}

func (s *stuck) Close() error { return nil }

// away is a sink that fails at once.
type away struct{ tried atomic.Int64 }

func (a *away) Deliver(context.Context, []state.DeadLetter) error {
	a.tried.Add(1)
	return errors.New("no such topic")
}
func (*away) Close() error { return nil }

// heldClock stands still until a sink was tried twice: then its first failure is known.
type heldClock struct {
	wallClock
	began time.Time
	sink  *away
}

func (c *heldClock) Now() time.Time {
	if c.sink.tried.Load() < 2 {
		return c.began
	}
	return c.wallClock.Now()
}

// TestAStuckSinkHoldsUpNothing: while a delivery does not return, everything is
// read and published, the status is told, and a stop ends the run.
func TestAStuckSinkHoldsUpNothing(t *testing.T) {
	tier.NotShort(t, "it waits for a sink")
	want := newRig(t, 900)
	_, err := want.run(0, 1000, nil)
	require.NoError(t, err)

	r := newRig(t, 900)
	h := r.host(4, 20)
	sink := newStuck(t)
	h.DeadLetters, h.Once, h.Source = sink, false, endless{h.Source.(*feed)}
	p := start(t, h)
	<-sink.called
	p.reported("all is read while the sink is stuck", func(rep ingest.Report) bool {
		return rep.Machine.Sent == 900 && rep.Machine.Outbox == 10 && rep.Releasing == 0
	})
	p.stop()
	require.NoError(t, p.ends())
	require.True(t, p.said("dead_letter_stuck"))
	require.True(t, p.said("stopped"))

	_, err = r.run(9, 17, nil) // the sink is back: nothing is lost, nothing differs
	require.NoError(t, err)
	require.Equal(t, want.press.releases, r.press.releases)
	require.Equal(t, want.bin.seen, r.bin.seen)
}

// TestOnceEndsWithoutItsSink: a run that has to end leaves the dead letters in
// state, and says how many.
func TestOnceEndsWithoutItsSink(t *testing.T) {
	tier.NotShort(t, "it waits for a sink")
	for name, sink := range map[string]ingest.DeadLetters{"stuck": newStuck(t), "away": &away{}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 900)
			h := r.host(4, 200)
			h.DeadLetters, h.DeliverFor = sink, 100*time.Millisecond
			if a, ok := sink.(*away); ok {
				h.Clock = &heldClock{began: time.Now(), sink: a}
			}
			p := start(t, h)
			require.NoError(t, p.ends())
			require.True(t, p.said("dead_letter_kept"))
			require.Equal(t, 10, h.Machine.Status().Outbox)
			if name == "away" {
				p.reported("why", func(rep ingest.Report) bool { return rep.LetterFailure == "no such topic" })
			}
			_, err := r.run(9, 17, nil)
			require.NoError(t, err)
			require.Len(t, r.bin.seen, 10)
		})
	}
}

// foreign is a sink that holds dead letters of another state.
type foreign struct{ away }

func (*foreign) Deliver(context.Context, []state.DeadLetter) error {
	return fmt.Errorf("dead letter 1: %w", ingest.ErrForeignLetters)
}

// TestASinkOfAnotherStateEndsTheRun: no retry can correct that.
func TestASinkOfAnotherStateEndsTheRun(t *testing.T) {
	t.Parallel()
	h := newRig(t, 900).host(4, 20)
	h.DeadLetters, h.Once, h.Source = &foreign{}, false, endless{h.Source.(*feed)}
	require.ErrorIs(t, start(t, h).ends(), ingest.ErrForeignLetters)
}
