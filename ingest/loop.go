package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"anond/incremental"
)

// loop is one run of a Host: everything that its single goroutine owns.
type loop struct {
	*Host
	stage     *stage
	ticks     <-chan time.Time
	last      map[incremental.Partition][]byte // newest record applied since the last commit
	unacked   map[incremental.Partition]bool
	staged    int
	bytes     int // of input that is staged
	stagedAt  time.Time
	releases  releases
	outbox    *outboxPump
	seen      time.Time // last report
	statusLog time.Time // last event=status
	connected time.Time // when the source was last seen connected
	newest    time.Time // newest time of the clock
	ticked    int64     // newest time given to the machine
	ahead     int64     // of the machine's time before the clock, in milliseconds
	// refusedLog is when it was last said that the first load is refused.
	refusedLog time.Time
	ended      bool // the source is at its end
	stopping   bool // a stop was asked for and logged

	doing   activity
	working bool               // long work has the machine
	counts  incremental.Status // counted
	counted time.Time
}

// Run reads, places and publishes until ctx is done (then it drains and returns
// nil), the source ends, or something happens that needs an operator.
//
// The order of durable steps: records, positions and dead letters are committed
// in one transaction; then the source is acknowledged and dead letters are
// delivered; a release is decided by an intent, rendered and published from the
// view, and marked published. Each step may be repeated after a crash.
func (h *Host) Run(ctx context.Context) error {
	l, err := h.newLoop()
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	ticks, stopTick := h.Clock.Ticker(50 * time.Millisecond)
	defer stopTick()
	l.ticks = ticks
	if err := l.begin(ctx); err != nil {
		return l.ends(ctx, err)
	}
	go l.stage.run(reading)
	pumping := l.outbox.start()
	defer pumping()
	if err = l.serve(ctx); err != nil {
		l.releases.abandon(l)
	}
	stop()
	l.leaveReader()
	return err
}

func (h *Host) newLoop() (*loop, error) {
	h.setDefaults()
	decoder, err := h.NewDecoder()
	if err != nil {
		return nil, err
	}
	l := &loop{Host: h, stage: newStage(h.Source, decoder, len(h.Schema.Attributes()), h.Shares), last: map[incremental.Partition][]byte{},
		unacked: map[incremental.Partition]bool{}, outbox: newOutboxPump(h)}
	now := l.now()
	l.seen, l.statusLog, l.connected, l.newest, l.ticked = now, now, now, now, h.Machine.Status().Now
	l.releases.done = make(chan published, 1)
	return l, nil
}

// begin does what comes before reading.
func (l *loop) begin(ctx context.Context) error {
	if err := l.firstStart(ctx); err != nil {
		return err
	}
	return l.releases.resume(ctx, l)
}

// ends turns an error that a stop during the first steps caused into a drain.
func (l *loop) ends(ctx context.Context, err error) error {
	err = l.stopped(ctx, err)
	if err != nil {
		l.releases.abandon(l)
	}
	return err
}

func (l *loop) serve(ctx context.Context) error {
	l.report(l.now())
	if err := l.cutLeftOver(ctx); err != nil {
		return l.stopped(ctx, err)
	}
	for {
		if l.ended && l.releases.inMaking == 0 {
			return l.finish(ctx)
		}
		input := l.stage.out
		if l.ended {
			input = nil
		}
		var err error
		select {
		case <-ctx.Done():
			return l.drain(ctx)
		case b, ok := <-input:
			err = l.take(ctx, b, ok)
		case p := <-l.releases.done:
			err = l.releases.finished(l, p)
		case err = <-l.outbox.failed:
		case <-l.outbox.delivered:
			l.outbox.take(l.Machine)
			l.noteStaged(0)
		case <-l.ticks:
			err = l.onTick(ctx)
		}
		if err != nil {
			return l.stopped(ctx, err)
		}
	}
}

// stopped turns an error that the stop itself caused into a drain.
func (l *loop) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, errLeft) || errors.Is(err, ErrParked)) {
		return l.drain(ctx)
	}
	return err
}

func (l *loop) onTick(ctx context.Context) error {
	now := l.now()
	if err := l.housekeep(ctx, now); err != nil {
		return err
	}
	if l.Once && !l.ended && now.Sub(l.connected) >= l.OnceFor {
		return fmt.Errorf("%w for %s: a run that has to end does not wait longer", ErrAway, l.OnceFor)
	}
	if err := l.releases.onTick(ctx, l, now); err != nil {
		return err
	}
	l.reportDue()
	return nil
}

// housekeep does what time asks for, releases and reports apart.
func (l *loop) housekeep(ctx context.Context, now time.Time) error {
	l.heedClock(now)
	l.tick()
	if !l.stagedAt.IsZero() && now.Sub(l.stagedAt) >= l.CommitEvery {
		if err := l.commit(ctx); err != nil {
			return err
		}
	}
	return nil
}
