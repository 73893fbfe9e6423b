package ingest

import (
	"context"
	"errors"
	"time"

	"anond/incremental"
)

// resume goes on with a release that was decided but not published.
func (l *loop) resume(ctx context.Context, now time.Time) error {
	if i := l.Machine.Releases().Latest(); i != nil && !i.Published {
		l.Log.Info("finishing the release that was begun", "event", "release_resumed", "release", i.Release)
		return l.publish(ctx, *i, now)
	}
	return nil
}

// publish begins to make a decided release public. began is when the decision
// began.
func (l *loop) publish(ctx context.Context, intent incremental.Intent, began time.Time) error {
	if err := l.tell(ctx, l.Steps.BeforePublish(l.Machine, &intent)); err != nil {
		return err
	}
	var view *incremental.View
	err := l.work(ctx, DoingView, false, func() (err error) { view, err = l.Machine.Releases().Change(intent.Release); return err })
	switch {
	case errors.Is(err, errLeft):
		return err
	case err != nil:
		l.releases.fail(intent, began, err)
	default:
		l.releases.begin(view, began)
	}
	return nil
}

// releaseEnded takes the event that the release in progress has ended.
func (l *loop) releaseEnded(ctx context.Context, e ended) error {
	began := l.releases.leave()
	if e.err != nil {
		l.releaseAnswered(e.err)
		return l.refused(ctx, refusal{e.intent.Release, e.err})
	}
	return l.mark(ctx, e, began)
}

// mark marks a published release in state: the last durable step.
func (l *loop) mark(ctx context.Context, e ended, began time.Time) error {
	if err := l.beforeTransaction(ctx); err != nil { // the mark is committed with all that is staged alongside it
		return err
	}
	if err := l.tell(ctx, l.Steps.BeforePublished(l.Machine, e.intent.Release, e.release.Manifest)); err != nil {
		return err
	}
	if err := l.Hook("before published"); err != nil {
		return err
	}
	mark := func() error { return l.Machine.Published(e.intent.Release, e.release.Manifest) }
	if err := l.work(context.Background(), DoingCommit, true, mark); err != nil {
		return err
	}
	took := l.now().Sub(began)
	l.latest = &Latest{Intent: e.intent, Release: e.release, Took: took}
	l.Meter.Published(took)
	i := e.intent
	l.Log.Info("release published", "event", "release_published", "release", i.Release, "records", i.Records, "pending", i.Pending.Total(),
		"classes", i.Classes, "newcomers", i.Newcomers, "k", e.release.KMin, "max_frequency", e.release.MaxFrequency,
		"ncp", e.release.NCP, "ms", took.Milliseconds())
	l.releaseAnswered(nil)
	l.report(l.now())
	return nil
}

// awaitRelease waits until no release is in progress, because the next one is
// due. Nothing is read meanwhile; all else goes on, and says so.
func (l *loop) awaitRelease(ctx context.Context) error {
	if l.releases.current == 0 {
		return ctx.Err()
	}
	defer l.begins(DoingWait)()
	l.releases.waitLog = time.Time{}
	for l.releases.current != 0 {
		if err := l.react(ctx, nil, l.onTickWaiting); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// onTickWaiting is onTick while reading waits for a release.
func (l *loop) onTickWaiting(ctx context.Context) error {
	if err := l.housekeep(ctx, l.now()); err != nil {
		return err
	}
	l.reportDue()
	now := l.now()
	if w := l.releases.waited(now, l.doing.since); w != nil {
		attrs := []any{"event", "release_waits", "release", w.release, "for", now.Sub(l.doing.since).Round(time.Second).String()}
		if w.why != "" {
			attrs = append(attrs, "error", w.why)
		}
		l.Log.Warn("the next release is due and the one before is not published: reading waits", attrs...)
	}
	return nil
}

// settle finishes the release in progress for a stop, or parks it: after the
// given time, or as soon as an attempt has failed.
func (l *loop) settle(ctx context.Context, limit time.Duration) error {
	if l.releases.current == 0 {
		return nil
	}
	l.releases.settle()
	over, stop := l.Clock.Ticker(limit)
	defer stop()
	for {
		select {
		case e := <-l.releases.ended:
			return l.releaseEnded(ctx, e)
		case <-l.ticks:
			l.reportDue()
		case <-over:
			l.releases.cancel()
			return l.refused(ctx, refusal{l.releases.current, ErrParked})
		}
	}
}

// abandon ends the making of a release when the loop stops for an error: it
// must not write any more when another process has the state. What is decided
// stays decided: the next start makes the same release again, and an outcome
// that is not read here is found then.
func (l *loop) abandon() {
	if l.releases.current == 0 {
		return
	}
	l.releases.cancel()
	over, stop := l.Clock.Ticker(l.DrainFor)
	defer stop()
	select {
	case <-l.releases.ended:
	case <-over:
	}
}
