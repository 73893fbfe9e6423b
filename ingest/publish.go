package ingest

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"time"

	"anond/incremental"
	"anond/internal/fault"
)

// publishing makes what was decided public, one release at a time.
type publishing struct {
	*loop
	releases   *releases // the release in progress
	refusedLog time.Time // newest line about a first load that is refused
}

// resume goes on with a release that was decided but not published.
func (l *publishing) resume(ctx context.Context, now time.Time) error {
	if i := l.Machine.Releases().Latest(); i != nil && !i.Published {
		l.Log.Info("finishing the release that was begun", "event", "release_resumed", "release", i.Release)
		return l.publish(ctx, *i, now)
	}
	return nil
}

// publish begins to make a decided release public. began is when the decision
// began.
func (l *publishing) publish(ctx context.Context, intent state.Intent, began time.Time) error {
	if err := l.transaction.tell(ctx, l.Steps.BeforePublish(l.Machine, &intent)); err != nil {
		return err
	}
	var view *incremental.View
	err := l.reporting.work(ctx, DoingView, false, func() (err error) { view, err = l.Machine.Releases().Change(intent.Release); return err })
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
func (l *publishing) releaseEnded(ctx context.Context, e ended) error {
	began := l.releases.leave()
	if e.err != nil {
		l.operator.releaseAnswered(e.err)
		return l.refused(ctx, refusal{e.intent.Release, e.err})
	}
	return l.mark(ctx, e, began)
}

// mark marks a published release in state: the last durable step.
func (l *publishing) mark(ctx context.Context, e ended, began time.Time) error {
	if err := l.transaction.beforeTransaction(ctx); err != nil { // the mark is committed with all that is staged alongside it
		return err
	}
	if err := l.transaction.tell(ctx, l.Steps.BeforePublished(l.Machine, e.intent.Release, e.release.Manifest)); err != nil {
		return err
	}
	if err := l.Hook("before published"); err != nil {
		return err
	}
	mark := func() error { return l.Machine.Published(e.intent.Release, e.release.Manifest) }
	if err := l.reporting.work(context.Background(), DoingCommit, true, mark); err != nil {
		return err
	}
	took := l.now().Sub(began)
	l.reporting.latest = &Latest{Intent: e.intent, Release: e.release, Took: took}
	l.Meter.Published(took)
	i := e.intent
	l.Log.Info("release published", "event", "release_published", "release", i.Release, "records", i.Records, "pending", i.Pending.Total(),
		"classes", i.Classes, "newcomers", i.Newcomers, "k", e.release.KMin, "max_frequency", e.release.MaxFrequency,
		"ncp", e.release.NCP, "ms", took.Milliseconds())
	l.operator.releaseAnswered(nil)
	l.reporting.report(l.now())
	return nil
}

// awaitRelease waits until no release is in progress, because the next one is
// due. Nothing is read meanwhile; all else goes on, and says so.
func (l *publishing) awaitRelease(ctx context.Context) error {
	if l.releases.current == 0 {
		return ctx.Err()
	}
	defer l.reporting.begins(DoingWait)()
	l.releases.waitLog = time.Time{}
	for l.releases.current != 0 {
		if err := l.react(ctx, nil, l.onTickWaiting); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// onTickWaiting is onTick while reading waits for a release.
func (l *publishing) onTickWaiting(ctx context.Context) error {
	if err := l.housekeep(ctx, l.now()); err != nil {
		return err
	}
	l.reporting.reportDue()
	now := l.now()
	if w := l.releases.waited(now, l.reporting.doing.since); w != nil {
		attrs := []any{"event", "release_waits", "release", w.release, "for", now.Sub(l.reporting.doing.since).Round(time.Second).String()}
		if w.why != "" {
			attrs = append(attrs, "error", w.why)
		}
		l.Log.Warn("the next release is due and the one before is not published: reading waits", attrs...)
	}
	return nil
}

// settle finishes the release in progress for a stop, or parks it: after the
// given time, or as soon as an attempt has failed.
func (l *publishing) settle(ctx context.Context, limit time.Duration) error {
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
			l.reporting.reportDue()
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
func (l *publishing) abandon() {
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

// refusal says why a release is not made: the machine does not decide it, or it
// is decided and not published.
type refusal struct {
	release uint32 // 0: not decided
	err     error
}

// refused is the one way by which a refusal leaves the loop, whoever refuses: the
// machine (the first load that no partition can satisfy, its own check of a
// decision), the gate, or a disk that a run with an end does not wait for. It is
// logged here and nowhere else. The error that comes back ends the run; nil means
// that the run goes on. Exit codes are made of errors by package main.
func (l *publishing) refused(ctx context.Context, r refusal) error {
	var load *plan.InfeasibleError
	switch {
	case errors.As(r.err, &load):
		return l.keepFirstLoad(ctx, load)
	case errors.Is(r.err, incremental.ErrUnsafe):
		l.Log.Error("the release was not decided: it would have broken a rule", "event", "release_refused",
			"release", l.Machine.Status().Release+1, "error", r.err.Error())
	case r.release == 0, errors.Is(r.err, context.Canceled):
		// Nothing was decided, or the publishing was told to end: only the run's error says so.
	case errors.Is(r.err, ErrParked):
		l.Log.Warn("the release in progress is parked; the next start finishes it", "event", "release_parked", "release", r.release)
	default:
		l.Log.Error("the release was not published", "event", "release_refused", "release", r.release, "error", r.err.Error())
	}
	return r.err
}

// keepFirstLoad goes on with a first load that is refused (rule I, infeasible):
// it is counted and kept, may grow, and is cut again whenever a release would
// be due; so it is said at most once a minute. See standing for the end of the
// source. At level L2 the first pool is fixed, and its refusal ends the run.
func (l *publishing) keepFirstLoad(ctx context.Context, load *plan.InfeasibleError) error {
	if err := l.transaction.commit(ctx); err != nil {
		return err
	}
	if err := l.transaction.judged(); err != nil {
		return err
	}
	l.operator.why = "infeasible"
	if load.Fixed {
		l.Log.Error("the first pool is refused: it stays as it is", "event", "infeasible", "records", load.Records,
			"attribute", load.Attribute, "error", load.Error(), "hint", fault.Hint(load))
		return load
	}
	now := l.now()
	if !l.refusedLog.IsZero() && now.Sub(l.refusedLog) < time.Minute {
		return nil
	}
	l.refusedLog = now
	l.Log.Warn("the first load is refused: it waits and may grow", "event", "infeasible", "records", load.Records,
		"attribute", load.Attribute, "error", load.Error(), "hint", fault.Hint(load))
	return nil
}

// Errors with which a run ends at the end of its source (exit 3). Neither depends on a value of those who wait.
var (
	// ErrPoolRefused: a pool of this run could not satisfy the policy.
	ErrPoolRefused = fault.Errorf(fault.Privacy, "who comes is in later pools; a lower policy.l makes this improbable, in a new "+
		"dataset of other people",
		"a pool cannot satisfy the policy and was quarantined as a whole: none of its people is ever published")
	// ErrNoPool: nobody who comes can help. It is a function of the configuration and of what is published.
	ErrNoPool = fault.Errorf(fault.Privacy, "begin a new dataset, of other people, with a lower policy.l, or with values that divide "+
		"the most frequent one",
		"the most frequent published value has a share of 1/l: no pool is large enough to be published next to it")
)

// standing is the refusal with which a run ends that is at the end of its source:
// that of a pool, that of all pools to come while somebody waits, or
// that of a first load. All of it is counted and kept, and the next run goes on
// from there. That of a shard at level L1 is none: it is one of several, which are alike if they
// are large, and its people wait while the others are published (rule I, infeasible).
func (l *publishing) standing() error {
	if e := l.Machine.InitialLoad().Refused(); e != nil && (!l.RefusalWaits || e.Fixed) {
		return e
	}
	switch s := l.Machine.Status(); {
	case l.cuts.quarantined > 0:
		return fmt.Errorf("%w: %d of this run, for their values of %q", ErrPoolRefused, l.cuts.quarantined, l.cuts.failed)
	case s.Pool != nil && !s.Pool.Possible && s.WaitingPlain() > 0:
		return ErrNoPool
	}
	return nil
}
