package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/control"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/ops/diskuse"
	"anond/internal/pace"
	"anond/internal/progress"
	"anond/internal/sealed"
	"anond/internal/upkeep"
)

// steering is what operators may ask of one run of the daemon: over the control socket,
// and by SIGHUP. It knows the configuration in effect, and gives orders to the loop.
type steering struct {
	o        dataset.Options
	log      *slog.Logger
	commands *ingest.Commands
	written  chan struct{}   // a release was published since the disks were measured
	server   *control.Server // nil: no socket
	stop     context.CancelFunc
	quota    *quota // set before the loop begins, and key and owners, too
	key      sealed.Key
	owners   ingest.Owners
	limit    *pace.Limit

	far *meters

	turn sync.Mutex // one reload, or change of the level, at a time
	mu   sync.Mutex // guards the rest
	cfg  *config.Config
	// looping: the loop takes orders. Before that the daemon opens its parts.
	looping  bool
	copies   *upkeep.Copier // from when the loop runs
	last     ingest.Report
	reloaded *ingest.Reload
	disk     *diskuse.Use
}

// meters tell how far long work is: what the report calls Doing, and the release in progress.
type meters struct{ work, render progress.Meter }

// planned: once all records are in classes, how far the rest of a decision is, is not known.
func (m *meters) planned(done, all int) {
	if done >= all {
		done, all = 0, 0
	}
	m.work.Set(int64(done), int64(all))
}

func (m *meters) rendered(done, all int) { m.render.Set(int64(done), int64(all)) }

// newSteering opens the socket and listens to SIGHUP. The state is locked already, so
// that no other daemon of this dataset uses the same socket.
func newSteering(c *config.Config, o dataset.Options, far *meters) (*steering, error) {
	ctx, stop := context.WithCancel(context.Background())
	s := &steering{o: o, log: o.Log, commands: ingest.NewCommands(), written: make(chan struct{}, 1), stop: stop, cfg: c, far: far,
		limit: pace.New(o.Clock, c.Release.MaxRate),
		last:  ingest.Report{Time: o.Clock.Now(), Doing: ingest.DoingOpen, Since: o.Clock.Now()}}
	far.work.Begin(o.Clock.Now())
	if c.Control.Socket != "" {
		l, err := control.Listen(c.Control.Socket)
		if err != nil {
			stop()
			return nil, err
		}
		s.server = control.Serve(l, s, o.Journal, o.Log)
	}
	if o.Reloads != nil {
		go s.heedReloads(ctx)
	}
	if !o.Once {
		earlier, _ := dataset.ReadStatus(dataset.StatusPath(c)) // it is replaced soon; without one, growth is measured from now on
		go s.watchDisk(ctx, c, earlier.Samples())
	}
	if o.Working != nil {
		go s.tellWork(ctx)
	}
	return s, nil
}

// Close ends it.
func (s *steering) Close() error {
	s.stop()
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

// heedReloads reloads at each SIGHUP. The outcome is in the log.
func (s *steering) heedReloads(ctx context.Context) {
	for {
		select {
		case _, more := <-s.o.Reloads:
			if !more {
				return
			}
			_, _ = s.Reload(ctx) // it logs how it went
		case <-ctx.Done():
			return
		}
	}
}

// begins: the loop takes orders from now on.
func (s *steering) begins(copies *upkeep.Copier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looping, s.copies = true, copies
}

// observe keeps the newest report, and completes it with what only the daemon knows.
func (s *steering) observe(r ingest.Report) (ingest.Report, dataset.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Reload = s.reloaded
	r.Backup = s.backup()
	if s.owners != nil {
		r.Owned = &ingest.Owned{}
		r.Owned.People, r.Owned.Datasets = s.owners.Owned()
	}
	if r.Doing != s.last.Doing {
		s.far.work.Begin(r.Time)
	}
	if r.Releasing != s.last.Releasing {
		s.far.render.Begin(r.Time)
	}
	if r.Newest != s.last.Newest {
		select {
		case s.written <- struct{}{}:
		default:
		}
	}
	s.last = r
	return r, s.status(r)
}

// backup is what is known of copies of the state. The lock is held.
func (s *steering) backup() *ingest.Backup {
	if s.copies == nil {
		return nil
	}
	return s.copies.Newest()
}

// keep is release.keep as it is in effect.
func (s *steering) keep() config.Keep {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.Release.Keep
}

// ready says why no order can be given now.
func (s *steering) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looping {
		return nil
	}
	return fault.Errorf(fault.Failed, "ask again when anond status shows that it reads", "anond is starting: %s", s.last.Doing)
}

// Status implements control.Daemon.
func (s *steering) Status() ([]byte, error) {
	s.mu.Lock()
	now := s.status(s.last)
	s.mu.Unlock()
	return json.Marshal(now) // without the lock, for which the loop would wait
}

// status is what status.json and the socket tell. The lock is held.
func (s *steering) status(r ingest.Report) dataset.Status {
	out := dataset.StatusOf(s.cfg, r)
	out.Disk, out.Backup, out.Certificates = s.disk, s.backup(), s.o.Monitor.Certificates()
	now := s.o.Clock.Now()
	if r.Doing != "" {
		out.Progress = s.far.work.At(now)
	}
	if r.Releasing != 0 {
		out.Rendering = s.far.render.At(now)
	}
	return out
}

// ask gives an order to the loop.
func (s *steering) ask(ctx context.Context, o ingest.Order) (ingest.Answer, error) {
	if err := s.ready(); err != nil {
		return ingest.Answer{}, err
	}
	a, err := s.commands.Ask(ctx, o)
	return a, faultOf(err)
}

// faultOf says what an error means to a client, where that is another thing than to a run.
func faultOf(err error) error {
	if errors.Is(err, ingest.ErrPermanent) || errors.Is(err, incremental.ErrUnsafe) {
		return fault.With(fault.Privacy, "anond has ended; its log says why", err)
	}
	return err
}

// Release implements control.Daemon.
func (s *steering) Release(ctx context.Context) (*control.Released, error) {
	a, err := s.ask(ctx, ingest.OrderRelease)
	if err != nil {
		return nil, err
	}
	if a.Release == nil {
		return &control.Released{Why: a.Why}, nil
	}
	i := a.Release.Intent
	return &control.Released{Release: i.Release, Records: i.Records, Newcomers: i.Newcomers, Classes: i.Classes, Pending: i.Pending.Total(),
		NCP: a.Release.Release.NCP, Millis: a.Release.Took.Milliseconds()}, nil
}

// Plan implements control.Daemon. At level L2 it has nothing about the values of those who
// wait (incremental.Outlook).
func (s *steering) Plan(ctx context.Context) (*control.Plan, error) {
	a, err := s.ask(ctx, ingest.OrderPlan)
	if err != nil {
		return nil, err
	}
	out := &control.Plan{Outlook: a.Plan, Why: a.Why}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.last.Newest; n != nil {
		loss := n.Release.NCP
		out.PublishedLoss = &loss
	}
	return out, nil
}

// pauseFile marks a daemon that is paused, next to its state: an order to pause must not
// end with a crash, after which a service manager starts anond again.
func pauseFile(c *config.Config) string { return filepath.Join(filepath.Dir(c.State.Path), "paused") }

// pausedSince reports whether the daemon was paused, and when.
func pausedSince(c *config.Config) (since string, paused bool, err error) {
	text, err := os.ReadFile(pauseFile(c))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return strings.TrimSpace(string(text)), err == nil, err
}

// ErrPaused: a run that has to end was asked for, and the daemon is paused.
var ErrPaused = fault.Errorf(fault.Failed, "start it without --once and run anond resume, or remove the file",
	"anond was paused")

// beginsPaused says that the daemon was paused before, if it was.
func beginsPaused(c *config.Config, o dataset.Options) (bool, error) {
	since, paused, err := pausedSince(c)
	if err != nil || !paused {
		return false, err
	}
	if o.Once {
		return false, fmt.Errorf("%w: %s exists", ErrPaused, pauseFile(c))
	}
	o.Log.Warn("anond was paused, and reads nothing until anond resume", "event", "paused", "since", since, "file", pauseFile(c))
	return true, nil
}

// Pause implements control.Daemon. It holds over restarts.
func (s *steering) Pause(ctx context.Context) (*control.Changed, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	a, err := s.ask(ctx, ingest.OrderPause)
	if err != nil || !a.Changed {
		return &control.Changed{}, err
	}
	return &control.Changed{Changed: true}, s.markPaused()
}

// markPaused has a pause outlive this process.
func (s *steering) markPaused() error {
	return disk.Replace(pauseFile(s.config()), 0o600, disk.Bytes([]byte(s.o.Clock.Now().UTC().Format(time.RFC3339)+"\n")))
}

// Resume implements control.Daemon.
func (s *steering) Resume(ctx context.Context) (*control.Changed, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	if err := os.Remove(pauseFile(s.config())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	a, err := s.ask(ctx, ingest.OrderResume)
	return &control.Changed{Changed: a.Changed}, err
}

// config is the configuration in effect.
func (s *steering) config() *config.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg
}
