package ingest

import (
	"context"
	"time"

	"anond/incremental"
)

func (l *loop) noteStaged(n int) {
	if l.stagedAt.IsZero() {
		l.stagedAt = l.Clock.Now()
	}
	l.staged += n
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
