// Package daemon builds the parts of anond from a configuration and runs them:
// state, machine, source, publisher with its gate, dead letters, and the loop.
// `anond run` and `anond demo` use it.
//
// Guarantee: one process per state (lock), and in group assignment one publisher
// per group (lease). A contradiction between configuration and state is a
// an error of kind fault.Config, before anything is read. Whatever was opened is closed in reverse
// order, and nothing is written after the lock of the state is released.
//
// Method: Run opens the state, the publisher and the source in this order and
// gives them to ingest.Host. This is the only package that joins snapshot with the
// auditor (gate). Commands on a stopped daemon's state are here too: Reset,
// Readmit and the private exports (Exporter).
package daemon

import (
	"context"
	"errors"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/internal/abandon"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// RunShard is Run of a shard that comes from another host and may go to one (shard.group): it begins with the newest copy of the
// state, and leaves one behind.
func RunShard(ctx context.Context, c *config.Config, o dataset.Options) error {
	o.Clock = clock.System()
	log := o.Log.With("shard", c.Shard.Index)
	if c.Shard.Group == "" {
		return Run(ctx, c, o)
	}
	restored, err := upkeep.RestoreNewer(ctx, c, o.Clock.Now())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil: // the journal has what the state lacks
		log.Warn("the newest backup is not used; the journal repeats more", "event", "backup_unused", "error", err.Error())
	case restored.Nothing == "":
		log.Info("the state of this shard was taken from the newest backup", "event", "backup_taken", "records", restored.Records,
			"release", restored.Release)
	}
	err = Run(ctx, c, o)
	if err == nil && errors.Is(context.Cause(ctx), dataset.ErrShardMoved) {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if err := upkeep.BackUpStopped(soon, c, o); err != nil {
			log.Error("the backup of the state failed; the next release is followed by the next attempt", "event", "backup_failed",
				"error", err.Error())
		}
	}
	return err
}

// Run runs the daemon until ctx is done, its source ends, or an operator is
// needed. In group assignment it stands by until it holds the lease, and again
// after losing it.
func Run(ctx context.Context, c *config.Config, o dataset.Options) (err error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	defer func() { dataset.NoteEnd(ctx, c, o, err) }()
	if o.FS == nil {
		o.FS = snapshot.OS()
	}
	dataset.Monitored(c, &o)
	if c.Shard.Set() {
		o.Log = o.Log.With("shard", c.Shard.Index)
	}
	if o.Brokers, err = dataset.ReachBrokers(ctx, c, o.Log); err != nil {
		return err
	}
	o.Renewal = dataset.NewRenewal(c, o)
	if !o.Once {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go o.Renewal.Watch(watching)
	}
	if c.Source.Type == config.FromKafka && c.Source.Kafka.Assignment == config.Group {
		return runLeased(ctx, c, o)
	}
	return runOnce(ctx, c, o, dataset.Lease{})
}

func newPublisher(ctx context.Context, c *config.Config, m *incremental.Machine, o dataset.Options, progress func(done, all int)) (
	*publisher, error) {
	settings, err := dataset.SettingsOf(c, m)
	if err != nil {
		return nil, err
	}
	settings.Progress = progress
	disk := publish.NewClosable(o.FS)
	p := &publisher{settings: settings, gate: newGate(c), disk: disk, sized: o.Monitor.Sized, run: ctx,
		twins: &twins{log: o.Log}, faults: make(chan error, 1),
		inner: &publish.Publisher{FS: disk, Dir: c.Release.Dir, Ledger: c.Release.Ledger, Owner: dataset.NewOwner(),
			Beside: c.Shard.Journal.Set()}}
	p.inner.Gate = p.gate
	list, err := dataset.FollowersOf(c)
	if err != nil {
		return nil, err
	}
	p.views = newViews(ctx, list, o.Log)
	if err := reconcile(p.inner, c, m); err != nil {
		return nil, err
	}
	if err := p.inner.Open(); err != nil {
		return nil, err
	}
	if _, err := abandon.At(ctx, func() (struct{}, error) { return struct{}{}, p.recheck(ctx, m) }); err != nil {
		return nil, err
	}
	return p, nil
}
