package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"anond/equivclass"
	"anond/incremental"
)

// loop is one run of a Host: everything that its single goroutine owns.
type loop struct {
	*Host
	stage     *stage
	last      map[incremental.Partition][]byte // newest record applied since the last commit
	unacked   map[incremental.Partition]bool
	staged    int
	stagedAt  time.Time
	releases  releases
	outbox    *outboxPump
	seen      time.Time // last report
	statusLog time.Time // last event=status
	// refusedLog is when it was last said that the first load is refused.
	refusedLog time.Time
	ended      bool // the source is at its end
}

// Run reads, places and publishes until ctx is done (then it drains and returns
// nil), the source ends, or something happens that needs an operator.
//
// The order of durable steps: records, positions and dead letters are committed
// in one transaction; then the source is acknowledged and dead letters are
// delivered; a release is decided by an intent, rendered and published from the
// view, and marked published. Each step may be repeated after a crash.
func (h *Host) Run(ctx context.Context) error {
	l, err := h.start(ctx)
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	go l.stage.run(reading)
	pumping := l.outbox.start()
	defer pumping()
	tick, stopTick := h.Clock.Ticker(50 * time.Millisecond)
	defer stopTick()
	if err = l.serve(ctx, tick); err != nil {
		l.releases.abandon(l)
	}
	stop()
	for range l.stage.out { // let the reader see that nobody listens
	}
	return err
}

func (h *Host) start(ctx context.Context) (*loop, error) {
	h.setDefaults()
	decoder, err := h.NewDecoder()
	if err != nil {
		return nil, err
	}
	l := &loop{Host: h, stage: newStage(h.Source, decoder, len(h.Schema.Attributes())), last: map[incremental.Partition][]byte{},
		unacked: map[incremental.Partition]bool{}, outbox: newOutboxPump(h), seen: h.Clock.Now(), statusLog: h.Clock.Now()}
	l.releases.done = make(chan published, 1)
	if err := l.firstStart(ctx); err != nil {
		return nil, err
	}
	if err := h.Machine.CheckTransparent(); err != nil {
		return nil, err
	}
	l.releases.resume(l)
	return l, nil
}

func (h *Host) setDefaults() {
	if h.CommitRecords == 0 {
		h.CommitRecords = 10000
	}
	if h.CommitEvery == 0 {
		h.CommitEvery = 200 * time.Millisecond
	}
	if h.DrainFor == 0 {
		h.DrainFor = 30 * time.Second
	}
	if h.Hook == nil {
		h.Hook = func(string) error { return nil }
	}
	if h.Observe == nil {
		h.Observe = func(Report) {}
	}
}

// firstStart stores where the first load ends, before anything is read.
func (l *loop) firstStart(ctx context.Context) error {
	l.tick()
	if l.Machine.InitialDone() || l.Machine.InitialEnds() != nil {
		return nil
	}
	ends, err := l.Source.Ends(ctx)
	if err != nil {
		return fmt.Errorf("where the source ends: %w", err)
	}
	if ends == nil {
		return nil
	}
	l.Machine.SetInitialEnds(ends)
	return l.Machine.Commit()
}

func (l *loop) serve(ctx context.Context, tick <-chan time.Time) error {
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
		select {
		case <-ctx.Done():
			return l.drain()
		case b, ok := <-input:
			if err := l.take(ctx, b, ok); err != nil {
				return l.stopped(ctx, err)
			}
		case p := <-l.releases.done:
			if err := l.releases.finished(l, p); err != nil {
				return err
			}
		case <-l.outbox.delivered:
			l.outbox.take(l.Machine)
			l.noteStaged(0)
		case <-tick:
			if err := l.onTick(ctx); err != nil {
				return l.stopped(ctx, err)
			}
		}
	}
}

// stopped turns an error that the stop itself caused into a drain.
func (l *loop) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return l.drain()
	}
	return err
}

// take applies a batch, or notes why the source ended.
func (l *loop) take(ctx context.Context, b *batch, ok bool) error {
	if ok {
		err := l.apply(ctx, b)
		l.stage.put(b)
		return err
	}
	if !errors.Is(l.stage.err, io.EOF) {
		return l.stage.err
	}
	l.ended = true
	if err := l.endInitial(ctx, true); err != nil {
		return err
	}
	if !l.Machine.InitialDone() {
		return nil // the first load waits, as endInitial said
	}
	return l.cutBy(ctx, l.Machine.Flush)
}

// apply gives the records of a batch to the machine, cutting exactly where a
// release is due: where chunks begin and end never matters.
func (l *loop) apply(ctx context.Context, b *batch) error {
	c := b.chunk
	if next, known := l.next(c.Partition); known && c.From > next {
		return &GapError{Partition: c.Partition, Want: next, Have: c.From}
	}
	l.tick()
	for i := range c.Records {
		if err := l.applyOne(c, &c.Records[i], b.outcomes[i], b.row(i)); err != nil {
			return err
		}
		if err := l.cutIfDue(ctx, c.Partition, c.Records[i].Offset+1); err != nil {
			return err
		}
		if l.staged >= l.CommitRecords {
			if err := l.commit(); err != nil {
				return err
			}
		}
	}
	l.Machine.Pass(c.Partition, c.Next)
	l.noteStaged(0)
	l.unacked[c.Partition] = true
	return l.cutIfDue(ctx, c.Partition, c.Next)
}

func (l *loop) next(p incremental.Partition) (int64, bool) { return l.Machine.Next(p) }

func (l *loop) applyOne(c *Chunk, r *Record, o Outcome, row equivclass.Row) error {
	if next, known := l.next(c.Partition); known && r.Offset < next {
		return nil // applied before, and read again
	}
	l.noteStaged(1)
	l.last[c.Partition], l.unacked[c.Partition] = r.Value, true
	if o.Accepted() {
		out, err := l.Machine.Apply(c.Partition, r.Offset, row)
		if err != nil || out.Reason == equivclass.Accepted {
			return err
		}
		o = Outcome{Reason: out.Reason, Attribute: out.Attribute}
	}
	if o.Ignored {
		return l.Machine.Ignore(c.Partition, r.Offset, o.Reason)
	}
	letter := incremental.DeadLetter{Partition: c.Partition, Offset: r.Offset, Reason: o.Reason, Attribute: o.Attribute, Digest: l.Machine.Digest(r.Value)}
	if l.Payload {
		letter.Payload = r.Value
	}
	return l.Machine.Refuse(letter)
}

func (l *loop) noteStaged(n int) {
	if l.stagedAt.IsZero() {
		l.stagedAt = l.Clock.Now()
	}
	l.staged += n
}

// cutIfDue ends the first load or makes a release where the count of records
// says so.
func (l *loop) cutIfDue(ctx context.Context, p incremental.Partition, next int64) error {
	m := l.Machine
	if !m.InitialDone() && !m.Growing() {
		if end, ok := m.InitialEnds()[p]; (!ok || next >= end) && m.InitialReached() {
			return l.cut(ctx)
		}
	}
	if m.CutDue() {
		return l.cut(ctx)
	}
	return nil
}

// cutLeftOver makes the cut that was due when the process before stopped: its
// records may have been committed with the mark of the release before.
func (l *loop) cutLeftOver(ctx context.Context) error {
	if l.Machine.CutDue() {
		return l.cut(ctx)
	}
	return l.endInitial(ctx, false)
}

// endInitial ends the first load if all of it has been read, or if nothing more
// will come.
func (l *loop) endInitial(ctx context.Context, ended bool) error {
	switch m := l.Machine; {
	case m.InitialDone() || !ended && (m.Growing() || !m.InitialReached()):
		return nil
	case !m.EnoughRecords():
		l.logWaiting()
		return nil
	default:
		return l.cut(ctx)
	}
}

// commit makes what is staged durable, then tells the source and the outbox.
func (l *loop) commit() error {
	l.witness()
	if err := l.Hook("before commit"); err != nil {
		return err
	}
	if err := l.Machine.Commit(); err != nil {
		return err
	}
	return l.committed()
}

func (l *loop) witness() {
	for p, value := range l.last {
		l.Machine.Witness(p, l.Machine.Digest(value))
	}
	clear(l.last)
}

func (l *loop) committed() error {
	if err := l.Hook("after commit"); err != nil {
		return err
	}
	l.staged, l.stagedAt = 0, time.Time{}
	if len(l.unacked) > 0 {
		ack := make(map[incremental.Partition]int64, len(l.unacked))
		for p := range l.unacked {
			ack[p], _ = l.next(p)
		}
		l.Source.Ack(ack)
		clear(l.unacked)
	}
	l.outbox.wake()
	return nil
}

// tick gives the machine the time, in whole seconds so that records share it.
func (l *loop) tick() { l.Machine.Tick(l.Clock.Now().Truncate(time.Second).UnixMilli()) }

func (l *loop) onTick(ctx context.Context) error {
	now := l.Clock.Now()
	l.tick()
	if !l.stagedAt.IsZero() && now.Sub(l.stagedAt) >= l.CommitEvery {
		if err := l.commit(); err != nil {
			return err
		}
	}
	if err := l.releases.onTick(ctx, l, now); err != nil {
		return err
	}
	if now.Sub(l.seen) >= time.Second {
		l.report(now)
	}
	return nil
}

// drain stops in good order: what was applied is committed, a release in the
// making is finished or, if it takes too long, parked: its intent stays and the
// next start finishes it.
func (l *loop) drain() error {
	l.Log.Info("stopping: committing and finishing the release in the making", "event", "draining")
	if err := l.commit(); err != nil {
		return err
	}
	if err := l.releases.await(l, l.DrainFor); err != nil {
		return err
	}
	l.report(l.Clock.Now())
	l.Log.Info("stopped", "event", "stopped")
	return nil
}

// finish ends a run that reached the end of its source: everything delivered.
func (l *loop) finish(ctx context.Context) error {
	if err := l.commit(); err != nil {
		return err
	}
	if err := l.outbox.flush(ctx, l.Machine); err != nil && ctx.Err() == nil {
		return err
	}
	if err := l.commit(); err != nil {
		return err
	}
	l.report(l.Clock.Now())
	if e := l.Machine.Refused(); e != nil {
		return e // all of it is counted and kept, and the next run goes on from there
	}
	l.Log.Info("the source is at its end", "event", "stopped")
	return nil
}
