package ingest

import (
	"context"
	"errors"
	"fmt"

	"anond/incremental"
	"anond/ingest/decode"
	"anond/shards/journal"
)

// OpenPartition reads one partition of the source from a position on.
type OpenPartition func(ctx context.Context, p incremental.Partition, at incremental.Position) (Source, error)

// Repeat does again what the journal has and the state does not: a process before was killed, or the state is an
// older copy. It takes the records in the same order and at the same times, cuts
// where that process cut, and publishes what that one has decided: the same bytes, under the same numbers, or
// nothing (journal.ErrForked). No clock is asked. Then it makes this process the one that goes on.
//
// The host needs Machine, decode.New, Schema, Placement, Journal, Republish, Forgetting, Policy, Clock and Log. Machine is
// another one afterwards if people were forgotten.
//
// Safe by rule F (forbidden): nobody gets a second history, since every decision is the one that was made; and
// by Theorem E: to decide the same again depends on nothing that the first time did not.
//
// Memory: one chunk of each partition that is ahead of the order, and what a source holds.
func (h *Host) Repeat(ctx context.Context, open OpenPartition) (done Repeated, err error) {
	l, err := h.newLoop()
	if err != nil {
		return done, err
	}
	l.journal.done = true
	r := &repeating{loop: l, open: open, feeds: map[incremental.Partition]*partFeed{}}
	defer r.close()
	for {
		if err := r.toEnd(ctx); err != nil {
			return r.done, err
		}
		if h.Forgetting != nil && len(h.Machine.Forgetting().People()) > 0 {
			if err := h.Forgetting.List(h.Machine); err != nil {
				return r.done, err
			}
		}
		mark, err := h.Journal.Append(ctx, &journal.Entry{Begin: &journal.Begin{Settings: h.Policy}})
		if errors.Is(err, journal.ErrFenced) {
			continue // an entry of the process before came meanwhile
		}
		if err != nil {
			return r.done, err
		}
		h.Machine.Follow(mark)
		return r.done, h.Machine.Commit()
	}
}

// Repeated counts what Repeat did.
type Repeated struct {
	Entries  int
	Records  int // that were accepted
	Releases int // that were published, or found to be
}

// repeating is one run of Repeat. The mark of what is staged is that of the newest entry that is done as a whole.
type repeating struct {
	*loop
	open  OpenPartition
	feeds map[incremental.Partition]*partFeed
	done  Repeated
}

// toEnd repeats all entries that are there now.
func (r *repeating) toEnd(ctx context.Context) error {
	for {
		e, mark, err := r.Journal.Read(ctx)
		if err != nil {
			return err
		}
		if e == nil {
			return r.keep()
		}
		if err := r.entry(ctx, e, mark); err != nil {
			return err
		}
		r.done.Entries++
	}
}

func (r *repeating) entry(ctx context.Context, e *journal.Entry, mark incremental.JournalMark) error {
	var err error
	switch {
	case e.Genesis != nil:
		err = fmt.Errorf("%w: it begins a second time", journal.ErrForked)
	case e.Begin != nil:
		err = r.under(e.Begin.Settings, mark)
	case e.Ends != nil:
		r.Machine.InitialLoad().SetEnds(endsOf(e.Ends))
	case e.Runs != nil:
		err = r.runsAgain(ctx, e.Runs, mark)
	case e.Cut != nil:
		return r.cutAgain(ctx, e.Cut, mark)
	case e.Intent != nil:
		err = r.sameIntent(e.Intent)
	case e.Published != nil:
		return r.publishAgain(ctx, e.Published, mark)
	case e.Erase != nil:
		return r.eraseAgain(ctx, e.Erase, mark)
	}
	if err != nil {
		return err
	}
	r.Machine.Follow(mark)
	if r.staged.entries >= r.CommitRecords || r.staged.bytes >= r.Shares.Commit {
		return r.keep()
	}
	return nil
}

// keep makes what was repeated durable.
func (r *repeating) keep() error {
	if err := r.Hook("before commit"); err != nil {
		return err
	}
	r.staged = newStaged()
	return r.Machine.Commit()
}

// under demands the settings of the process that wrote an entry: others decide otherwise.
func (r *repeating) under(settings [32]byte, mark incremental.JournalMark) error {
	if settings != r.Policy {
		return fmt.Errorf("%w, up to entry %d", journal.ErrUnderOther, mark.Seq)
	}
	return nil
}

func endsOf(x *journal.Ends) map[incremental.Partition]int64 {
	out := make(map[incremental.Partition]int64, len(x.Ends))
	for _, e := range x.Ends {
		out[incremental.Partition{Source: x.Source, ID: int32(e[0])}] = e[1]
	}
	return out
}

// runsAgain takes records in as they were.
func (r *repeating) runsAgain(ctx context.Context, x *journal.Runs, mark incremental.JournalMark) error {
	before := r.Machine.Arrived()
	for _, run := range x.Runs {
		if err := r.runAgain(ctx, incremental.Partition{Source: x.Source, ID: run.Partition}, run); err != nil {
			return err
		}
	}
	r.done.Records += r.Machine.Arrived() - before
	if n, sent := r.Machine.Arrived(), r.Machine.Intake().Sent(); n != x.Records || sent != x.Sent {
		return fmt.Errorf("%w: at entry %d it had %d records of %d messages, and %d of %d are found now: messages are gone, or what "+
			"is refused or ignored was configured otherwise", journal.ErrHole, mark.Seq, x.Records, x.Sent, n, sent)
	}
	return nil
}

func (r *repeating) runAgain(ctx context.Context, p incremental.Partition, run journal.Run) error {
	r.Machine.Tick(run.Tick)
	for {
		next, known := r.Machine.Intake().Next(p)
		if known && next >= run.Next {
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
		if err := r.takeUpTo(f, b, run.Next); err != nil {
			return err
		}
		if !known && run.Next == 0 {
			return nil
		}
	}
}

// takeUpTo applies what a batch has below an offset, and lets go of one that has no more.
func (r *repeating) takeUpTo(f *partFeed, b *batch, below int64) error {
	c := b.chunk
	if m := c.Missing; f.at == 0 && m.Below > c.From {
		if err := r.Machine.Intake().Miss(c.Partition, c.From, min(m.Below, below), m.Reason); err != nil {
			return err
		}
	}
	for ; f.at < len(c.Records) && c.Records[f.at].Offset < below; f.at++ {
		if b.fault != nil && f.at == b.faultAt {
			return r.stopsBefore(c, &c.Records[f.at], b.fault)
		}
		if err := r.applyOne(c, &c.Records[f.at], b.outcomes[f.at], b.rowAt(f.at)); err != nil {
			return err
		}
	}
	r.witness()
	r.Machine.Intake().Pass(c.Partition, min(c.Next, below))
	if f.at == len(c.Records) && c.Next <= below {
		f.drop()
	}
	return nil
}

// cutAgain makes a cut, of the state and at the time of the first time. What came before is kept under the mark
// before, so that a crash repeats the cut.
func (r *repeating) cutAgain(ctx context.Context, x *journal.Cut, mark incremental.JournalMark) error {
	if err := r.keep(); err != nil {
		return err
	}
	if err := r.under(x.Settings, mark); err != nil {
		return err
	}
	if n := r.Machine.Arrived(); n != x.Records {
		return fmt.Errorf("%w: at entry %d a release was cut of %d records, and %d are here", journal.ErrForked, mark.Seq, x.Records, n)
	}
	r.Machine.Tick(x.Now)
	var made *incremental.Decision
	err := r.work(ctx, DoingDecide, false, func() (err error) { made, err = r.Machine.Decide(x.Flush); return err })
	switch refused := new(*incremental.InfeasibleError); {
	case errors.As(err, refused): // as the first time; the run says so, if it still is
		r.Machine.Follow(mark)
		return r.keep()
	case errors.Is(err, incremental.ErrUnpublished):
		return fmt.Errorf("%w: at entry %d a release was cut, and the one before was not published", journal.ErrForked, mark.Seq)
	case err != nil:
		return err
	}
	r.Machine.Follow(mark)
	return r.work(ctx, DoingCommit, true, func() error { _, err := r.Machine.Enact(made, x.CreatedAt, x.Settings); return err })
}

// sameIntent demands that the newest release is the one that was decided.
func (r *repeating) sameIntent(x *journal.Intent) error {
	i := r.Machine.Releases().Latest()
	if i == nil || *intentEntry(r.Machine, i) != *x {
		return fmt.Errorf("%w: release %d is not the one that was decided", journal.ErrForked, x.Release)
	}
	return nil
}

// publishAgain makes sure that a release is public, and that it is the one that was.
func (r *repeating) publishAgain(ctx context.Context, x *journal.Published, mark incremental.JournalMark) error {
	i := r.Machine.Releases().Latest()
	switch {
	case i == nil || i.Release != x.Release:
		return fmt.Errorf("%w: release %d was published, and is not the newest that was decided", journal.ErrForked, x.Release)
	case i.Published && i.Manifest != x.Manifest:
		return fmt.Errorf("%w: release %d has another manifest", journal.ErrForked, x.Release)
	case i.Published:
		r.Machine.Follow(mark)
		return nil
	}
	view, err := r.Machine.Releases().Change(x.Release)
	if err != nil {
		return err
	}
	release, err := r.Republish(ctx, view, x.Manifest)
	if err != nil {
		return err
	}
	if release.Manifest != x.Manifest {
		return fmt.Errorf("%w: release %d has another manifest", journal.ErrForked, x.Release)
	}
	r.done.Releases++
	r.Machine.Follow(mark)
	return r.Machine.Published(x.Release, release.Manifest)
}

// eraseAgain lets the state forget those whom it had forgotten. What could not be the first time cannot
// be now.
func (r *repeating) eraseAgain(ctx context.Context, x *journal.Erase, mark incremental.JournalMark) error {
	if err := r.keep(); err != nil {
		return err
	}
	if r.Forgetting == nil {
		return &ForgetError{incremental.ErrNoSubject}
	}
	var done *Forgot
	err := r.work(ctx, DoingForget, true, func() (err error) { done, err = r.Forgetting.ForgetAgain(r.Machine, x.People); return err })
	var refused *ForgetError
	switch {
	case err == nil:
		r.Machine = done.Machine
	case !errors.As(err, &refused):
		return err
	}
	r.Machine.Follow(mark)
	return nil
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
func (r *repeating) feed(ctx context.Context, p incremental.Partition) (*partFeed, error) {
	if f := r.feeds[p]; f != nil {
		return f, nil
	}
	source, err := r.open(ctx, p, r.Machine.Intake().Positions()[p])
	if err != nil {
		return nil, err
	}
	decoder, err := r.NewDecoder()
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	reading, stop := context.WithCancel(ctx)
	f := &partFeed{source: source, stop: stop,
		stage: newStage(source, []decode.Decoder{decoder}, len(r.Schema.Attributes()), r.Shares)}
	f.stage.where = r.Placement
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
			return nil, fmt.Errorf("%w: the source has ended before what the journal tells of", errors.Join(journal.ErrHole, f.stage.err))
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

// close ends the reading.
func (r *repeating) close() {
	for _, f := range r.feeds {
		f.stop()
		_ = f.source.Close() // it was only read
		for range f.stage.out {
		}
	}
}

// Root makes sure that state and journal belong together, before anything is repeated. first is the first entry of
// the journal, nil if there is none: then the state begins one. Its seed is durable before that, since the journal
// does not have it (rule R, randomness).
func (h *Host) Root(ctx context.Context, first *journal.Genesis) error {
	m := h.Machine
	old := m.Arrived() > 0 || len(m.Intake().Positions()) > 0
	switch {
	case first != nil && m.SeedCheck() != [32]byte(first.State):
		return fmt.Errorf("%w: it is the journal of another state, whose draws had another seed", journal.ErrForked)
	case m.Journal().Seq > 0:
		return nil
	case first != nil && (old || first.Records > 0):
		return fmt.Errorf("%w: the state is older than the journal, which began with %d records", journal.ErrHole, first.Records)
	case first != nil:
		_, mark, err := h.Journal.Read(ctx)
		if err != nil {
			return err
		}
		m.Follow(mark)
		return m.Commit()
	}
	if err := m.Commit(); err != nil {
		return err
	}
	mark, err := h.Journal.Append(ctx, &journal.Entry{Genesis: &journal.Genesis{State: m.SeedCheck(), Records: m.Arrived()}})
	if err != nil {
		return err
	}
	m.Follow(mark)
	return m.Commit()
}
