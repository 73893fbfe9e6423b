package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/ops/monitor"
)

// lease is the right to publish that a consumer group grants to one member at a
// time. The zero lease is always held (static assignment).
type lease struct{ held *kafkasrc.Lease }

func (l lease) kafka() *kafkasrc.Lease { return l.held }

// fence says whether this process may still commit and publish.
func (l lease) fence() error {
	if l.held == nil {
		return nil
	}
	return l.held.Held()
}

// openState opens the state. The holder of the lease waits for the state's lock as
// long as it holds the lease: the previous member may still be ending, or be
// suspended, and then keeps the lock until it resumes or is killed.
func openState(ctx context.Context, c *config.Config, o Options, options boltstore.Options, l lease) (*boltstore.Store, error) {
	next, gap := o.Clock.Now(), 10*time.Second
	for {
		store, err := boltstore.Open(c.State.Path, options)
		if l.held == nil || !errors.Is(err, incremental.ErrLocked) {
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

// witness compares the group's commits with state: a commit ahead of state
// shows that another member published from records this state has not seen.
func (l lease) witness(ctx context.Context, m *incremental.Machine) error {
	if l.held == nil {
		return nil
	}
	committed, err := l.held.Committed(ctx)
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

// errLeaseLost is why a run ended whose lease went to another member.
var errLeaseLost = errors.New("the lease went to another member")

// runLeased stands by until the group gives this process the lease, runs under
// it, and stands by again when it is lost. The state is opened only under the
// lease, so that members may share it.
func runLeased(ctx context.Context, c *config.Config, o Options) error {
	for {
		o.Monitor.Enter(monitor.Standby)
		o.Log.Info("waiting for the lease", "event", "standby", "group", c.Source.Kafka.Group)
		held, err := acquire(ctx, kafkaConfig(c, o), o)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		o.Monitor.Enter(monitor.Opening)
		err = runUnder(ctx, c, o, held)
		closing := held.Close()
		if !errors.Is(err, errLeaseLost) {
			return errors.Join(err, closing)
		}
		o.Log.Warn("another member got the lease; standing by", "event", "lease_lost")
		noteEnd(ctx, c, o, errLeaseLost)
	}
}

// acquire waits for the lease; with --once for a limited time.
func acquire(ctx context.Context, k kafkasrc.Config, o Options) (*kafkasrc.Lease, error) {
	bounded, done := onceBound(ctx, o)
	defer done()
	held, err := kafkasrc.AcquireLease(bounded, k)
	return held, awayError(ctx, bounded, err)
}

func runUnder(ctx context.Context, c *config.Config, o Options, held *kafkasrc.Lease) error {
	under, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-held.Lost():
			cancel(errLeaseLost)
		case <-under.Done():
		}
	}()
	err := runOnce(under, c, o, lease{held})
	lost := errors.Is(context.Cause(under), errLeaseLost)
	if errors.Is(err, kafkasrc.ErrLeaseLost) || lost && ctx.Err() == nil && (err == nil || errors.Is(err, context.Canceled)) {
		return errLeaseLost
	}
	return err
}
