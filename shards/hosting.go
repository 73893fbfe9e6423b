package shards

import (
	"context"
	"errors"

	"anond/config"
	"anond/ingest/kafkasrc"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/shards/host"
)

// Host implements dataset.Sharding: the shards that the file names, or those that the group gives to this process.
func (room) Host(ctx context.Context, c *config.Config, o dataset.Options, run func(context.Context, int) error, left func(int)) error {
	h := &host.Host{Run: run, Log: o.Log, Clock: clock.System(), Once: o.Once, Shared: c.Shard.Group != "", Left: left}
	assigned := make(chan []int, 1)
	if !h.Shared {
		assigned <- c.Shard.Run
		return h.Serve(ctx, assigned)
	}
	o.Clock = h.Clock
	members, err := join(ctx, c, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	h.Left = func(shard int) { left(shard); members.GaveUp(shard) }
	hosting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	member, leave := context.WithCancel(context.WithoutCancel(ctx)) // it leaves when its shards have ended
	gone := make(chan error, 1)
	go func() {
		err := members.Serve(member, func(shards []int) {
			select {
			case <-assigned: // nobody has looked at it
			default:
			}
			assigned <- shards
		})
		stop(err)
		gone <- err
	}()
	err = h.Serve(hosting, assigned)
	leave()
	return errors.Join(err, <-gone)
}

// join prepares to join the group, once the journal of its shards is as they need it.
func join(ctx context.Context, c *config.Config, o dataset.Options) (*kafkasrc.Members, error) {
	dataset.Monitored(c, &o)
	var err error
	if o.Brokers, err = dataset.ReachBrokers(ctx, c, o.Log); err != nil {
		return nil, err
	}
	go dataset.NewRenewal(c, o).Watch(ctx)
	log, err := kafkasrc.OpenLog(logConfig(c, o), 0, away(o))
	if err != nil {
		return nil, err
	}
	_, err = checkJournal(ctx, c, log)
	if err = errors.Join(err, log.Close()); err != nil {
		return nil, err
	}
	k := logConfig(c, o)
	k.Group = c.Shard.Group
	return kafkasrc.JoinMembers(k, c.Shard.Of)
}
