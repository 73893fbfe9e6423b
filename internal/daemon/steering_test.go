package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/ingest"
	"anond/internal/control"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/testkit/programtest"
)

// steered is a daemon with a control socket, a level and a configuration file that a test
// may change.
type steered struct {
	*timed
	Client  *control.Client
	Level   slog.LevelVar
	reloads chan os.Signal
	Text    string // of the configuration; read by a reload
}

func newSteered(t *testing.T, trigger string) *steered {
	d := newTimed(t, trigger)
	dir := programtest.TempDir(t) // short enough for a socket
	s := &steered{timed: d, reloads: make(chan os.Signal, 1)}
	text, err := os.ReadFile(d.path)
	require.NoError(t, err)
	s.Text = string(text) + "control: {socket: " + filepath.Join(dir, "s") + "}\n"
	d.cfg, err = s.load()
	require.NoError(t, err)
	s.Client = control.NewClient(d.cfg.Control.Socket)
	d.Options = dataset.Options{Level: &s.Level, Reloads: s.reloads, Load: s.load, Journal: control.NewJournal()}
	return s
}

func (s *steered) load() (*config.Config, error) {
	c, _, err := config.Load(s.path, os.LookupEnv, func(name string) ([]byte, error) {
		if name == s.path {
			return []byte(s.Text), nil
		}
		return os.ReadFile(name)
	})
	return c, err
}

// edit changes the file of the configuration.
func (s *steered) edit(from, to string) {
	require.Contains(s.t, s.Text, from)
	s.Text = strings.Replace(s.Text, from, to, 1)
}

// ask gives an order while time passes, since the loop reacts to its clock.
func ask[T any](s *steered, order func(context.Context) (T, error)) (T, error) {
	s.t.Helper()
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := order(s.t.Context())
		done <- result{out, err}
	}()
	for {
		select {
		case r := <-done:
			return r.out, r.err
		case <-time.After(time.Millisecond):
			s.clock.advance(10 * time.Millisecond)
		}
	}
}

func (s *steered) status() (out dataset.Status) {
	text, err := s.Client.Status(s.t.Context())
	require.NoError(s.t, err)
	require.NoError(s.t, json.Unmarshal(text, &out))
	return out
}

// TestOrdersAreTakenOnceItHasStarted: whoever waits for that event is not told to ask again.
func TestOrdersAreTakenOnceItHasStarted(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	asked := make(chan error, 1)
	s.starts = func() {
		_, done, err := s.Client.Copy(t.Context())
		if err == nil {
			done()
		}
		asked <- err
	}
	s.Start()
	require.NoError(t, <-asked)
}

// TestSteering goes through the orders: plan, release now, pause, a restart, resume.
func TestSteering(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	s.Start()
	s.Feed(300)
	s.release(1)
	s.Feed(300)
	s.pass(20 * time.Minute) // longer than max_hold
	plan, err := ask(s, s.Client.Plan)
	require.NoError(t, err)
	require.Positive(t, plan.Newcomers)
	require.NotNil(t, plan.PublishedLoss)
	require.EqualValues(t, 1, s.newest())
	r, err := ask(s, s.Client.Release)
	require.NoError(t, err)
	require.EqualValues(t, 2, r.Release)
	require.Equal(t, plan.Newcomers, r.Newcomers)

	_, err = ask(s, s.Client.Pause)
	require.NoError(t, err)
	require.True(t, s.status().Paused, "as soon as the order is answered")
	s.until("paused", func(r ingest.Report) bool { return r.Paused })
	require.True(t, s.status().Paused)
	s.halt()
	s.Start()
	s.until("it begins paused", func(r ingest.Report) bool { return r.Paused && r.Doing == "" })
	s.pass(3 * time.Hour)
	require.EqualValues(t, 2, s.newest(), "no release by the trigger")
	out, err := ask(s, s.Client.Resume)
	require.NoError(t, err)
	require.True(t, out.Changed)
	s.Feed(300)
	s.pass(time.Hour)
	s.until("releases go on", func(r ingest.Report) bool { // the time that passed in the pause may make two of the records
		return r.Newest != nil && r.Newest.Intent.Release >= 3 && r.Releasing == 0
	})
	require.NoFileExists(t, pauseFile(s.cfg))
}

// TestOnceDoesNotRunPaused: it would never end.
func TestOnceDoesNotRunPaused(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	require.NoError(t, os.MkdirAll(filepath.Dir(s.cfg.State.Path), 0o700))
	require.NoError(t, os.WriteFile(pauseFile(s.cfg), []byte("2026-01-01T00:00:00Z\n"), 0o600))
	err := Run(t.Context(), s.cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true, Stdin: strings.NewReader("")})
	require.ErrorIs(t, err, ErrPaused)
}

// TestReload takes in all changes or none, and says which one a running daemon cannot.
func TestReload(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	s.Start()
	s.Feed(300)
	s.release(1)
	out, err := ask(s, s.Client.Reload)
	require.NoError(t, err)
	require.False(t, out.Changed)

	s.edit("every: 1h", "every: 10m")
	s.Text += "log: {level: debug}\n"
	out, err = ask(s, s.Client.Reload)
	require.NoError(t, err)
	require.Equal(t, []string{"release.trigger.every", "log.level"}, out.Keys)
	require.Equal(t, slog.LevelDebug, s.Level.Level())
	s.Feed(300)
	s.pass(10 * time.Minute)
	s.release(2)

	for _, c := range []struct{ from, to, key, hint string }{
		{"k: 5", "k: 6", "policy.k", "anond config apply"},
		{"path: ./state/anond.db", "path: ./state/anond.db, max_records: 7", "state.max_records", "restart anond"},
		{"type: integer", "type: decimal", "schema.attributes[age].type", "the dataset has a release"},
	} {
		before := s.Text
		s.edit(c.from, c.to)
		s.edit("level: debug", "level: error")
		_, err = ask(s, s.Client.Reload)
		kind, hint := fault.Of(err)
		require.Equal(t, fault.Config, kind)
		require.ErrorContains(t, err, c.key)
		require.NotContains(t, err.Error(), "log.level", "it could change")
		require.Contains(t, hint, c.hint)
		require.Equal(t, slog.LevelDebug, s.Level.Level(), "all or nothing")
		s.Text = before
	}
	s.until("the status says so", func(r ingest.Report) bool { return r.Reload != nil && !r.Reload.OK })
	s.Text = "version: 1\n"
	_, err = ask(s, s.Client.Reload)
	require.ErrorContains(t, err, "is missing")
}

// TestReloadRefusesAGrownHierarchy by name: it is taken in at a start.
func TestReloadRefusesAGrownHierarchy(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	file := filepath.Join(filepath.Dir(s.path), "sex.csv")
	require.NoError(t, os.WriteFile(file, []byte("F;*\nM;*\n"), 0o600))
	s.edit("{name: sex, role: quasi, type: categorical}", "{name: sex, role: quasi, type: categorical, hierarchy: sex.csv}")
	cfg, err := s.load()
	require.NoError(t, err)
	s.cfg = cfg
	s.Start()
	s.Feed(300)
	s.release(1)
	require.NoError(t, os.WriteFile(file, []byte("F;*\nM;*\nX;*\n"), 0o600))
	_, err = ask(s, s.Client.Reload)
	require.ErrorContains(t, err, "schema.attributes[sex].hierarchy")
	require.Contains(t, fault.Hint(err), "restarted")
}

// TestHangupReloads: SIGHUP does what the order does.
func TestHangupReloads(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	s.Start()
	s.Feed(10)
	s.Text += "log: {level: warn}\n"
	s.reloads <- syscall.SIGHUP
	s.until("reloaded", func(r ingest.Report) bool { return r.Reload != nil && r.Reload.OK })
	require.Equal(t, slog.LevelWarn, s.Level.Level())
	s.until("it is said", func(ingest.Report) bool { return s.event("reloaded") == 1 })
}

// TestOrdersBeforeTheLoop: while the daemon opens its parts it answers with its status, and
// orders are refused with the reason.
func TestOrdersBeforeTheLoop(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	reached, open := make(chan struct{}), make(chan struct{})
	s.Options.StandIns.Source = func(ingest.Resume) (ingest.Source, error) {
		close(reached)
		<-open
		return nil, errors.New("no source")
	}
	s.Start()
	<-reached
	require.Equal(t, ingest.DoingConnect, s.status().Doing)
	for _, order := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := s.Client.Pause(ctx); return err },
		func(ctx context.Context) error { _, err := s.Client.Plan(ctx); return err },
		func(ctx context.Context) error { _, err := s.Client.Reload(ctx); return err },
	} {
		err := order(t.Context())
		require.ErrorContains(t, err, "connecting")
		require.Contains(t, fault.Hint(err), "ask again")
	}
	close(open)
	require.ErrorContains(t, <-s.ended, "no source")
	s.timed.stop = nil
	_, err := s.Client.Status(t.Context())
	require.ErrorIs(t, err, control.ErrNobody)
}

// TestReloadOfWhatIsServed: what the caller refuses, the reload refuses, whole.
func TestReloadOfWhatIsServed(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	var used int
	var refuse error
	s.Options.Prepare = func(*config.Config) (func() []string, error) { return func() []string { used++; return nil }, refuse }
	s.Start()
	s.Feed(10)
	refuse = errors.New("http.tls: no")
	s.Text += "log: {level: warn}\n"
	_, err := ask(s, s.Client.Reload)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Config, kind)
	require.ErrorContains(t, err, "http.tls: no")
	require.Zero(t, used)
	require.Equal(t, slog.LevelInfo, s.Level.Level())
	refuse = nil
	_, err = ask(s, s.Client.Reload)
	require.NoError(t, err)
	require.Equal(t, 1, used)
	require.Equal(t, slog.LevelWarn, s.Level.Level())
}
