package ingest

import (
	"bytes"
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

func (h *Host) setDefaults() {
	if h.CommitRecords == 0 {
		h.CommitRecords = 10000
	}
	if h.CommitEvery == 0 {
		h.CommitEvery = 200 * time.Millisecond
	}
	if h.Shares == (Shares{}) {
		h.Shares = SharesOf(0, 0)
	}
	if h.DrainFor == 0 {
		h.DrainFor = 30 * time.Second
	}
	if h.DeliverFor == 0 {
		h.DeliverFor = 10 * time.Second
	}
	if h.OnceFor == 0 {
		h.OnceFor = time.Minute
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
	return l.cut(ctx, cutting{flush: true})
}

// apply gives the records of a batch to the machine, cutting exactly where a
// release is due: where chunks begin and end never matters.
func (l *loop) apply(ctx context.Context, b *batch) error {
	c := b.chunk
	if next, known := l.next(c.Partition); known && c.From > next {
		return &GapError{Partition: c.Partition, Want: next, Have: c.From}
	}
	l.tick()
	if c.Missing.Below > c.From {
		if err := l.Machine.Miss(c.Partition, c.From, c.Missing.Below, c.Missing.Reason); err != nil {
			return err
		}
	}
	for i := range c.Records {
		if err := l.applyOne(c, &c.Records[i], b.outcomes[i], b.row(i)); err != nil {
			return err
		}
		if err := l.cutIfDue(ctx, c.Partition, max(c.Records[i].Offset+1, c.Records[i].End)); err != nil {
			return err
		}
		if l.staged >= l.CommitRecords || l.bytes >= l.Shares.Commit {
			if err := l.commit(ctx); err != nil {
				return err
			}
		}
	}
	l.witness() // the chunk is not needed any more
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
	l.bytes += r.Weight()
	l.unacked[c.Partition] = true
	var err error
	if r.Passed != "" {
		err = l.Machine.PassLine(c.Partition, r.Offset, r.End, r.Passed)
	} else {
		l.last[c.Partition] = r.Value
		err = l.place(c, r, o, row)
	}
	if err != nil || r.More == 0 {
		return err
	}
	return l.Machine.CountLines(ReasonContinued, r.More)
}

// place gives a record to the machine, which takes it in, refuses or ignores it.
func (l *loop) place(c *Chunk, r *Record, o Outcome, row equivclass.Row) error {
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
		letter.Payload = bytes.Clone(r.Value) // the rest of the chunk must not stay with it
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
			return l.cut(ctx, cutting{})
		}
	}
	if m.CutDue() {
		return l.cut(ctx, cutting{})
	}
	return nil
}

// cutLeftOver makes the cut that was due when the process before stopped: its
// records may have been committed with the mark of the release before.
func (l *loop) cutLeftOver(ctx context.Context) error {
	if l.Machine.CutDue() {
		return l.cut(ctx, cutting{})
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
		return l.cut(ctx, cutting{})
	}
}

// commit makes what is staged durable, then tells the source and the outbox.
func (l *loop) commit(ctx context.Context) error {
	l.witness()
	if err := l.fenced(); err != nil {
		return err
	}
	if err := l.Hook("before commit"); err != nil {
		return err
	}
	if err := l.work(ctx, DoingCommit, true, l.Machine.Commit); err != nil {
		return err
	}
	return l.committed()
}

// fenced says why nothing may be committed any more.
func (l *loop) fenced() error {
	if l.Fence == nil {
		return nil
	}
	return l.Fence()
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
	l.staged, l.bytes, l.stagedAt = 0, 0, time.Time{}
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
