package dataset

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/ingest/kafkasrc"
)

// Lease is the right to publish that a consumer group grants to one member at a
// time. The zero lease is always held (static assignment).
type Lease struct{ Held *kafkasrc.Lease }

func (l Lease) kafka() *kafkasrc.Lease { return l.Held }

// Fence says whether this process may still commit and publish.
func (l Lease) Fence() error {
	if l.Held == nil {
		return nil
	}
	return l.Held.Held()
}

// OpenState opens the state. The holder of the lease waits for the state's lock as
// long as it holds the lease: the previous member may still be ending, or be
// suspended, and then keeps the lock until it resumes or is killed.
func OpenState(ctx context.Context, c *config.Config, o Options, options boltstore.Options, l Lease) (*boltstore.Store, error) {
	next, gap := o.Clock.Now(), 10*time.Second
	for {
		store, err := boltstore.Open(c.State.Path, options)
		if l.Held == nil || !errors.Is(err, state.ErrLocked) {
			return store, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if now := o.Clock.Now(); !now.Before(next) {
			o.Log.Warn("this member holds the lease, but another process still holds the state; waiting for it",
				"event", "state_locked", "error", err.Error())
			next, gap = now.Add(gap), min(2*gap, 10*time.Minute)
		}
	}
}

// Witness compares the group's commits with state: a commit ahead of state
// shows that another member published from records this state has not seen.
func (l Lease) Witness(ctx context.Context, m *incremental.Machine) error {
	if l.Held == nil {
		return nil
	}
	committed, err := l.Held.Committed(ctx)
	if err != nil {
		return err
	}
	for p, offset := range committed {
		if next, _ := m.Intake().Next(p); offset > max(next, m.Source().ReadBefore()[p]) {
			return fmt.Errorf("%w: the group has committed offset %d of partition %d, the state has applied up to %d", ingest.ErrBehind, offset,
				p.ID, next)
		}
	}
	return nil
}

// ErrLeaseLost is why a run ended whose lease went to another member.
var ErrLeaseLost = errors.New("the lease went to another member")
