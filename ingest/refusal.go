package ingest

import (
	"context"
	"errors"
	"time"

	"anond/incremental"
)

// firstRefused deals with a cut that failed. A first load that no partition can
// satisfy (rule I) is no end: it is counted and kept, may grow, and is cut again
// whenever a release would be due. Every other error ends the run.
func (l *loop) firstRefused(ctx context.Context, err error) error {
	var refused *incremental.InfeasibleError
	if !errors.As(err, &refused) {
		return err
	}
	if err := l.commit(ctx); err != nil {
		return err
	}
	now := l.now()
	if !l.refusedLog.IsZero() && now.Sub(l.refusedLog) < time.Minute {
		return nil // it is tried whenever a release would be due
	}
	l.refusedLog = now
	l.Log.Warn("the first load is refused: it waits and may grow", "event", "infeasible", "records", refused.Records, "attribute", refused.Attribute,
		"error", refused.Error(), "hint", refused.Hint())
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
