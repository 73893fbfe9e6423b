package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"anond/incremental"
)

// releases is the part of the loop that makes releases, at most one at a time.
// Rendering runs alongside the loop, on a view that does not change.
type releases struct {
	done     chan published
	inMaking uint32
	began    time.Time
	cancel   context.CancelFunc // ends the publishing
	settle   context.CancelFunc // no further attempt follows the one under way
	lastTry  time.Time          // newest cut tried
	slot     time.Time          // next scheduled moment
	waitLog  time.Time          // newest line about a cut that waits; zero: none
	newest   *Latest
	mu       sync.Mutex
	failure  string // why the newest attempt failed
}

type published struct {
	intent  incremental.Intent
	release Release
	err     error
}

// ErrParked: the release is decided, not published, and left to the next start.
var ErrParked = errors.New("the release is left to the next start")

// onceAttempts is how often a run that has to end (Host.Once) tries to publish a
// release: about two seconds with the usual waits.
const onceAttempts = 5

// resume goes on with a release that was decided but not published.
func (r *releases) resume(ctx context.Context, l *loop) error {
	r.lastTry = l.now()
	r.firstSlot(l, r.lastTry)
	if i := l.Machine.Latest(); i != nil && !i.Published {
		l.Log.Info("finishing the release that was begun", "event", "release_resumed", "release", i.Release)
		return r.begin(ctx, l, *i, r.lastTry)
	}
	return nil
}

// onTick makes a release if the host's trigger says so.
func (r *releases) onTick(ctx context.Context, l *loop, now time.Time) error {
	if r.inMaking != 0 {
		return nil
	}
	scheduled := l.Trigger.Next != nil && !now.Before(r.slot)
	if scheduled {
		r.slot = l.Trigger.Next(now)
	}
	ready := l.Machine.InitialDone() || l.Machine.Growing()
	switch {
	case scheduled && !ready:
		l.skipped("first_load")
		return nil
	case scheduled:
		return l.cut(ctx, cutting{scheduled: true})
	case ready && l.Trigger.Update && now.Sub(r.lastTry) >= l.Trigger.MinInterval && l.Machine.UpdateDue():
		return l.cut(ctx, cutting{})
	}
	return nil
}

// cutting says how a cut comes about.
type cutting struct {
	scheduled bool // its time has come: it is logged even if nothing happened since the last
	flush     bool // the source is at its end
}

// cut asks the machine what to publish. A release in progress is awaited first,
// which pauses the reading: cuts stay where the counts put them.
//
// What was applied is committed first. So a stop during the decision loses
// nothing, and the next start decides the same.
func (l *loop) cut(ctx context.Context, how cutting) error {
	if err := l.awaitRelease(ctx); err != nil {
		return err
	}
	now := l.now()
	l.releases.lastTry = now
	fresh := l.Machine.NewSinceCut() > 0
	if !l.stagedAt.IsZero() {
		if err := l.commit(ctx); err != nil {
			return err
		}
	}
	var made *incremental.Decision
	err := l.work(ctx, DoingDecide, false, func() (err error) { made, err = l.Machine.Decide(how.flush); return err })
	if err != nil {
		return l.firstRefused(ctx, err)
	}
	if err := l.fenced(); err != nil {
		return err
	}
	if err := l.Hook("before intent"); err != nil {
		return err
	}
	var intent *incremental.Intent
	err = l.work(ctx, DoingCommit, true, func() (err error) { intent, err = l.Machine.Enact(made, now.Unix(), l.Policy); return err })
	if err != nil {
		return err
	}
	if err := l.committed(); err != nil {
		return err
	}
	l.warnInfeasible()
	switch {
	case intent != nil:
		return l.releases.begin(ctx, l, *intent, now)
	case fresh && l.Machine.Growing():
		l.logWaiting()
	case how.scheduled && l.Machine.Growing():
		l.skipped("first_load")
	case fresh || how.scheduled:
		l.skipped("nothing_new")
	}
	return nil
}

func (l *loop) skipped(why string) {
	l.Log.Info("nothing is newly publishable", "event", "release_skipped", "pending", l.Machine.Status().Pending.Total(), "why", why)
}

func (l *loop) warnInfeasible() {
	s := l.Machine.Status()
	if s.Infeasible && s.InitialEnd {
		l.Log.Warn("records that have waited longer than max_hold break 1/l by themselves; publishing all that waits or nothing", "event", "infeasible", "records", s.Pending.Infeasible)
	}
	for _, s := range s.Shortfalls {
		l.Log.Warn("sensitive values that have waited longer than max_hold break the promise of their attribute by themselves; classes that would are held", "event", "infeasible",
			"attribute", s.Attribute, "records", s.Records, "share", s.Share, "reachable_l", s.Reachable, "distance", s.Distance)
	}
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

// begin renders and publishes in a goroutine of its own. began is when the
// decision began.
func (r *releases) begin(ctx context.Context, l *loop, intent incremental.Intent, began time.Time) error {
	var view *incremental.View
	err := l.work(ctx, DoingView, false, func() (err error) { view, err = l.Machine.Change(intent.Release); return err })
	if errors.Is(err, errLeft) {
		return err
	}
	r.inMaking, r.began = intent.Release, began
	publishing, cancel := context.WithCancel(context.Background())
	trying, settle := context.WithCancel(publishing)
	r.cancel, r.settle = cancel, settle
	if err != nil {
		r.done <- published{intent: intent, err: errors.Join(ErrPermanent, err)}
		return nil
	}
	go func() {
		release, err := l.publish(publishing, trying, view)
		r.done <- published{intent, release, err}
	}()
	return nil
}

// publish tries until it succeeds, until the error is one that no retry can
// correct, or until it is told to settle. A run that has to end gives up.
func (l *loop) publish(ctx, trying context.Context, view *incremental.View) (Release, error) {
	attempts := l.Retry.Attempts()
	for {
		release, err := l.Publisher.Publish(ctx, view)
		switch {
		case err == nil || errors.Is(err, ErrPermanent):
			return release, err
		case ctx.Err() != nil:
			return release, ctx.Err()
		}
		l.releases.note(err.Error())
		l.Log.Error("publishing failed; the intent stays, trying again", "event", "release_failed",
			"release", view.Intent.Release, "error", err.Error())
		if l.Once && attempts.Failed()+1 >= onceAttempts {
			return release, fmt.Errorf("%w: %d attempts failed: %w", ErrParked, onceAttempts, err)
		}
		if attempts.Wait(trying) != nil {
			return release, ErrParked
		}
	}
}

func (r *releases) note(failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = failure
}

// trouble is why the release in progress could not be published yet.
func (r *releases) trouble() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

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

// unpublished logs why a release has not been published.
func (l *loop) unpublished(p published) {
	switch {
	case errors.Is(p.err, context.Canceled):
	case errors.Is(p.err, ErrParked):
		l.Log.Warn("the release in progress is parked; the next start finishes it", "event", "release_parked", "release", p.intent.Release)
	default:
		l.Log.Error("the release was not published", "event", "release_refused", "release", p.intent.Release, "error", p.err.Error())
	}
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
