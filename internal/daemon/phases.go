package daemon

import (
	"anond/incremental/state"
	"context"
	"errors"
	"slices"
	"time"

	"anond/incremental"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot/publish"
)

// stoppedEarly reports an error that a stop caused before the loop could drain. A release that a
// journal tells of ends at its next change of the disk (ErrClosed), or where it waits for its pace (ErrParked).
func stoppedEarly(ctx context.Context, o dataset.Options, err error) error {
	early := slices.ContainsFunc([]error{context.Canceled, context.Cause(ctx), state.ErrInterrupted, publish.ErrClosed,
		ingest.ErrParked}, func(why error) bool { return errors.Is(err, why) })
	if ctx.Err() == nil || !early {
		return err
	}
	o.Log.Info("stopped before the source could be read", "event", "stopped")
	return nil
}

// phases keeps the status fresh before the loop does, from when the state is
// open: a source may be unavailable for days.
type phases struct {
	o       dataset.Options
	observe func(ingest.Report)
	counts  incremental.Status
	logged  time.Time
}

func newPhases(observe func(ingest.Report), o dataset.Options, m *incremental.Machine) *phases {
	return &phases{o: o, observe: observe, counts: m.Status(), logged: o.Clock.Now()}
}

// during does one step, and reports each second that it is under way.
func (p *phases) during(doing string, step func() error) error {
	since := p.o.Clock.Now()
	ticks, stopTicks := p.o.Clock.Ticker(time.Second)
	defer stopTicks()
	p.report(doing, since)
	done := make(chan error, 1)
	go func() { done <- step() }()
	for {
		select {
		case err := <-done:
			return err
		case <-ticks:
			p.report(doing, since)
		}
	}
}

func (p *phases) report(doing string, since time.Time) {
	now := p.o.Clock.Now()
	r := ingest.Report{Time: now, Machine: p.counts, Before: p.counts, Counted: now, Doing: doing, Since: since}
	p.observe(r)
	if now.Sub(p.logged) >= time.Minute {
		p.logged = now
		ingest.LogStatus(p.o.Log, r)
	}
}
