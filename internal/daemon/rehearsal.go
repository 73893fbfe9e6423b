package daemon

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/fault"
)

// ErrNoRehearsal: a run cannot be rehearsed.
var ErrNoRehearsal = fault.Errorf(fault.Config, "leave --dry-run out", "a shard with a journal cannot be rehearsed: its next "+
	"decisions stand in the journal")

// Rehearse reads what a run with --once would read, and says what one release of all that waits
// then would publish. It writes nothing, joins no group and tells no broker how far it has read.
//
// At level L2 it shows what anond release plan shows, for the same reason (rule B, buckets): whoever
// knew whether a pool is eligible, and chose the moment of a run by it, would choose pools by value.
func Rehearse(ctx context.Context, c *config.Config, o dataset.Options) (out ingest.Rehearsal, err error) {
	if c.Shard.Journal.Set() {
		return out, ErrNoRehearsal
	}
	o.Clock, o.Once = clock.System(), true
	if o.Brokers, err = dataset.ReachBrokers(ctx, c, o.Log); err != nil {
		return out, err
	}
	store, err := openUnkept(ctx, c)
	if err != nil {
		return out, err
	}
	var closers dataset.Closers
	closers.Add(store.Close)
	defer func() { err = errors.Join(stoppedRehearsal(ctx, err), closers.Close()) }()
	m, err := dataset.OpenMachine(ctx, store, c, o)
	if err != nil {
		return out, err
	}
	if i := m.Releases().Latest(); i != nil && !i.Published {
		return out, fmt.Errorf("release %d: %w", i.Release, state.ErrUnpublished)
	}
	source, err := dataset.ReachSource(ctx, c, m, o, dataset.Lease{})
	if err != nil {
		return out, err
	}
	closers.Add(source.Close)
	keys, err := dataset.KeysOf(c, m, source)
	if err != nil {
		return out, err
	}
	owners, close, err := dataset.RehearseOwners(ctx, c, m)
	if err != nil {
		return out, err
	}
	if owners != nil {
		closers.Add(close)
	}
	host := &ingest.Host{Ports: ingest.Ports{Owners: owners}, Machine: m, Store: store, Source: unacknowledged{source}, Schema: c.Schema(),
		NewDecoder: dataset.DecoderOf(c, o.Log), DeadLetters: noLetters{}, Clock: o.Clock, Log: o.Log, Once: true,
		Limits: ingest.Limits{Shares: dataset.SharesOf(c), Rate: c.Source.MaxRate}, Observers: ingest.Observers{Observe: o.Observe},
		Retry: o.StandIns.Retry(), Rehearsed: func(r ingest.Rehearsal) { out = r }}
	dataset.Placed(host, keys)
	return out, host.Run(ctx)
}

// stoppedRehearsal: one that was stopped has nothing to say.
func stoppedRehearsal(ctx context.Context, err error) error {
	if err == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// openUnkept opens the state for reading, or a fresh one if there is none.
func openUnkept(ctx context.Context, c *config.Config) (*unkept, error) {
	if err := dataset.StateExists(c); errors.Is(err, fs.ErrNotExist) {
		return &unkept{}, nil
	} else if err != nil {
		return nil, err
	}
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return nil, err
	}
	options.ReadOnly = true
	file, err := boltstore.Open(c.State.Path, options)
	if err != nil {
		return nil, err
	}
	return &unkept{file}, nil
}

// unkept is a store that loads a state and keeps nothing of what is committed. The machine has
// all of it in memory.
type unkept struct{ file *boltstore.Store } // nil: there is none

var _ state.Store = (*unkept)(nil)

func (u *unkept) Load(v state.Visitor) error {
	if u.file == nil {
		return nil
	}
	return u.file.Load(v)
}

func (u *unkept) Commit(*state.Delta) error { return nil }

// Outbox has nothing: a rehearsal delivers no dead letter.
func (u *unkept) Outbox(uint64, int, int) ([]state.DeadLetter, error) { return nil, nil }

func (u *unkept) Close() error {
	if u.file == nil {
		return nil
	}
	return u.file.Close()
}

// unacknowledged is a source that is not told what was read of it.
type unacknowledged struct{ ingest.Source }

func (unacknowledged) Ack(map[state.Partition]int64) {}

// Until implements ingest.Ordered.
func (u unacknowledged) Until(ends map[state.Partition]int64) {
	if s, ordered := u.Source.(ingest.Ordered); ordered {
		s.Until(ends)
	}
}

// noLetters is a sink that nothing is delivered to.
type noLetters struct{}

func (noLetters) Deliver(context.Context, []state.DeadLetter) error { return io.ErrClosedPipe }

func (noLetters) Close() error { return nil }
