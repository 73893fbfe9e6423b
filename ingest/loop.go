package ingest

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"anond/incremental"
	"anond/ingest/decode"
)

// loop is one run of a Host: what its single goroutine owns. Each part has its own state, and knows the others by the loop.
type loop struct {
	*Host
	ticks    <-chan time.Time
	times    timekeeper         // the clock's time, and the machine's
	outbox   *outboxPump        // dead letters on their way
	before   incremental.Status // of the machine when the run began
	stopping bool               // a stop was asked for and logged

	intake      intake      // batches, and what keeps them from being read
	transaction transaction // what is applied and not committed
	cuts        cuts        // when a release is cut, and of what
	publishing  publishing  // the release in progress
	erasure     erasure     // people who are to be forgotten
	operator    operator    // what operators ask for
	reporting   reporting   // what is told to operators, and what the loop does when it does not read
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
	defer func() { l.operator.endCommands(err) }()
	if err := l.begin(ctx); err != nil {
		return l.ends(ctx, err)
	}
	go l.intake.stage.run(reading)
	pumping := l.outbox.start()
	defer pumping()
	if err = l.serve(ctx); err != nil {
		l.publishing.abandon()
		l.reporting.reportLast()
	}
	stop()
	l.intake.leaveReader()
	return err
}

func (h *Host) newLoop() (*loop, error) {
	h.setDefaults()
	decoders, err := h.decoders()
	if err != nil {
		return nil, err
	}
	l := &loop{Host: h, outbox: newOutboxPump(h), before: h.Machine.Status()}
	now := l.now()
	l.times = timekeeper{newest: now, machine: l.before.Now}
	l.intake = intake{loop: l, refusals: breaker{most: h.MaxRefused},
		stage: newStage(h.Source, decoders, len(h.Schema.Attributes()), h.Shares, h.Machine.SubjectOf)}
	l.intake.stage.where, l.intake.stage.owners, l.intake.stage.who = h.Placement, h.Owners, h.Schema.SubjectIndex()
	l.intake.limit.set(h.Rate)
	l.transaction = transaction{loop: l, staged: newStaged()}
	l.cuts = cuts{loop: l, schedule: schedule{trigger: h.Trigger}, seen: l.before.Now / 1000}
	l.publishing = publishing{loop: l, releases: newReleases(h)}
	l.erasure.loop = l
	l.operator = operator{loop: l, paused: h.Paused}
	l.reporting = reporting{loop: l, seen: now, statusLog: now, connected: now}
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
	if err := l.cuts.firstStart(ctx); err != nil {
		return err
	}
	now := l.now()
	l.cuts.beginSchedule(now)
	l.cuts.beginRounds()
	return l.publishing.resume(ctx, now)
}

// ends turns an error that a stop during the first steps caused into a drain.
func (l *loop) ends(ctx context.Context, err error) error {
	err = l.stopped(ctx, err)
	if err != nil {
		l.publishing.abandon()
	}
	return err
}

func (l *loop) serve(ctx context.Context) error {
	l.reporting.report(l.now())
	if err := l.cuts.cutLeftOver(ctx); err != nil {
		return l.stopped(ctx, err)
	}
	for !l.intake.ended || l.publishing.releases.current != 0 {
		if err := l.operator.obeyWaiting(ctx); err != nil {
			return l.stopped(ctx, err)
		}
		if err := l.intake.takeHeld(ctx); err != nil {
			return l.stopped(ctx, err)
		}
		if err := l.react(ctx, l.intake.input(), l.onTick); err != nil {
			return l.stopped(ctx, err)
		}
	}
	return l.stopped(ctx, l.finish(ctx))
}

// input is where batches come from: nowhere, once the source has ended, while the host
// is paused, if enough was read for now, or while the state is full.
func (l *intake) input() <-chan *batch {
	if l.ended || l.operator.paused || l.room.held != nil || !l.limit.open(l.now()) {
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
		return l.intake.take(ctx, b, ok)
	case e := <-l.publishing.releases.ended:
		return l.publishing.releaseEnded(ctx, e)
	case c := <-l.operator.orders():
		l.operator.obey(c)
		return nil
	case err := <-l.Faults:
		return err
	case err := <-l.outbox.failed:
		return err
	case <-l.outbox.delivered:
		l.outbox.take(l.Machine)
		l.transaction.noteStaged(0)
		return nil
	case <-l.ticks:
		return onTick(ctx)
	}
}

// stopped turns an error that the stop itself caused into a drain. A commit that waited for
// room has stored nothing: the machine is not used any more, and the source is read again.
func (l *loop) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, state.ErrQuota) {
		l.reporting.working = true
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
	if l.Once && !l.intake.ended && now.Sub(l.reporting.connected) >= l.OnceFor {
		why := cmp.Or(l.Source.Status().Trouble, "it does not say why")
		return fmt.Errorf("%w for %s, and a run that has to end does not wait longer: %s", ErrAway, l.OnceFor, why)
	}
	if err := l.intake.idle(); err != nil {
		return err
	}
	if err := l.cuts.look(now); err != nil {
		return err
	}
	if err := l.cuts.cutOnTime(ctx, now); err != nil {
		return err
	}
	if err := l.erasure.remove(ctx); err != nil {
		return err
	}
	if err := l.erasure.forgetOnTime(ctx, now); err != nil {
		return err
	}
	l.cuts.nextRound()
	l.reporting.reportDue()
	return nil
}

// housekeep does what is due by time, except releases and reports.
func (l *loop) housekeep(ctx context.Context, now time.Time) error {
	l.heedClock(now)
	l.tick()
	return l.transaction.commitDue(ctx, now)
}
