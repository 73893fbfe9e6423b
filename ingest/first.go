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

// logWaiting says that release 1 waits for more records.
func (l *loop) logWaiting() {
	f := l.Machine.Status().FirstLoad
	if f == nil {
		return
	}
	l.Log.Info("the first load waits for more records", "event", "first_load_waits", "records", f.Records, "wanted", f.Wanted)
}
