package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"anond/incremental"
	"anond/internal/fault"
)

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
func (l *loop) refused(ctx context.Context, r refusal) error {
	var load *incremental.InfeasibleError
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
func (l *loop) keepFirstLoad(ctx context.Context, load *incremental.InfeasibleError) error {
	if err := l.commit(ctx); err != nil {
		return err
	}
	if err := l.judged(); err != nil {
		return err
	}
	l.asked.why = "infeasible"
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
	ErrPoolRefused = fault.Errorf(fault.Privacy, "who comes is in later pools; a lower policy.l makes this improbable, in a new dataset of other people",
		"a pool cannot satisfy the policy and was quarantined as a whole: none of its people is ever published")
	// ErrNoPool: nobody who comes can help. It is a function of the configuration and of what is published.
	ErrNoPool = fault.Errorf(fault.Privacy, "begin a new dataset, of other people, with a lower policy.l, or with values that divide the most frequent one",
		"the most frequent published value has a share of 1/l: no pool is large enough to be published next to it")
)

// standing is the refusal with which a run ends that is at the end of its source:
// that of a pool, that of all pools to come while somebody waits, or
// that of a first load. All of it is counted and kept, and the next run goes on
// from there. That of a shard at level L1 is none: it is one of several, which are alike if they
// are large, and its people wait while the others are published (rule I, infeasible).
func (l *loop) standing() error {
	if e := l.Machine.InitialLoad().Refused(); e != nil && (!l.RefusalWaits || e.Fixed) {
		return e
	}
	switch s := l.Machine.Status(); {
	case l.quarantined > 0:
		return fmt.Errorf("%w: %d of this run", ErrPoolRefused, l.quarantined)
	case s.Pool != nil && !s.Pool.Possible && s.Pending.Waiting > 0:
		return ErrNoPool
	}
	return nil
}
