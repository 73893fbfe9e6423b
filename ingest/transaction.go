package ingest

import (
	"anond/incremental/state"
	"context"
	"time"

	"anond/incremental"
)

// staged is what the machine has taken since the last commit.
type staged struct {
	entries int       // records, and what else counts as one
	bytes   int       // of input
	since   time.Time // when the first of it came; zero: nothing is staged
	// last is the newest record of the partition that moved on last, by which its source
	// is known again (Machine.Witness); nil: the machine knows it.
	last    *Record
	of      *Chunk                   // that it is in
	unacked map[state.Partition]bool // partitions that have moved on
	moved   state.Partition          // the one that did last
}

func newStaged() staged { return staged{unacked: map[state.Partition]bool{}} }

// move notes that a partition has moved on. Records come in chunks of one partition, so
// that the map is asked once a chunk.
func (s *staged) move(p state.Partition) {
	if len(s.unacked) == 0 || s.moved != p {
		s.unacked[p], s.moved = true, p
	}
}

// transaction makes durable what the machine has taken in, in order with whoever is told of it.
type transaction struct {
	*loop
	staged staged
	noted  incremental.Judged // outside of the state
}

func (l *transaction) noteStaged(n int) {
	if l.staged.since.IsZero() {
		l.staged.since = l.now()
	}
	l.staged.entries += n
}

// commitFull commits if a transaction has gathered all that it may.
func (l *transaction) commitFull(ctx context.Context) error {
	if l.staged.entries < l.CommitRecords && l.staged.bytes < l.Shares.Commit && !l.Steps.Full() {
		return nil
	}
	return l.commit(ctx)
}

// commitDue commits if what is staged has waited long enough.
func (l *transaction) commitDue(ctx context.Context, now time.Time) error {
	if l.staged.since.IsZero() || now.Sub(l.staged.since) < l.CommitEvery {
		return nil
	}
	return l.commit(ctx)
}

// commit makes what is staged durable, then tells the source and the outbox.
func (l *transaction) commit(ctx context.Context) error {
	if err := l.beforeTransaction(ctx); err != nil {
		return err
	}
	if err := l.Hook("before commit"); err != nil {
		return err
	}
	if err := l.reporting.work(ctx, DoingCommit, true, l.Machine.Commit); err != nil {
		return err
	}
	return l.committed()
}

// beforeTransaction does what comes before a transaction that has what is staged.
func (l *transaction) beforeTransaction(ctx context.Context) error {
	l.witness()
	if err := l.fenced(); err != nil {
		return err // the next owner of the state reads what is staged again, and marks a release that it finds
	}
	if err := l.list(); err != nil {
		return err
	}
	if l.Owners != nil {
		if err := l.Owners.BeforeCommit(l.Machine); err != nil {
			return err
		}
	}
	return l.tell(ctx, l.Steps.BeforeCommit(l.Machine))
}

// fenced says why nothing may be committed any more.
func (l *transaction) fenced() error {
	if l.Fence == nil {
		return nil
	}
	return l.Fence()
}

func (l *transaction) witness() {
	s := &l.staged
	if s.last == nil {
		return
	}
	digest := func(r *Record) state.Digest { return l.Machine.Digest(r.Value) }
	if s.of.Witness != nil {
		digest = s.of.Witness
	}
	l.Machine.Intake().Witness(s.moved, digest(s.last))
	s.last, s.of = nil, nil
}

// committed tells the source and the outbox what is durable now.
func (l *transaction) committed() error {
	if err := l.Hook("after commit"); err != nil {
		return err
	}
	if err := l.judged(); err != nil { // before anybody is told whose record was refused
		return err
	}
	s := &l.staged
	s.entries, s.bytes, s.since = 0, 0, time.Time{}
	l.intake.look()
	if len(s.unacked) > 0 {
		ack := make(map[state.Partition]int64, len(s.unacked))
		for p := range s.unacked {
			ack[p], _ = l.Machine.Intake().Next(p)
		}
		l.Source.Ack(ack)
		clear(s.unacked)
	}
	l.outbox.wake()
	return nil
}
