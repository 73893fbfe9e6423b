package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"anond/incremental"
	"anond/ingest/decode"
)

// loop is one run of a Host: what its single goroutine owns.
type loop struct {
	*Host
	ticks    <-chan time.Time
	times    timekeeper         // the clock's time, and the machine's
	stage    *stage             // what is fetched and decoded ahead
	staged   staged             // what is applied and not committed
	schedule schedule           // when the trigger asks for a release
	releases *releases          // the release in progress
	outbox   *outboxPump        // dead letters on their way
	limit    limiter            // how much is read
	asked    commanding         // what operators ask for
	room     fullness           // what the state may still take in
	order    Ordered            // the source, if its partitions are read in rounds; nil: they are not
	refusals breaker            // how many records are refused
	before   incremental.Status // of the machine when the run began
	noted    incremental.Judged // outside of the state
	reports                     // what is told to operators

	doing       activity
	working     bool      // long work has the machine
	ended       bool      // the source is at its end
	stopping    bool      // a stop was asked for and logged
	quarantined int       // people in pools of this run
	refusedLog  time.Time // newest line about a first load that is refused
	// forgetSince is since when people are due to be forgotten, as the clock has seen it; zero: nobody is.
	forgetSince time.Time
}

// Run reads, places and publishes until ctx is done (then it drains and returns
// nil), the source ends, or an error needs an operator.
//
// The order of durable steps: people whose deletes were read are on the list of who was
// forgotten; records, positions and dead letters are committed
// in one transaction; then the source is acknowledged and dead letters are
// delivered; a release is decided by an intent, rendered and published from the
// view, and marked published. Each step may be repeated after a crash.
func (h *Host) Run(ctx context.Context) (err error) {
	l, err := h.newLoop()
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	ticks, stopTick := h.Clock.Ticker(50 * time.Millisecond)
	defer stopTick()
	l.ticks = ticks
	defer func() { l.endCommands(err) }()
	if err := l.begin(ctx); err != nil {
		return l.ends(ctx, err)
	}
	go l.stage.run(reading)
	pumping := l.outbox.start()
	defer pumping()
	if err = l.serve(ctx); err != nil {
		l.abandon()
		l.reportLast()
	}
	stop()
	l.leaveReader()
	return err
}

func (h *Host) newLoop() (*loop, error) {
	h.setDefaults()
	decoders, err := h.decoders()
	if err != nil {
		return nil, err
	}
	l := &loop{Host: h, stage: newStage(h.Source, decoders, len(h.Schema.Attributes()), h.Shares), staged: newStaged(),
		schedule: schedule{trigger: h.Trigger}, releases: newReleases(h), outbox: newOutboxPump(h), refusals: breaker{most: h.MaxRefused}}
	l.stage.where, l.before = h.Placement, h.Machine.Status()
	l.limit.set(h.Rate)
	l.asked.paused = h.Paused
	now := l.now()
	l.times = timekeeper{newest: now, machine: h.Machine.Status().Now}
	l.seen, l.statusLog, l.connected = now, now, now
	return l, nil
}

// decoders returns one for each core that can be kept busy.
func (h *Host) decoders() ([]decode.Decoder, error) {
	out := make([]decode.Decoder, min(mostDecoders, runtime.GOMAXPROCS(0)))
	for i := range out {
		var err error
		if out[i], err = h.NewDecoder(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// begin does what comes before reading.
func (l *loop) begin(ctx context.Context) error {
	if err := l.firstStart(ctx); err != nil {
		return err
	}
	now := l.now()
	l.beginSchedule(now)
	l.beginRounds()
	return l.resume(ctx, now)
}

// ends turns an error that a stop during the first steps caused into a drain.
func (l *loop) ends(ctx context.Context, err error) error {
	err = l.stopped(ctx, err)
	if err != nil {
		l.abandon()
	}
	return err
}

func (l *loop) serve(ctx context.Context) error {
	l.report(l.now())
	if err := l.cutLeftOver(ctx); err != nil {
		return l.stopped(ctx, err)
	}
	for !l.ended || l.releases.current != 0 {
		if err := l.obeyWaiting(ctx); err != nil {
			return l.stopped(ctx, err)
		}
		if err := l.takeHeld(ctx); err != nil {
			return l.stopped(ctx, err)
		}
		if err := l.react(ctx, l.input(), l.onTick); err != nil {
			return l.stopped(ctx, err)
		}
	}
	return l.stopped(ctx, l.finish(ctx))
}

// input is where batches come from: nowhere, once the source has ended, while the host
// is paused, if enough was read for now, or while the state is full.
func (l *loop) input() <-chan *batch {
	if l.ended || l.asked.paused || l.room.held != nil || !l.limit.open(l.now()) {
		return nil
	}
	return l.stage.out
}

// react waits for what happens next and deals with it. Without an input nothing
// is read.
func (l *loop) react(ctx context.Context, input <-chan *batch, onTick func(context.Context) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case b, ok := <-input:
		return l.take(ctx, b, ok)
	case e := <-l.releases.ended:
		return l.releaseEnded(ctx, e)
	case c := <-l.orders():
		l.obey(c)
		return nil
	case err := <-l.Faults:
		return err
	case err := <-l.outbox.failed:
		return err
	case <-l.outbox.delivered:
		l.outbox.take(l.Machine)
		l.noteStaged(0)
		return nil
	case <-l.ticks:
		return onTick(ctx)
	}
}

// stopped turns an error that the stop itself caused into a drain. A commit that waited for
// room has stored nothing: the machine is not used any more, and the source is read again.
func (l *loop) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, incremental.ErrQuota) {
		l.working = true
		return l.drain(ctx)
	}
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
		why := cmp.Or(l.Source.Status().Trouble, "it does not say why")
		return fmt.Errorf("%w for %s, and a run that has to end does not wait longer: %s", ErrAway, l.OnceFor, why)
	}
	if err := l.cutOnTime(ctx, now); err != nil {
		return err
	}
	if err := l.forgetOnTime(ctx, now); err != nil {
		return err
	}
	l.nextRound()
	l.reportDue()
	return nil
}

// housekeep does what is due by time, except releases and reports.
func (l *loop) housekeep(ctx context.Context, now time.Time) error {
	l.heedClock(now)
	l.tick()
	return l.commitDue(ctx, now)
}
