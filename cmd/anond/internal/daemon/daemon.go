// Package daemon joins the parts of anond as a configuration says: state,
// machine, source, publisher with its gate, dead letters, and the loop. Both
// `anond run` and `anond demo` run it.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/snapshot"
)

// Options are what a run needs besides its configuration.
type Options struct {
	Log   *slog.Logger
	Once  bool
	Stdin io.Reader
	Clock ingest.Clock // nil: the system's
	// Seed makes a fresh state reproducible and marks it seeded. nil: drawn from
	// the system's generator (rule R).
	Seed *[32]byte
	// Observe is told the state of things; may be nil.
	Observe func(ingest.Report)
}

// Run runs the daemon until ctx is done, its source ends, or an operator is
// needed. In group assignment it stands by until it holds the lease, and again
// after losing it.
func Run(ctx context.Context, c *config.Config, o Options) error {
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	if c.Source.Type == config.FromKafka && c.Source.Kafka.Assignment == config.Group {
		return runLeased(ctx, c, o)
	}
	err := runOnce(ctx, c, o, lease{})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil { // told to stop before it could begin
		o.Log.Info("stopped before the source could be read", "event", "stopped")
		return nil
	}
	return err
}

// runOnce opens everything, runs the loop, and closes in reverse order.
func runOnce(ctx context.Context, c *config.Config, o Options, lease lease) (err error) {
	var closers closers
	defer func() { err = errors.Join(err, closers.close()) }()

	store, err := boltstore.Open(c.State.Path, boltstore.Options{MaxBytes: c.State.MaxBytes, Timeout: lease.patience()})
	if err != nil {
		return err
	}
	closers.add(store.Close)
	machine, err := openMachine(store, c, o)
	if err != nil {
		return err
	}
	if c.Repeat != "" && c.Schema().SubjectIndex() < 0 {
		o.Log.Warn("no attribute has role subject: every record counts as a person of its own", "event", "no_subject")
	}
	publisher, err := newPublisher(c, machine)
	if err != nil {
		return err
	}
	if err := lease.witness(ctx, machine); err != nil {
		return err
	}
	source, err := openSource(ctx, c, machine, o, lease)
	if err != nil {
		return err
	}
	closers.add(source.Close)
	letters, err := openDeadLetters(c, o)
	if err != nil {
		return err
	}
	closers.add(letters.Close)
	o.Log.Info("started", "event", "started", "dataset", c.Dataset, "source", c.Source.Name, "release", len(machine.Intents()), "records", machine.Status().Published+machine.Status().Pending.Total(), "k", c.Policy.K, "l", c.Policy.L)

	host := &ingest.Host{Machine: machine, Store: store, Source: source, Schema: c.Schema(), DeadLetters: letters, Publisher: publisher,
		NewDecoder: decoderOf(c), Trigger: triggerOf(c), Clock: o.Clock, Log: o.Log, Policy: policyDigest(c), Once: o.Once, Payload: c.DeadLetter.Payload,
		Retry: reconnect(), Observe: observer(c, o)}
	return host.Run(ctx)
}

// reconnect is the patience with everything that may be away for a while.
func reconnect() ingest.Reconnect { return ingest.Reconnect{Rand: rand.Float64} }

func decoderOf(c *config.Config) func() (ingest.Decoder, error) {
	opts := ingest.DecodeOptions{MaxBytes: int(c.Source.MaxRecordBytes), Ignore: reasonsOf(c.DeadLetter.Ignore)}
	return func() (ingest.Decoder, error) {
		return ingest.NewDecoder(ingest.Format(c.Source.Format), c.Schema(), opts)
	}
}

func openMachine(store incremental.Store, c *config.Config, o Options) (*incremental.Machine, error) {
	seed, seeded, err := seedOf(o)
	if err != nil {
		return nil, err
	}
	policy, err := PolicyOf(c)
	if err != nil {
		return nil, err
	}
	m, err := incremental.Open(store, incremental.Options{Schema: c.Schema(), Policy: policy, Settings: c.Digests(),
		Encoding: config.EncodingKey, Hierarchies: c.HierarchyKeys(), Seed: seed, Seeded: seeded})
	var changed *incremental.SettingsError
	var shrunk *incremental.GrowthError
	switch {
	case errors.As(err, &shrunk):
		return nil, &ConfigError{fmt.Errorf("%s: %w%s", c.State.Path, err, linesOf(c, shrunk))}
	case errors.As(err, &changed):
		return nil, &ConfigError{fmt.Errorf("%s: %w", c.State.Path, err)}
	}
	return m, err
}

// ConfigError is a contradiction between the configuration and what exists.
type ConfigError struct{ Err error }

// Hint says what an operator can do about it.
func (e *ConfigError) Hint() string {
	var changed *incremental.SettingsError
	if errors.As(e.Err, &changed) && !changed.Released {
		return "go back to the settings of the state; or, while no release is decided, start over: anond state reset"
	}
	var shrunk *incremental.GrowthError
	if errors.As(e.Err, &shrunk) && shrunk.Reason == "" {
		return "bring the earlier lines back as they were, and only add to them"
	}
	return "go back to the settings of the state, or start a new dataset of other records with a state, releases and ledger of its own"
}

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

func newPublisher(c *config.Config, m *incremental.Machine) (*publisher, error) {
	settings, err := SettingsOf(c, m)
	if err != nil {
		return nil, err
	}
	p := &publisher{settings: settings, gate: newGate(c),
		inner: &snapshot.Publisher{FS: snapshot.OS(), Dir: c.Release.Dir, Ledger: c.Release.Ledger}}
	p.inner.Gate = p.gate
	if err := snapshot.Reconcile(p.inner.FS, c.Release.Dir, c.Release.Ledger, m.Intents()); err != nil {
		return nil, err
	}
	if err := p.inner.Open(); err != nil {
		return nil, err
	}
	return p, p.gate.resume(m, settings, c.Release.Dir)
}

// closers closes what was opened, newest first, whatever fails.
type closers struct{ list []func() error }

func (c *closers) add(f func() error) { c.list = append(c.list, f) }

func (c *closers) close() error {
	var errs []error
	for i := len(c.list) - 1; i >= 0; i-- {
		errs = append(errs, c.list[i]())
	}
	return errors.Join(errs...)
}

// StatusPath is where a running daemon tells read verbs how things stand.
func StatusPath(c *config.Config) string {
	return filepath.Join(filepath.Dir(c.State.Path), "status.json")
}
