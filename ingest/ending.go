package ingest

import (
	"context"
	"errors"
	"time"
)

// leaveReader waits until the reader has ended. A reader that hangs where no
// context reaches it is left behind: nothing that it still reads counts as
// read.
func (l *loop) leaveReader() {
	until := time.Time{}
	for {
		select {
		case _, more := <-l.stage.out:
			if !more {
				return
			}
		case <-l.ticks:
			now := l.now()
			if until.IsZero() {
				until = now.Add(5 * stuckAfter)
			}
			if !now.Before(until) {
				l.Log.Warn("the source does not answer and is left behind", "event", "source_stuck")
				return
			}
		}
	}
}

// drains notes that a stop was asked for, and says so once.
func (l *loop) drains() {
	if l.stopping {
		return
	}
	l.stopping = true
	attrs := []any{"event", "draining"}
	if l.doing.name != "" {
		attrs = append(attrs, "doing", l.doing.name)
	}
	if r := l.releases.current; r != 0 {
		attrs = append(attrs, "release", r)
	}
	l.Log.Info("stopping: what was read is committed, a release in progress is finished or parked", attrs...)
}

// drain stops in good order: what was applied is committed, a release in
// progress is finished or, if it fails or takes too long, parked: its intent
// stays and the next start finishes it. Long work that keeps nothing is left
// unfinished: what was applied before it is committed already.
func (l *loop) drain(ctx context.Context) error {
	l.drains()
	defer l.begins(DoingDraining)()
	if !l.working {
		if err := l.commit(ctx); unfinished(err) {
			l.working = true
			return l.drain(ctx) // what is not stored is read again
		} else if err != nil {
			return err
		}
		if err := l.settle(ctx, l.DrainFor); err != nil && !errors.Is(err, ErrParked) {
			return err
		}
	}
	l.report(l.now())
	l.Log.Info("stopped", "event", "stopped", "outbox", l.counts.Outbox)
	return nil
}

// finish ends a run that reached the end of its source.
func (l *loop) finish(ctx context.Context) error {
	if l.rehearses() {
		return l.rehearse(ctx)
	}
	if err := l.commit(ctx); err != nil {
		return err
	}
	if _, err := l.forgetDue(ctx); err != nil {
		return err
	}
	if err := l.deliverRest(ctx); err != nil {
		return err
	}
	if err := l.commit(ctx); err != nil {
		return err
	}
	l.report(l.now())
	l.Log.Info("the source is at its end", append([]any{"event", "stopped", "outbox", l.counts.Outbox}, l.summary()...)...)
	if l.refusals.tooMany() {
		return l.manyRefused("the run ends, and nothing more is published")
	}
	return l.standing()
}

// deliverRest waits until all dead letters have reached their sink. One that
// takes nothing for DeliverFor does not delay the end: the dead letters stay in
// state, and the next run delivers them.
func (l *loop) deliverRest(ctx context.Context) error {
	defer l.begins(DoingDeliver)()
	progress := l.now()
	for {
		l.outbox.take(l.Machine)
		waiting := l.Machine.Status().Outbox
		now := l.now()
		notAfter(now, &progress)
		switch {
		case waiting == 0:
			return nil
		case ctx.Err() != nil, now.Sub(progress) >= l.DeliverFor:
			l.Log.Warn("dead letters could not be delivered; they stay in state, and the next run delivers them",
				"event", "dead_letter_kept", "outbox", waiting, "error", l.outbox.trouble())
			return nil
		}
		select {
		case <-ctx.Done():
		case err := <-l.outbox.failed:
			return err
		case <-l.outbox.delivered:
			progress = now
		case <-l.ticks:
			l.reportDue()
		}
	}
}
