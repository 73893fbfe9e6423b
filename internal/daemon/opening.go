package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/clock"
	"anond/snapshot/publish"
)

// left does work that does not watch a context, and abandons it when the context
// ends. The work must not write anything.
func left(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// orderly is how long a stop waits until the state, or the source, that is being opened ends by itself.
const orderly = time.Second

// opened opens what may hang and does not watch a context: the lock of a state, a
// file on an unavailable disk. A stop abandons it; what is opened after that is
// closed again.
func opened[T io.Closer](ctx context.Context, clock clock.Clock, open func() (T, error)) (T, error) {
	type result struct {
		thing T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		thing, err := open()
		done <- result{thing, err}
	}()
	select {
	case r := <-done:
		return r.thing, r.err
	case <-ctx.Done():
	}
	over, stop := clock.Ticker(orderly)
	defer stop()
	select {
	case r := <-done:
		return r.thing, r.err
	case <-over:
	}
	go func() {
		if r := <-done; r.err == nil {
			_ = r.thing.Close() // nothing was read or written
		}
	}()
	var nothing T
	return nothing, context.Cause(ctx)
}

// openStore opens the state, for whose lock it may wait a while, and which may be compacted.
func openStore(ctx context.Context, c *config.Config, o Options, options boltstore.Options, lease lease) (*boltstore.Store, error) {
	return opened(ctx, o.Clock, func() (*boltstore.Store, error) { return openCompact(ctx, c, o, options, lease) })
}

// openForgetful is openStore, of a state that has forgotten whom the list next to the ledger names.
func openForgetful(ctx context.Context, c *config.Config, o Options, options boltstore.Options, lease lease) (*boltstore.Store, error) {
	store, err := openStore(ctx, c, o, options, lease)
	if err != nil {
		return nil, err
	}
	again, err := forgetListed(ctx, c, o, store, options)
	switch {
	case err != nil:
		return nil, errors.Join(err, store.Close())
	case again:
		return openStore(ctx, c, o, options, lease)
	}
	return store, nil
}

// oncePatience is how long a run with --once waits for a source that does not
// answer.
const oncePatience = time.Minute

// reachSource opens the source. A run with --once waits for a limited time.
func reachSource(ctx context.Context, c *config.Config, m *incremental.Machine, o Options, lease lease) (ingest.Source, error) {
	bounded, done := onceBound(ctx, o)
	defer done()
	s, err := opened(bounded, o.Clock, func() (ingest.Source, error) { return o.StandIns.source(bounded, c, m, o, lease) })
	return s, awayError(ctx, bounded, err)
}

// onceBound is a context with a time limit, for a run with --once.
func onceBound(ctx context.Context, o Options) (context.Context, context.CancelFunc) {
	if !o.Once {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, oncePatience, ingest.ErrAway)
}

// awayError says why a wait ended that onceBound bounded.
func awayError(ctx, bounded context.Context, err error) error {
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return fmt.Errorf("%w for %s: %w", ingest.ErrAway, oncePatience, err)
	}
	return err
}

// stoppedEarly reports an error that a stop caused before the loop could drain. A release that a
// journal tells of ends at its next change of the disk (ErrClosed), or where it waits for its pace (ErrParked).
func stoppedEarly(ctx context.Context, o Options, err error) error {
	early := slices.ContainsFunc([]error{context.Canceled, context.Cause(ctx), incremental.ErrInterrupted, publish.ErrClosed,
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
	o       Options
	observe func(ingest.Report)
	counts  incremental.Status
	logged  time.Time
}

func newPhases(observe func(ingest.Report), o Options, m *incremental.Machine) *phases {
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
	r := ingest.Report{Time: now, Machine: p.counts, Counted: now, Doing: doing, Since: since}
	p.observe(r)
	if now.Sub(p.logged) >= time.Minute {
		p.logged = now
		ingest.LogStatus(p.o.Log, r)
	}
}
