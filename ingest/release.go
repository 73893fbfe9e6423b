package ingest

import (
	"context"
	"errors"
	"time"

	"anond/incremental"
)

// releases is the part of the loop that makes releases, at most one at a time.
// Rendering runs beside the loop, on a view that does not change.
type releases struct {
	done     chan published
	inMaking uint32
	began    time.Time
	cancel   context.CancelFunc
	lastTry  time.Time // newest cut tried
	slot     time.Time // next scheduled moment
	newest   *Latest
}

type published struct {
	intent  incremental.Intent
	release Release
	err     error
}

// resume goes on with a release that was decided but not published, and finds
// the first scheduled moment: one that passed while nobody ran is due now.
func (r *releases) resume(l *loop) {
	r.lastTry = l.Clock.Now()
	from := r.lastTry
	if i := l.Machine.Latest(); i != nil {
		from = time.Unix(i.CreatedAt, 0)
		if !i.Published {
			l.Log.Info("finishing the release that was begun", "event", "release_resumed", "release", i.Release)
			r.begin(l, *i, r.lastTry)
		}
	}
	if l.Trigger.Next != nil {
		r.slot = l.Trigger.Next(from)
	}
}

// onTick makes a release if the host's trigger says so.
func (r *releases) onTick(ctx context.Context, l *loop, now time.Time) error {
	if r.inMaking != 0 || !l.Machine.InitialDone() && !l.Machine.Growing() || !r.due(l, now) {
		return nil
	}
	return l.cut(ctx)
}

func (r *releases) due(l *loop, now time.Time) bool {
	if l.Trigger.Next != nil && !now.Before(r.slot) {
		r.slot = l.Trigger.Next(now)
		return true
	}
	return l.Trigger.Update && now.Sub(r.lastTry) >= l.Trigger.MinInterval && l.Machine.UpdateDue()
}

// cut asks the machine what to publish. A release in the making is awaited
// first, which pauses the reading: cuts stay where the counts put them.
func (l *loop) cut(ctx context.Context) error { return l.cutBy(ctx, l.Machine.Cut) }

func (l *loop) cutBy(ctx context.Context, decide func(createdAt int64, policy [32]byte) (*incremental.Intent, error)) error {
	r := &l.releases
	for r.inMaking != 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-r.done:
			if err := r.finished(l, p); err != nil {
				return err
			}
		}
	}
	now := l.Clock.Now()
	r.lastTry = now
	l.witness()
	if err := l.Hook("before intent"); err != nil {
		return err
	}
	fresh := l.Machine.NewSinceCut() > 0
	intent, err := decide(now.Unix(), l.Policy)
	if err != nil {
		return l.firstRefused(err)
	}
	if err := l.committed(); err != nil {
		return err
	}
	if s := l.Machine.Status(); s.Infeasible && s.InitialEnd {
		l.Log.Warn("records that have waited longer than max_hold break 1/l by themselves; publishing all that waits or nothing", "event", "infeasible", "records", s.Pending.Infeasible)
	}
	for _, s := range l.Machine.Status().Shortfalls {
		l.Log.Warn("sensitive values that have waited longer than max_hold break the promise of their attribute by themselves; classes that would are held", "event", "infeasible",
			"attribute", s.Attribute, "records", s.Records, "share", s.Share, "reachable_l", s.Reachable, "distance", s.Distance)
	}
	if intent == nil && !fresh {
		return nil
	}
	if intent == nil && l.Machine.Growing() {
		l.logWaiting()
		return nil
	}
	if intent == nil {
		l.Log.Info("nothing is newly publishable", "event", "release_skipped", "pending", l.Machine.Status().Pending.Total())
		return nil
	}
	r.begin(l, *intent, now)
	return nil
}

// begin renders and publishes in a goroutine of its own, trying again for ever
// unless the error is final. began is when the decision began.
func (r *releases) begin(l *loop, intent incremental.Intent, began time.Time) {
	r.inMaking, r.began = intent.Release, began
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	view, err := l.Machine.View(intent.Release)
	if err != nil {
		r.done <- published{intent: intent, err: errors.Join(ErrPermanent, err)}
		return
	}
	go func() {
		attempts := l.Retry.Attempts()
		for {
			release, err := l.Publisher.Publish(ctx, view)
			if err == nil || errors.Is(err, ErrPermanent) || ctx.Err() != nil {
				r.done <- published{intent, release, err}
				return
			}
			l.Log.Error("publishing failed; the intent stays, trying again", "event", "release_failed", "release", intent.Release, "error", err.Error())
			if attempts.Wait(ctx) != nil {
				r.done <- published{intent, Release{}, ctx.Err()}
				return
			}
		}
	}()
}

// finished marks a published release in state: the last durable step.
func (r *releases) finished(l *loop, p published) error {
	r.inMaking = 0
	r.cancel()
	if p.err != nil {
		if !errors.Is(p.err, context.Canceled) {
			l.Log.Error("the release was not published", "event", "release_refused", "release", p.intent.Release, "error", p.err.Error())
		}
		return p.err
	}
	l.witness() // the mark is committed with all that is staged beside it
	if err := l.Hook("before published"); err != nil {
		return err
	}
	if err := l.Machine.Published(p.intent.Release, p.release.Manifest); err != nil {
		return err
	}
	took := l.Clock.Now().Sub(r.began)
	r.newest = &Latest{Intent: p.intent, Release: p.release, Took: took}
	i := p.intent
	l.Log.Info("release published", "event", "release_published", "release", i.Release, "records", i.Records, "pending", i.Pending.Total(),
		"classes", i.Classes, "newcomers", i.Newcomers, "k", p.release.KMin, "max_frequency", p.release.MaxFrequency, "ncp", p.release.NCP, "ms", took.Milliseconds())
	l.report(l.Clock.Now())
	return nil
}

// await finishes the release in the making, or parks it after the given time.
func (r *releases) await(l *loop, limit time.Duration) error {
	if r.inMaking == 0 {
		return nil
	}
	over, stop := l.Clock.Ticker(limit)
	defer stop()
	select {
	case p := <-r.done:
		return r.finished(l, p)
	case <-over:
		r.cancel()
		l.Log.Warn("the release in the making is parked; the next start finishes it", "event", "release_parked", "release", r.inMaking)
		return nil
	}
}

// abandon ends the making of a release when the loop stops for an error: it must
// not go on writing beside whoever starts next. What is decided stays decided,
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

// report tells observers how things stand, and the log once a minute.
func (l *loop) report(now time.Time) {
	l.seen = now
	rep := Report{Time: now, Machine: l.Machine.Status(), Source: l.Source.Status(), Releasing: l.releases.inMaking, Newest: l.releases.newest}
	l.Observe(rep)
	if now.Sub(l.statusLog) < time.Minute {
		return
	}
	l.statusLog = now
	s := rep.Machine
	l.Log.Info("status", "event", "status", "sent", s.Sent, "published", s.Published, "pending", s.Pending.Total(), "dead_letter", s.DeadLetter,
		"outbox", s.Outbox, "classes", s.Classes, "release", s.Release, "infeasible", s.Infeasible, "lag", rep.Source.Lag(), "stalled", rep.Source.Stalled)
}
