// Package host runs several shards in one process: each as if it were a process of its own, by a function that it is given.
//
// Guarantee: of each shard one run goes on at a time in this process. A shard that fails does not take the others with it, except
// where a privacy promise does not hold (fault.Privacy): then all end. What may pass is tried again after growing waits; what needs a
// person is not. A stop ends all, and Serve returns when the last has ended.
//
// That other processes run none of these shards is not promised here, and nothing rests on it: a shard that changes hands has a
// journal, of which one process is the one that goes on (package journal). The other ends with journal.ErrFenced before it gives a
// release its name, whatever it believed, and however long it was suspended. So which shards a process runs may come from a clock, a
// session that has timed out, or a broker that is wrong: a mistake costs time, and no promise.
package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/shards/journal"
)

// Host runs shards.
type Host struct {
	// Run runs a shard until ctx ends, or until it cannot go on. The cause of ctx is dataset.ErrShardMoved if another process is to
	// have the shard.
	Run   func(ctx context.Context, shard int) error
	Log   *slog.Logger
	Clock clock.Clock
	Once  bool // a shard that has ended is not run again
	// Shared: who runs a shard is decided elsewhere. One that another process has taken, and that is still this one's, is tried again.
	Shared bool
	// Left is told that a shard which was taken away has ended here.
	Left func(shard int)
}

// The waits before a shard that has failed is tried again.
const (
	firstWait = 10 * time.Second
	lastWait  = 5 * time.Minute
)

// slot is a shard that this process runs, or is about to.
type slot struct {
	wanted bool
	stop   context.CancelCauseFunc // of the run, or of the wait for the next one; nil: there is none
	waits  bool                    // it is a wait
	moved  bool                    // it was stopped because the shard was taken away
	wait   time.Duration           // the last one
	began  time.Time               // the run
	err    error                   // what the last run came to
	ended  bool                    // for good
}

// serving is one call of Serve.
type serving struct {
	*Host
	ctx   context.Context
	slots map[int]*slot
	ends  chan end
	under int // runs and waits
}

// end is that of a run or of a wait.
type end struct {
	shard int
	err   error
}

// Serve runs the shards that assigned has named last, until ctx ends, a promise does not hold, or none of them can go on. The error
// joins those of the shards.
func (h *Host) Serve(ctx context.Context, assigned <-chan []int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &serving{Host: h, ctx: ctx, slots: map[int]*slot{}, ends: make(chan end)}
	done := ctx.Done()
	for {
		select {
		case <-done:
			done, assigned = nil, nil // the runs have ctx
		case shards := <-assigned:
			s.assign(shards)
		case e := <-s.ends:
			s.under--
			if s.settle(e.shard, s.slots[e.shard], e.err) {
				stop(context.Canceled)
			}
		}
		if s.under == 0 && (done == nil || s.over()) {
			return s.result()
		}
	}
}

// assign makes shards those that run.
func (s *serving) assign(shards []int) {
	for shard, x := range s.slots {
		if !x.wanted || slices.Contains(shards, shard) {
			continue
		}
		x.wanted, x.moved = false, true
		if x.stop == nil {
			s.left(shard)
		} else {
			x.stop(dataset.ErrShardMoved)
		}
	}
	for _, shard := range shards {
		x := s.slots[shard]
		switch {
		case x == nil:
			s.slots[shard] = &slot{wanted: true}
			s.start(shard, s.slots[shard])
		case !x.wanted: // it was taken away, and comes back before it has ended
			x.wanted = true
		}
	}
}

// start runs a shard.
func (s *serving) start(shard int, x *slot) {
	x.waits, x.err, x.began = false, nil, s.Clock.Now()
	s.work(shard, x, s.Run)
}

// work does something with a shard that stop ends.
func (s *serving) work(shard int, x *slot, what func(context.Context, int) error) {
	ctx, stop := context.WithCancelCause(s.ctx)
	x.stop = stop
	s.under++
	go func() { s.ends <- end{shard, what(ctx, shard)} }()
}

// settle decides what follows a run or a wait. over: a promise does not hold, and all have to end.
func (s *serving) settle(shard int, x *slot, err error) (over bool) {
	x.stop(nil)
	x.stop = nil
	moved, waited := x.moved, x.waits
	x.moved = false
	kind, hint := fault.Of(err)
	fenced := errors.Is(err, journal.ErrFenced)
	if err != nil && !(moved && fenced) {
		if !fenced || !s.Shared { // else another process runs it, and nothing is wrong
			x.err = fmt.Errorf("shard %d: %w", shard, err)
		}
		if s.Clock.Now().Sub(x.began) > lastWait {
			x.wait = 0
		}
		x.wait = min(max(firstWait, 2*x.wait), lastWait)
		again := s.ctx.Err() == nil && !s.Once && (moved || kind == fault.Failed || kind == fault.Locked || fenced && s.Shared)
		s.Log.With("shard", shard).Error("a shard of this process has ended with an error", "event", "shard_failed", "code", int(kind),
			"error", err.Error(), "hint", hint, "again", again)
		if kind == fault.Privacy && !s.Once {
			x.ended = true
			return true
		}
		waited = false
		if again && x.wanted {
			x.waits = true
			s.work(shard, x, s.later(x.wait))
			return false
		}
	}
	switch {
	case s.ctx.Err() != nil:
	case !x.wanted:
		s.left(shard)
	case moved || waited: // it came back, or it is time
		s.start(shard, x)
	default:
		x.ended = true
	}
	return false
}

// later waits until a shard is tried again.
func (s *serving) later(wait time.Duration) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		due, stop := s.Clock.Ticker(wait)
		defer stop()
		select {
		case <-due:
		case <-ctx.Done():
		}
		return nil
	}
}

// left forgets a shard that is not this process's any more.
func (s *serving) left(shard int) {
	delete(s.slots, shard)
	s.Left(shard)
}

// over reports that there are shards, and none of them goes on.
func (s *serving) over() bool {
	for _, x := range s.slots {
		if !x.ended {
			return false
		}
	}
	return len(s.slots) > 0
}

func (s *serving) result() error {
	var errs []error
	for _, shard := range slices.Sorted(maps.Keys(s.slots)) {
		errs = append(errs, s.slots[shard].err)
	}
	return errors.Join(errs...)
}
