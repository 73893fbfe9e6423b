package ingest

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"time"
)

// What the loop does when it does not read, as status and log name it.
const (
	DoingCompact  = "compacting"          // the state is rewritten before it is loaded
	DoingOpen     = "opening"             // the state is loaded
	DoingVerify   = "verifying"           // the newest release is read again
	DoingConnect  = "connecting"          // the source has not answered yet
	DoingDecide   = "deciding"            // a release is decided
	DoingReplay   = "replaying"           // dead letters are judged again
	DoingPlan     = "planning"            // what a release would publish is looked at
	DoingCommit   = "committing"          // the state is written
	DoingView     = "viewing"             // a release is prepared for rendering
	DoingWait     = "waiting_for_release" // the next release is due, the one before is not published
	DoingDeliver  = "delivering"          // the source ended, dead letters are on their way
	DoingJournal  = "journaling"          // a decision is written down
	DoingRepeat   = "repeating"           // what the journal has is done again
	DoingForget   = "forgetting"          // the state is rewritten without people who were forgotten
	DoingClaim    = "claiming"            // people are looked up in the ledger of subjects, which another process may hold
	DoingRemove   = "removing"            // likewise, of people whose parts have left the releases
	DoingDraining = "draining"            // a stop was asked for
)

// longAfter is how long work lasts before it gets a report of its own.
const longAfter = 200 * time.Millisecond

// stuckAfter is how long the end of a run waits for a source or sink that does
// not answer.
const stuckAfter = time.Second

// activity is what the loop does when it does not read.
type activity struct {
	name  string
	since time.Time
}

// begins notes an activity until the returned function is called.
func (l *reporting) begins(name string) (ends func()) {
	before := l.doing
	l.doing = activity{name, l.now()}
	return func() { l.doing = before }
}

// errLeft says that long work was left unfinished. The machine belongs to that
// work from then on: the loop must not use it again.
var errLeft = errors.New("long work was left undone")

// work runs what may take long with the machine in a goroutine that has the
// machine to itself meanwhile. The loop goes on to report, from counts taken
// before, and to answer a stop: work that keeps nothing (Decide, View) is left
// unfinished, and the next start does the same again; other work is waited for.
func (l *reporting) work(ctx context.Context, name string, keeps bool, do func() error) error {
	defer l.begins(name)()
	l.count(l.now())
	l.working = true
	done := make(chan error, 1)
	go func() { done <- do() }()
	stop := ctx.Done()
	for {
		select {
		case err := <-done:
			l.working = false
			l.Meter.Worked(name, max(0, l.now().Sub(l.doing.since)))
			if errors.Is(err, state.ErrInterrupted) {
				l.working = true
				return fmt.Errorf("%w: %w", errLeft, context.Cause(ctx))
			}
			return err
		case <-stop:
			l.drains()
			if !keeps {
				return fmt.Errorf("%w: %w", errLeft, ctx.Err())
			}
			stop = nil
		case c := <-l.operator.orders():
			l.operator.obey(c)
		case <-l.ticks:
			l.reportWork()
		}
	}
}

// reportWork reports work that turns out to be long at once, then each second.
func (l *reporting) reportWork() {
	now := l.now()
	if l.seen.Before(l.doing.since) && now.Sub(l.doing.since) >= longAfter {
		l.report(now)
		return
	}
	l.reportDue()
}
