package ingest

import (
	"context"
	"errors"
	"time"

	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest/decode"
)

// leaveReader waits until the reader has ended. A reader that hangs where no
// context reaches it is left behind: nothing that it still reads counts as
// read.
func (l *intake) leaveReader() {
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
	if l.reporting.doing.name != "" {
		attrs = append(attrs, "doing", l.reporting.doing.name)
	}
	if r := l.publishing.releases.current; r != 0 {
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
	defer l.reporting.begins(DoingDraining)()
	if !l.reporting.working {
		if err := l.transaction.commit(ctx); unfinished(err) {
			l.reporting.working = true
			return l.drain(ctx) // what is not stored is read again
		} else if err != nil {
			return err
		}
		if err := l.publishing.settle(ctx, l.DrainFor); err != nil && !errors.Is(err, ErrParked) {
			return err
		}
	}
	l.reporting.report(l.now())
	l.Log.Info("stopped", "event", "stopped", "outbox", l.reporting.counts.Outbox)
	return nil
}

// finish ends a run that reached the end of its source.
func (l *loop) finish(ctx context.Context) error {
	if l.rehearses() {
		return l.rehearse(ctx)
	}
	if err := l.transaction.commit(ctx); err != nil {
		return err
	}
	if err := l.erasure.remove(ctx); err != nil {
		return err
	}
	if _, err := l.erasure.forgetDue(ctx); err != nil {
		return err
	}
	if err := l.deliverRest(ctx); err != nil {
		return err
	}
	if err := l.transaction.commit(ctx); err != nil {
		return err
	}
	l.reporting.report(l.now())
	l.Log.Info("the source is at its end", append([]any{"event", "stopped", "outbox", l.reporting.counts.Outbox}, l.reporting.summary()...)...)
	if l.intake.refusals.tooMany() {
		return l.intake.manyRefused("the run ends, and nothing more is published")
	}
	return l.publishing.standing()
}

// deliverRest waits until all dead letters have reached their sink. One that
// takes nothing for DeliverFor does not delay the end: the dead letters stay in
// state, and the next run delivers them.
func (l *loop) deliverRest(ctx context.Context) error {
	defer l.reporting.begins(DoingDeliver)()
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
			l.reporting.reportDue()
		}
	}
}

// summary counts what became of every line or message that was read.
func (l *reporting) summary() []any {
	s, unread := l.Machine.Status(), l.Source.Status().Unread
	ignored := uint64(0)
	for why, n := range s.Ignored {
		if why != decode.ReasonBlank && why != decode.ReasonHeaderLine && why != decode.ReasonContinued {
			ignored += n
		}
	}
	attrs := []any{"sent", s.Sent, "published", s.Published, "pending", s.Pending.Total(), "dead_letter", s.DeadLetter, "beyond", s.Beyond,
		"ignored", ignored, "header", s.Ignored[decode.ReasonHeaderLine], "blank", s.Ignored[decode.ReasonBlank], "continued",
		s.Ignored[decode.ReasonContinued],
		"unterminated", unread.Unterminated, "without_record", unread.WithoutRecord}
	if s.Expired > 0 {
		attrs = append(attrs, "expired", s.Expired)
	}
	if s.Withdrawn > 0 {
		attrs = append(attrs, "withdrawn", s.Withdrawn)
	}
	if unread.SetAside > 0 {
		attrs = append(attrs, "files_set_aside", unread.SetAside)
	}
	return attrs
}

// Rehearsal is what a run to the present end of a source would come to, if it made one release
// of all that it reads: counts and losses. At level L2 nothing in it depends on a value of those
// who wait (incremental.Outlook).
type Rehearsal struct {
	Before, After incremental.Status
	Unread        Unread
	Plan          *incremental.Outlook // nil: the first load waits for more records
}

// rehearses reports whether the host only rehearses: it reads, and decides, publishes, forgets
// and delivers nothing. What the machine commits is lost with its store.
func (l *loop) rehearses() bool { return l.Rehearsed != nil }

// rehearse looks at what a release at the end of the source would publish.
func (l *loop) rehearse(ctx context.Context) error {
	if err := l.transaction.commit(ctx); err != nil {
		return err
	}
	out := Rehearsal{Before: l.before, Unread: l.Source.Status().Unread}
	if l.Machine.InitialLoad().Done() || l.Machine.InitialLoad().Enough() {
		err := l.reporting.work(ctx, DoingPlan, false, func() (err error) { out.Plan, err = l.Machine.Outlook(state.AtEnd); return err })
		if err != nil {
			return err
		}
	}
	out.After = l.Machine.Status()
	l.Rehearsed(out)
	return nil
}
