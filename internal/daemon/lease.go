package daemon

import (
	"context"
	"errors"

	"anond/config"
	"anond/ingest/kafkasrc"
	"anond/internal/dataset"
	"anond/internal/ops/duty"
)

// runLeased stands by until the group gives this process the lease, runs under
// it, and stands by again when it is lost. The state is opened only under the
// lease, so that members may share it.
func runLeased(ctx context.Context, c *config.Config, o dataset.Options) error {
	for {
		o.Monitor.Enter(duty.Standby)
		o.Log.Info("waiting for the lease", "event", "standby", "group", c.Source.Kafka.Group)
		held, err := acquire(ctx, dataset.KafkaConfig(c, o), o)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		o.Monitor.Enter(duty.Opening)
		err = runUnder(ctx, c, o, held)
		closing := held.Close()
		if !errors.Is(err, dataset.ErrLeaseLost) {
			return errors.Join(err, closing)
		}
		o.Log.Warn("another member got the lease; standing by", "event", "lease_lost")
		dataset.NoteEnd(ctx, c, o, dataset.ErrLeaseLost)
	}
}

// acquire waits for the lease; with --once for a limited time.
func acquire(ctx context.Context, k kafkasrc.Config, o dataset.Options) (*kafkasrc.Lease, error) {
	bounded, done := dataset.OnceBound(ctx, o)
	defer done()
	held, err := kafkasrc.AcquireLease(bounded, k)
	return held, dataset.AwayError(ctx, bounded, err)
}

func runUnder(ctx context.Context, c *config.Config, o dataset.Options, held *kafkasrc.Lease) error {
	under, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-held.Lost():
			cancel(dataset.ErrLeaseLost)
		case <-under.Done():
		}
	}()
	err := runOnce(under, c, o, dataset.Lease{Held: held})
	lost := errors.Is(context.Cause(under), dataset.ErrLeaseLost)
	if errors.Is(err, kafkasrc.ErrLeaseLost) || lost && ctx.Err() == nil && (err == nil || errors.Is(err, context.Canceled)) {
		return dataset.ErrLeaseLost
	}
	return err
}
