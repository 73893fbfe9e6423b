// Package dataset is what the run of a dataset (internal/daemon) and the commands on its state (internal/upkeep) share: what a
// configuration says of state, machine, source, brokers, keys and directories, and the status file.
//
// Guarantee: the same configuration opens the same machine for all of them, so that no command judges a state by
// other rules than the run.
package dataset

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"

	"anond/config"
	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/control"
	"anond/internal/ops/monitor"
	"anond/internal/ops/notify"
	"anond/internal/retry"
	"anond/snapshot"
)

// Options are what a run needs besides its configuration.
type Options struct {
	Log  *slog.Logger
	Once bool
	// Apply takes settings in that may be others for later pools (anond config apply).
	Apply bool
	// Lapse: if they are those of people who come later, all who wait or are observed lapse.
	Lapse bool
	Stdin io.Reader
	// TrustClock: the clock is right though it lies far ahead of when it was seen last.
	TrustClock bool
	Again      bool        // Stdin is another input than those that were read, however it begins
	Clock      clock.Clock // nil: the system's
	FS         snapshot.FS // of the releases; nil: the system's
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

	Brokers *brokers            // of this run
	Renewal *renewal            // of what brokers and Prepare use
	Planned func(done, all int) // is told how far the partitioning of a decision is
}

// reconnect is the retry policy for everything that may be unavailable for a while.
func reconnect() retry.Policy { return retry.Policy{Rand: rand.Float64} }

// Closers closes what was opened, newest first, whatever fails.
type Closers struct{ list []func() error }

func (c *Closers) Add(f func() error) { c.list = append(c.list, f) }

func (c *Closers) Close() error {
	var errs []error
	for i := len(c.list) - 1; i >= 0; i-- {
		errs = append(errs, c.list[i]())
	}
	return errors.Join(errs...)
}

// Monitored makes sure that there is a monitor.
func Monitored(c *config.Config, o *Options) {
	o.Monitor = cmp.Or(o.Monitor, monitor.New(MonitorSettings(c, "")))
}
