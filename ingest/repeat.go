package ingest

import (
	"anond/incremental/erase"
	"anond/incremental/plan"
	"anond/incremental/state"
	"context"
	"errors"

	"anond/incremental"
	"anond/ingest/decode"
)

// OpenPartition reads one partition of the source from a position on.
type OpenPartition func(ctx context.Context, p state.Partition, at state.Position) (Source, error)

// Repeat carries steps of a host out again as they were told (Steps): records in the same order and at the same times, the same
// cuts and erasures. No clock is asked. Whoever was told says what comes.
//
// Memory: one chunk of each partition that is ahead of the order, and what a source holds.
type Repeat struct {
	run   *loop
	open  OpenPartition
	feeds map[state.Partition]*partFeed
}

// ErrEndsBefore: a source ends before what is to be taken in again.
var ErrEndsBefore = errors.New("the source has ended before what is to be taken in again")

// Repeat begins. The host needs Machine, NewDecoder, Schema, Placement, Forgetting, Policy, Clock and Log. Machine is another
// one afterwards if people were forgotten. What is carried out is told to nobody.
func (h *Host) Repeat(open OpenPartition) (*Repeat, error) {
	again := *h
	again.Steps = untold{}
	l, err := again.newLoop()
	if err != nil {
		return nil, err
	}
	return &Repeat{run: l, open: open, feeds: map[state.Partition]*partFeed{}}, nil
}

// Machine is the one to go on with.
func (r *Repeat) Machine() *incremental.Machine { return r.run.Machine }

// CommitFull commits if a transaction has gathered all that it may.
func (r *Repeat) CommitFull() error {
	if r.run.transaction.staged.entries >= r.run.CommitRecords || r.run.transaction.staged.bytes >= r.run.Shares.Commit {
		return r.Commit()
	}
	return nil
}

// Commit makes what was repeated durable.
func (r *Repeat) Commit() error {
	if err := r.run.Hook("before commit"); err != nil {
		return err
	}
	r.run.transaction.staged = newStaged()
	return r.run.Machine.Commit()
}

// Take takes in what a partition has below an offset, at a time of the host.
func (r *Repeat) Take(ctx context.Context, p state.Partition, tick, below int64) error {
	r.run.Machine.Tick(tick)
	for {
		next, known := r.run.Machine.Intake().Next(p)
		if known && next >= below {
			return nil
		}
		f, err := r.feed(ctx, p)
		if err != nil {
			return err
		}
		b, err := f.peek(ctx)
		if err != nil {
			return err
		}
		if known && b.chunk.From > next {
			return &GapError{Partition: p, Want: next, Have: b.chunk.From}
		}
		if err := r.takeUpTo(f, b, below); err != nil {
			return err
		}
		if !known && below == 0 {
			return nil
		}
	}
}

// Idle is that a partition was idle, at a time of the host.
func (r *Repeat) Idle(p state.Partition, tick, at int64) error {
	r.run.Machine.Tick(tick)
	return r.run.Machine.Idle(p, at)
}

// takeUpTo applies what a batch has below an offset, and lets go of one that has no more.
func (r *Repeat) takeUpTo(f *partFeed, b *batch, below int64) error {
	c := b.chunk
	if m := c.Missing; f.at == 0 && m.Below > c.From {
		if err := r.run.Machine.Intake().Miss(c.Partition, c.From, min(m.Below, below), m.Reason); err != nil {
			return err
		}
	}
	for ; f.at < len(c.Records) && c.Records[f.at].Offset < below; f.at++ {
		if b.fault != nil && f.at == b.faultAt {
			return r.run.intake.stopsBefore(c, &c.Records[f.at], b.fault)
		}
		if err := r.run.intake.applyOne(b, f.at); err != nil {
			return err
		}
	}
	r.run.transaction.witness()
	r.run.Machine.Intake().Pass(c.Partition, min(c.Next, below))
	if f.at == len(c.Records) && c.Next <= below {
		f.drop()
	}
	return nil
}

// Cut makes a cut of all that was taken in, at a time of the host. decided is called once it is decided, or refused as a
// first load is (rule I, infeasible): as the first time; the run says so, if it still is.
func (r *Repeat) Cut(ctx context.Context, tick, createdAt int64, by state.Occasion, decided func()) error {
	m := r.run.Machine
	m.Tick(tick)
	var made *incremental.Decision
	err := r.run.reporting.work(ctx, DoingDecide, false, func() (err error) { made, err = m.Decide(by); return err })
	if errors.As(err, new(*plan.InfeasibleError)) {
		decided()
		return r.Commit()
	}
	if err != nil {
		return err
	}
	decided()
	return r.run.reporting.work(ctx, DoingCommit, true, func() error { _, err := m.Enact(made, createdAt, r.run.Policy); return err })
}

// Forget lets the state forget those who are due, and people. What could not be the first time cannot be now.
func (r *Repeat) Forget(ctx context.Context, people []state.Digest) (err error) {
	if r.run.Forgetting == nil {
		return &ForgetError{erase.ErrNoSubject}
	}
	var done *Forgot
	err = r.run.reporting.work(ctx, DoingForget, true, func() (err error) {
		done, err = r.run.Forgetting.ForgetAgain(r.run.Machine, people)
		return err
	})
	if err == nil {
		r.run.Machine = done.Machine
	} else if errors.As(err, new(*ForgetError)) {
		err = nil
	}
	return err
}

// Remove lets the state lose people whose parts have left the releases, unless it has lost them already. Everything must be committed.
func (r *Repeat) Remove(ctx context.Context) error {
	m := r.run.Machine
	if r.run.Forgetting == nil || !m.Departing() {
		return nil
	}
	return r.run.reporting.work(ctx, DoingRemove, true, func() error {
		without, err := r.run.Forgetting.Remove(m, m.Removal())
		if err == nil {
			r.run.Machine = without
		}
		return err
	})
}

// partFeed is one partition, decoded ahead of the order.
type partFeed struct {
	stage  *stage
	source Source
	stop   context.CancelFunc
	batch  *batch
	at     int // of the batch: the first record that is not applied
}

// feed returns that of a partition; it begins at the state's position.
func (r *Repeat) feed(ctx context.Context, p state.Partition) (*partFeed, error) {
	if f := r.feeds[p]; f != nil {
		return f, nil
	}
	source, err := r.open(ctx, p, r.run.Machine.Intake().Positions()[p])
	if err != nil {
		return nil, err
	}
	decoder, err := r.run.NewDecoder()
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	reading, stop := context.WithCancel(ctx)
	f := &partFeed{source: source, stop: stop,
		stage: newStage(source, []decode.Decoder{decoder}, len(r.run.Schema.Attributes()), r.run.Shares, r.run.Machine.SubjectOf)}
	f.stage.where = r.run.Placement
	r.feeds[p] = f
	go f.stage.run(reading)
	return f, nil
}

// peek waits for a batch that has something left.
func (f *partFeed) peek(ctx context.Context) (*batch, error) {
	if f.batch != nil {
		return f.batch, nil
	}
	select {
	case b, ok := <-f.stage.out:
		if !ok {
			return nil, errors.Join(ErrEndsBefore, f.stage.err)
		}
		f.batch, f.at = b, 0
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *partFeed) drop() {
	f.stage.put(f.batch)
	f.batch = nil
}

// Close ends the reading.
func (r *Repeat) Close() {
	for _, f := range r.feeds {
		f.stop()
		_ = f.source.Close() // it was only read
		for range f.stage.out {
		}
	}
}
