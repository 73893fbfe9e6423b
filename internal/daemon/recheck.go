package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"anond/incremental"
	"anond/ingest"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/verify"
)

// recheck reads the newest published release again, next to the start and the
// first reading: every file is hashed and tested, and the numbers and sums are
// counted that the next release builds on.
//
// Guarantee: nothing is published before it has ended without a fault, and its
// fault ends the run. It reads only, so a stop leaves it to itself.
type recheck struct {
	stop <-chan struct{} // the run is told to stop
	done chan struct{}
	err  error // once done is closed
}

// beginRecheck starts the work. A stop is the end of ctx. The loop is told of the first fault.
func beginRecheck(ctx context.Context, faults chan<- error, work func() error) *recheck {
	r := &recheck{stop: ctx.Done(), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		if r.err = work(); r.err != nil {
			select {
			case faults <- r.err:
			default: // it was told
			}
		}
	}()
	return r
}

// await waits for the end of the recheck. A release that has to wait when the run
// stops is left to the next start.
func (r *recheck) await(ctx context.Context) error {
	select {
	case <-r.done:
	case <-r.stop:
	case <-ctx.Done():
	}
	switch {
	case !r.ended():
		return cmp.Or(ctx.Err(), ingest.ErrParked)
	case r.err != nil:
		return errors.Join(ingest.ErrPermanent, r.err)
	}
	return nil
}

// ended reports whether the outcome is known.
func (r *recheck) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// during does what may wait long before there is a loop, and lets a fault end it.
func (r *recheck) during(ctx context.Context, work func(context.Context) error) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.done:
			if r.err != nil {
				cancel()
			}
		case <-bounded.Done():
		}
	}()
	if err := work(bounded); err != nil {
		return r.end(ctx, err)
	}
	return nil
}

// end is the outcome of a run that has ended with err. It waits for that of the
// recheck, which comes first, unless the run was told to stop.
func (r *recheck) end(ctx context.Context, err error) error {
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	if r.ended() {
		return cmp.Or(r.err, err)
	}
	return err
}

// recheck begins to put publisher and gate behind the newest published release.
// What it needs of the machine is taken before it returns.
func (p *publisher) recheck(ctx context.Context, m *incremental.Machine) error {
	published := publishedOf(m.Releases().Intents())
	if len(published) == 0 {
		p.begins(ctx, func() error { return nil })
		return nil
	}
	newest := published[len(published)-1]
	view, err := m.Releases().View(newest.Release)
	if err != nil {
		return err
	}
	regroups := m.Releases().Regroups(newest.Release)
	p.begins(ctx, func() error {
		err := p.resume(view, regroups)
		if err == nil {
			return nil
		}
		// A changed file is not a fault of the rendering.
		return cmp.Or(verify.Release(p.inner.FS, p.inner.Dir, newest), err)
	})
	return nil
}

// begins starts a recheck behind the one before, whose fault it has, too: both put publisher and gate behind a release.
func (p *publisher) begins(ctx context.Context, work func() error) {
	before := p.standing
	p.standing = beginRecheck(ctx, p.faults, func() error {
		if before != nil {
			if <-before.done; before.err != nil {
				return before.err
			}
		}
		return work()
	})
}

// resume puts publisher and gate behind the release that a view shows, side by side. What lies
// on disk is read and tested again before anything is built on it.
func (p *publisher) resume(view *incremental.View, regroups []uint16) error {
	type numbered struct {
		placed []gate.Placement
		err    error
	}
	done := make(chan numbered, 1)
	go func() {
		placed, err := p.inner.Resume(publish.Of(view), p.settings)
		done <- numbered{placements(placed), err}
	}()
	publisher := sync.OnceValues(func() ([]gate.Placement, error) {
		n := <-done
		return n.placed, n.err
	})
	dir := filepath.Join(p.inner.Dir, fmt.Sprintf("%06d", view.Intent.Release))
	violations, err := p.gate.audit.ResumeBeside(dir, publisher, regroups)
	if _, err := publisher(); err != nil {
		return err
	}
	p.sized(p.inner.Sizes())
	if err != nil {
		return fmt.Errorf("read the newest release again: %w", err)
	}
	return publish.Refuse(format.Summary(violations))
}
