package ingest

import (
	"context"

	"anond/incremental"
)

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
	if err := l.commit(ctx); err != nil {
		return err
	}
	out := Rehearsal{Before: l.before, Unread: l.Source.Status().Unread}
	if l.Machine.InitialLoad().Done() || l.Machine.InitialLoad().Enough() {
		err := l.work(ctx, DoingPlan, false, func() (err error) { out.Plan, err = l.Machine.Outlook(true); return err })
		if err != nil {
			return err
		}
	}
	out.After = l.Machine.Status()
	l.Rehearsed(out)
	return nil
}
