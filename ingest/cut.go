package ingest

import (
	"context"
	"errors"
	"slices"
	"time"

	"anond/incremental"
	"anond/incremental/plan"
	"anond/incremental/state"
)

// cuts says when a release is cut, and has the machine decide it.
type cuts struct {
	*loop
	schedule    schedule // when the trigger asks for a release
	order       Ordered  // the source, if its partitions are read in rounds; nil: they are not
	seen        int64    // when the clock was looked at last, in Unix seconds; at the start what the state knows
	strata      bool     // the newest cut made a pool: other strata may have one
	quarantined int      // people in pools of this run
	failed      []string // attributes for which they are
}

// cutIfDue ends the first load or makes a release where the count of records
// says so.
func (l *cuts) cutIfDue(ctx context.Context, p state.Partition, next int64) error {
	m := l.Machine
	if !m.InitialLoad().Done() && !m.InitialLoad().Growing() {
		if end, ok := m.InitialLoad().Ends()[p]; (!ok || next >= end) && m.InitialLoad().Reached() {
			return l.cut(ctx, cutting{})
		}
	}
	if m.Trigger().CutDue() {
		return l.cut(ctx, cutting{})
	}
	return nil
}

// cutLeftOver makes the cut that was due when the process before stopped: its
// records may have been committed with the mark of the release before, or its pool was fixed and is decided before
// anything else is read.
func (l *cuts) cutLeftOver(ctx context.Context) error {
	if l.Machine.Trigger().PoolFixed() > 0 || l.Machine.Trigger().CutDue() {
		return l.cut(ctx, cutting{})
	}
	return l.endInitial(ctx, false)
}

// cutting says how a cut comes about.
type cutting struct {
	scheduled bool // by the schedule: it is logged even if nothing has come since the last
	by        state.Occasion
}

// cut asks the machine what to publish. A release in progress is awaited first,
// which pauses the reading: cuts stay where the counts put them.
//
// What was applied is committed first. So a stop during the decision loses
// nothing, and the next start decides the same. Those whose deletes were read are forgotten before:
// nobody is published who was deleted.
func (l *cuts) cut(ctx context.Context, how cutting) error {
	if l.strata = false; l.rehearses() {
		return nil // all that is read counts as one release
	}
	if err := l.publishing.awaitRelease(ctx); err != nil {
		return err
	}
	now := l.now()
	if err := l.look(now); err != nil {
		return err
	}
	l.schedule.lastTry, l.schedule.lastCut = now, now
	if !l.transaction.staged.since.IsZero() {
		if err := l.transaction.commit(ctx); err != nil {
			return err
		}
	}
	if err := l.erasure.remove(ctx); err != nil {
		return err
	}
	if alone, err := l.erasure.forgetDue(ctx); err != nil || alone {
		l.operator.why = SkippedNothingNew
		return err
	}
	before := l.Machine.Status()
	fresh, quarantined := l.Machine.Trigger().NewSinceCut() > 0, before.Pending.Quarantined
	fixed := l.Machine.Judged().Fixed
	intent, made, err := l.decide(ctx, how.by, now)
	l.strata = l.Machine.Judged().Fixed > fixed
	if err != nil {
		return l.publishing.refused(ctx, refusal{err: err})
	}
	if n := l.Machine.Status().Lapsed - before.Lapsed; n > 0 {
		l.Log.Info("people have waited longer than max_wait and have lapsed: none of them is ever published", "event", "lapsed", "people", n)
	}
	l.warnInfeasible()
	if n := l.Machine.Status().Pending.Quarantined - quarantined; n > 0 {
		if err := l.transaction.judged(); err != nil {
			return err
		}
		failed, why := made.Failed()
		l.Log.Warn("a pool cannot satisfy the policy and is quarantined as a whole: none of its records is ever published",
			"event", "pool_quarantined", "records", n, "attributes", failed, "error", why)
		l.Meter.Skipped(SkippedQuarantined)
		l.quarantined += n
		l.failed = slices.Compact(slices.Sorted(slices.Values(append(l.failed, failed...))))
		l.operator.why = "quarantined"
		return nil
	}
	if intent != nil {
		return l.publishing.publish(ctx, *intent, now)
	}
	l.sayNothing(how, fresh)
	return nil
}

// cutAll makes cuts until no stratum has a pool. A cut makes a pool of one stratum, and each has its turn (package pools).
func (l *cuts) cutAll(ctx context.Context, how cutting) error {
	for {
		if err := l.cut(ctx, how); err != nil || !l.strata || !l.Machine.Trigger().StrataDue() {
			return err
		}
	}
}

// look looks at the clock, by which parts leave: one that leaps far ahead ends the run (incremental.ErrLeap).
func (l *cuts) look(now time.Time) error {
	if !l.TrustClock {
		if err := l.Machine.Trigger().Leap(l.seen, now.Unix()); err != nil {
			return err
		}
	}
	l.seen = max(l.seen, now.Unix())
	return nil
}

// decide lets the machine decide and commits the decision. The intent is nil if
// nothing is newly publishable.
func (l *cuts) decide(ctx context.Context, by state.Occasion, now time.Time) (intent *state.Intent, made *incremental.Decision, err error) {
	if err := l.transaction.tell(ctx, l.Steps.BeforeCut(l.Machine, by, now.Unix())); err != nil {
		return nil, nil, err
	}
	var decided *incremental.Decision // of work that is left unfinished nobody reads it
	err = l.reporting.work(ctx, DoingDecide, false, func() (err error) {
		if err := l.Machine.Fix(by); err != nil { // a pool that the state does not know is not noted as fixed
			return err
		}
		if err := l.transaction.judged(); err != nil { // before a value is looked at
			return err
		}
		decided, err = l.Machine.Decide(by)
		return err
	})
	if err == nil || errors.As(err, new(*plan.InfeasibleError)) {
		l.Steps.AfterCut(l.Machine)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := l.transaction.fenced(); err != nil {
		return nil, nil, err
	}
	if err := l.Hook("before intent"); err != nil {
		return nil, nil, err
	}
	err = l.reporting.work(ctx, DoingCommit, true, func() (err error) {
		intent, err = l.Machine.Enact(decided, now.Unix(), l.Policy)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return intent, decided, l.transaction.committed()
}

// judged has what was decided about people noted outside of the state, before it is said.
func (l *transaction) judged() error {
	now := l.Machine.Judged()
	if l.Judged == nil || !now.Ahead(l.noted) {
		return nil
	}
	l.noted = now
	return l.Judged(now)
}

// sayNothing logs that a cut has decided nothing. fresh: records have come
// since the cut before.
func (l *cuts) sayNothing(how cutting, fresh bool) {
	switch growing := l.Machine.InitialLoad().Growing(); {
	case fresh && growing:
		l.logWaiting()
	case how.scheduled && growing:
		l.skipped(SkippedFirstLoad)
	case !fresh && !how.scheduled:
	default:
		l.skipped(whyNothing(l.Machine.Status(), fresh && how.by == state.Triggered))
	}
}

// whyNothing says why a release is skipped that is not the first. counts: it was one for which newcomers are counted.
func whyNothing(s incremental.Status, counts bool) string {
	switch {
	case s.Pool == nil || s.Pending.Waiting == 0:
		return SkippedNothingNew
	case s.WaitingPlain()-s.Outdated < s.Pool.Records:
		return SkippedPoolSmall
	case counts && s.Pool.Missing > 0:
		return SkippedFew
	default:
		return SkippedHeld
	}
}

func (l *cuts) skipped(why string) {
	l.Meter.Skipped(why)
	l.operator.why = why
	s := l.Machine.Status()
	attrs := []any{"event", "release_skipped", "pending", s.Pending.Total(), "why", why}
	if s.Pool != nil {
		attrs = append(attrs, "waiting", s.Pending.Waiting, "pool_needs", s.Pool.Records, "pool_missing", s.Pool.Missing)
	}
	if s.Outdated > 0 {
		attrs = append(attrs, "outdated", s.Outdated)
	}
	l.Log.Info("nothing is newly publishable", attrs...)
}

func (l *cuts) warnInfeasible() {
	s := l.Machine.Status()
	if s.Infeasible && s.InitialEnd {
		l.Log.Warn("the records that have waited longer than max_hold exceed 1/l by themselves: either all waiting records are "+
			"published or none", "event", "infeasible", "records", s.Pending.Infeasible)
	}
	if s.Pool != nil && !s.Pool.Possible {
		l.Log.Warn("the most frequent published value has a share of 1/l: no pool is large enough to be published next to it. "+
			"Begin a new dataset, of other people, with a lower policy.l, or with values that divide the most frequent one", "event", "infeasible",
			"records", s.Pending.Waiting)
	}
}
