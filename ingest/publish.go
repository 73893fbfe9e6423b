package ingest

import (
	"context"
	"errors"
	"time"

	"anond/incremental"
)

// finished marks a published release in state: the last durable step.
func (r *releases) finished(l *loop, p published) error {
	r.inMaking = 0
	r.cancel()
	r.note("")
	if p.err != nil {
		l.unpublished(p)
		return p.err
	}
	l.witness() // the mark is committed with all that is staged alongside it
	if err := l.fenced(); err != nil {
		return err // whoever may go on finds the release and marks it
	}
	if err := l.Hook("before published"); err != nil {
		return err
	}
	mark := func() error { return l.Machine.Published(p.intent.Release, p.release.Manifest) }
	if err := l.work(context.Background(), DoingCommit, true, mark); err != nil {
		return err
	}
	took := l.now().Sub(r.began)
	r.newest = &Latest{Intent: p.intent, Release: p.release, Took: took}
	i := p.intent
	l.Log.Info("release published", "event", "release_published", "release", i.Release, "records", i.Records, "pending", i.Pending.Total(),
		"classes", i.Classes, "newcomers", i.Newcomers, "k", p.release.KMin, "max_frequency", p.release.MaxFrequency, "ncp", p.release.NCP, "ms", took.Milliseconds())
	l.report(l.now())
	return nil
}

// awaitRelease waits until no release is in progress, because the next one is
// due. Nothing is read meanwhile; all else goes on, and says so.
func (l *loop) awaitRelease(ctx context.Context) error {
	r := &l.releases
	if r.inMaking == 0 {
		return ctx.Err()
	}
	defer l.begins(DoingWait)()
	r.waitLog = time.Time{}
	for r.inMaking != 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-r.done:
			if err := r.finished(l, p); err != nil {
				return err
			}
		case err := <-l.outbox.failed:
			return err
		case <-l.outbox.delivered:
			l.outbox.take(l.Machine)
			l.noteStaged(0)
		case <-l.ticks:
			if err := l.housekeep(ctx, l.now()); err != nil {
				return err
			}
			l.reportDue()
			r.sayWaiting(l)
		}
	}
	return ctx.Err()
}

// sayWaiting logs that reading waits for a release: once an attempt to publish
// it has failed, or it took a minute, and then each minute.
func (r *releases) sayWaiting(l *loop) {
	now := l.now()
	why := r.trouble()
	since := r.waitLog
	if since.IsZero() && why == "" {
		since = l.doing.since
	}
	if r.inMaking == 0 || now.Sub(since) < time.Minute {
		return
	}
	r.waitLog = now
	attrs := []any{"event", "release_waits", "release", r.inMaking, "for", now.Sub(l.doing.since).Round(time.Second).String()}
	if why != "" {
		attrs = append(attrs, "error", why)
	}
	l.Log.Warn("the next release is due and the one before is not published: reading waits", attrs...)
}

// await finishes the release in progress, or parks it: after the given time, or
// as soon as an attempt has failed.
func (r *releases) await(l *loop, limit time.Duration) error {
	if r.inMaking == 0 {
		return nil
	}
	r.settle()
	over, stop := l.Clock.Ticker(limit)
	defer stop()
	for {
		select {
		case p := <-r.done:
			if err := r.finished(l, p); !errors.Is(err, ErrParked) {
				return err
			}
			return nil
		case <-l.ticks:
			l.reportDue()
		case <-over:
			r.cancel()
			l.unpublished(published{intent: incremental.Intent{Release: r.inMaking}, err: ErrParked})
			return nil
		}
	}
}

// abandon ends the making of a release when the loop stops for an error: it must
// not go on writing alongside whoever starts next. What is decided stays decided,
// and the next start finishes it.
func (r *releases) abandon(l *loop) {
	if r.inMaking == 0 {
		return
	}
	r.cancel()
	over, stop := l.Clock.Ticker(l.DrainFor)
	defer stop()
	select {
	case <-r.done:
	case <-over:
	}
}
