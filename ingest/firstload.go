package ingest

import (
	"anond/incremental/state"
	"context"
	"fmt"
)

// firstStart stores where the first load ends: at the end that the source has
// before anything is read. A start after which no record was accepted is not the first: the source was empty, or all was
// refused. It also makes the seed durable, before a list of who was forgotten
// is written under it.
func (l *cuts) firstStart(ctx context.Context) error {
	l.tick()
	if l.Machine.InitialLoad().Done() || l.Machine.InitialLoad().Ends() != nil && l.Machine.Arrived() > 0 {
		return nil
	}
	ends, err := l.sourceEnds(ctx)
	if err != nil {
		return fmt.Errorf("where the source ends: %w", err)
	}
	if ends != nil {
		if err := l.transaction.tell(ctx, l.Steps.BeforeReading(l.Machine, ends)); err != nil {
			return err
		}
		l.Machine.InitialLoad().SetEnds(ends)
	}
	return l.reporting.work(ctx, DoingCommit, true, l.Machine.Commit) // it may wait for room (Quota)
}

// sourceEnds asks the source for its ends. A source that does not answer delays no
// report.
func (l *cuts) sourceEnds(ctx context.Context) (ends map[state.Partition]int64, err error) {
	defer l.reporting.begins(DoingConnect)()
	done := make(chan struct{})
	go func() {
		defer close(done)
		ends, err = l.Source.Ends(ctx)
	}()
	for {
		select {
		case <-done:
			return ends, err
		case <-l.ticks:
			l.reporting.reportDue()
		}
	}
}

// endInitial ends the first load if all of it has been read, or if nothing more
// will come.
func (l *cuts) endInitial(ctx context.Context, ended bool) error {
	switch m := l.Machine; {
	case m.InitialLoad().Done() || !ended && (m.InitialLoad().Growing() || !m.InitialLoad().Reached()):
		return nil
	case !m.InitialLoad().Enough():
		l.logWaiting()
		return nil
	default:
		return l.cut(ctx, cutting{})
	}
}

// logWaiting says that release 1 waits for more records.
func (l *cuts) logWaiting() {
	f := l.Machine.Status().FirstLoad
	if f == nil {
		return
	}
	l.Log.Info("the first load waits for more records", "event", "first_load_waits", "records", f.Records, "wanted", f.Wanted)
}
