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
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/clock"
	"anond/internal/control"
	"anond/internal/fault"
	"anond/internal/ops/monitor"
	"anond/internal/ops/notify"
	"anond/internal/retry"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// Options are what a run needs besides its configuration.
type Options struct {
	Log   *slog.Logger
	Once  bool
	Stdin io.Reader
	Again bool        // Stdin is another input than those that were read, however it begins
	Clock clock.Clock // nil: the system's
	FS    snapshot.FS // of the releases; nil: the system's
	// Seed makes a fresh state reproducible and marks it seeded. nil: drawn from
	// the system's generator (rule R, randomness).
	Seed *[32]byte
	// Level is that of Log, Journal has its lines: for the control socket. May be nil.
	Level   *slog.LevelVar
	Journal *control.Journal
	// Load reads the configuration again, and Reloads asks for that (SIGHUP). May be nil.
	Load    func() (*config.Config, error)
	Reloads <-chan os.Signal
	// Manager is the service manager that started the process; nil: none.
	Manager *notify.Manager
	// Observe receives the daemon's reports; may be nil.
	Observe func(ingest.Report)
	// Monitor receives them too, and Meter what happens between them; may be nil.
	Monitor *monitor.Monitor
	Meter   ingest.Meter
	// Prepare checks another configuration for what the caller serves, and changes nothing;
	// use puts it in effect, and names the keys that give something else than before. May be nil.
	Prepare func(next *config.Config) (use func() (keys []string), err error)
	// Working is told each second what long work is under way, and how far it is; empty: none.
	// May be nil.
	Working func(what string)
	// Lookup finds environment variables, for secrets that are read again. May be nil.
	Lookup config.Lookup
	// StandIns are for tests.
	StandIns StandIns

	brokers *brokers            // of this run
	renewal *renewal            // of what brokers and Prepare use
	planned func(done, all int) // is told how far the partitioning of a decision is
}

// Run runs the daemon until ctx is done, its source ends, or an operator is
// needed. In group assignment it stands by until it holds the lease, and again
// after losing it.
func Run(ctx context.Context, c *config.Config, o Options) (err error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	defer func() { noteEnd(ctx, c, o, err) }()
	if o.FS == nil {
		o.FS = snapshot.OS()
	}
	monitored(c, &o)
	defer o.Manager.Follow(ctx, o.Log, o.Clock, o.Monitor.Sight)()
	if o.brokers, err = reachBrokers(ctx, c, o.Log); err != nil {
		return err
	}
	o.renewal = newRenewal(c, o)
	if !o.Once {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go o.renewal.watch(watching)
	}
	if c.Source.Type == config.FromKafka && c.Source.Kafka.Assignment == config.Group {
		return runLeased(ctx, c, o)
	}
	return runOnce(ctx, c, o, lease{})
}

// reconnect is the retry policy for everything that may be unavailable for a while.
func reconnect() retry.Policy { return retry.Policy{Rand: rand.Float64} }

func decoderOf(c *config.Config, log *slog.Logger) func() (decode.Decoder, error) {
	opts := decode.Options{MaxBytes: int(c.Source.MaxRecordBytes), Multiline: c.Source.CSV.Multiline, Paths: c.Paths(),
		Ignore: reasonsOf(c.DeadLetter.Ignore), Deletes: c.Deletes == config.ForgetDeletes}
	if once := new(sync.Once); log != nil {
		opts.Suspect = func(member string) {
			once.Do(func() {
				log.Warn("records look like flat change events: updates and deletes count as records of their own; set source.format to "+
					"debezium-flat", "event", "change_events", "member", member)
			})
		}
	}
	return func() (decode.Decoder, error) {
		return decode.New(decode.Format(c.Source.Format), c.Schema(), opts)
	}
}

// openMachine loads the state. A stop ends that, and later ends the planning of
// releases.
func openMachine(ctx context.Context, store incremental.Store, c *config.Config, o Options) (*incremental.Machine, error) {
	options, err := machineOptions(ctx, c, o)
	if err != nil {
		return nil, err
	}
	m, err := incremental.Open(store, options)
	var shrunk *incremental.GrowthError
	if kind, _ := fault.Of(err); errors.As(err, &shrunk) {
		return nil, fmt.Errorf("%s: %w%s", c.State.Path, err, linesOf(c, shrunk))
	} else if kind == fault.Config {
		return nil, fmt.Errorf("%s: %w", c.State.Path, err)
	}
	if err == nil && m.Journal().Seq > 0 && !c.Shard.Journal.Set() {
		return nil, fmt.Errorf("%s: %w, and shard.journal.topic is missing", c.State.Path, errHasJournal)
	}
	return m, err
}

// machineOptions are what the configuration opens a machine with.
func machineOptions(ctx context.Context, c *config.Config, o Options) (incremental.Options, error) {
	seed, seeded, err := seedOf(o)
	if err != nil {
		return incremental.Options{}, err
	}
	return incremental.Options{Schema: c.Schema(), Policy: PolicyOf(c), Settings: c.Digests(),
		Encoding: config.EncodingKey, Hierarchies: c.HierarchyKeys(), Weaker: config.AskedOfBags(),
		Seed: seed, Seeded: seeded, SubjectKey: subjectKey(c), Progress: o.planned, Interrupted: func() bool { return ctx.Err() != nil }}, nil
}

func newPublisher(ctx context.Context, c *config.Config, m *incremental.Machine, o Options, progress func(done, all int)) (
	*publisher, error) {
	settings, err := SettingsOf(c, m)
	if err != nil {
		return nil, err
	}
	settings.Progress = progress
	disk := publish.NewClosable(o.FS)
	p := &publisher{settings: settings, gate: newGate(c), disk: disk, sized: o.Monitor.Sized, run: ctx, twins: &twins{log: o.Log},
		inner: &publish.Publisher{FS: disk, Dir: c.Release.Dir, Ledger: c.Release.Ledger, Owner: newOwner(), Beside: c.Shard.Journal.Set()}}
	p.inner.Gate = p.gate
	if err := reconcile(p.inner, c, m); err != nil {
		return nil, err
	}
	if err := p.inner.Open(); err != nil {
		return nil, err
	}
	if err := left(ctx, func() error { return p.recheck(ctx, m) }); err != nil {
		return nil, err
	}
	return p, nil
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

// StatusPath is the status file of a running daemon, which read verbs show.
func StatusPath(c *config.Config) string {
	return filepath.Join(filepath.Dir(c.State.Path), "status.json")
}
