package daemon

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/testkit/hospital"
)

// handClock is a clock that a test moves.
type handClock struct {
	mu      sync.Mutex
	now     time.Time
	tickers []chan time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) Ticker(time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	c.tickers = append(c.tickers, ch)
	return ch, func() {}
}

// advance moves the clock; every ticker ticks, as one that is late does: once.
func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for _, t := range c.tickers {
		select {
		case t <- c.now:
		default:
		}
	}
}

// timed is a daemon that reads standard input, on a clock of its own.
type timed struct {
	t       *testing.T
	clock   *handClock
	cfg     *config.Config
	path    string
	Options dataset.Options
	stream  *hospital.Stream
	input   *io.PipeWriter
	sent    uint64
	stop    context.CancelFunc
	ended   chan error
	// starts is called before the daemon goes on from saying that it has started; may be nil.
	starts func()

	mu     sync.Mutex
	report ingest.Report
	log    bytes.Buffer
}

const timedConfig = `version: 1
dataset: hospital
source: {type: stdin}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: sex, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 3, level: L1}
initial: {max_records: 300}
release: {dir: ./releases, trigger: {%s}}
state: {path: ./state/anond.db}
`

func newTimed(t *testing.T, trigger string) *timed {
	path := filepath.Join(t.TempDir(), "anond.yaml")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, timedConfig, trigger), 0o600))
	cfg, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	d := &timed{t: t, cfg: cfg, path: path, stream: hospital.New(5), clock: &handClock{now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}}
	t.Cleanup(func() { d.halt() })
	return d
}

// Start starts the daemon; standard input stays open.
func (d *timed) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	d.input, d.stop, d.ended = writer, cancel, make(chan error, 1)
	d.mu.Lock()
	d.report = ingest.Report{}
	d.mu.Unlock()
	seed := [32]byte{1} // of the state: which classes there are must not change from run to run
	go func() {
		o := d.Options
		o.Log, o.Stdin, o.Clock, o.Observe, o.Seed = slog.New(told{slog.NewTextHandler(d, nil), d.starts}), reader, d.clock, d.observe, &seed
		d.ended <- Run(ctx, d.cfg, o)
		_ = reader.Close()
	}()
}

// told calls something as soon as it was logged that the daemon has started. Meanwhile others may log.
type told struct {
	slog.Handler
	starts func() // nil: nothing
}

func (h told) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	r.Attrs(func(a slog.Attr) bool {
		if h.starts != nil && a.Key == "event" && a.Value.String() == "started" {
			h.starts()
		}
		return true
	})
	return err
}

func (h told) WithAttrs(attrs []slog.Attr) slog.Handler {
	return told{h.Handler.WithAttrs(attrs), h.starts}
}

func (d *timed) halt() {
	if d.stop == nil {
		return
	}
	d.stop()
	_ = d.input.Close()
	require.NoError(d.t, <-d.ended)
	d.stop = nil
}

func (d *timed) observe(r ingest.Report) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.report = r
}

func (d *timed) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(p)
}

// event counts the log lines of an event.
func (d *timed) event(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Count(d.log.String(), "event="+name)
}

// until lets seconds pass until the daemon reports what is asked for.
func (d *timed) until(what string, condition func(ingest.Report) bool) {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		d.mu.Lock()
		r := d.report
		d.mu.Unlock()
		if condition(r) {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("%s: %+v\n%s", what, r.Machine, d.log.String())
		}
		// A busy machine must not let hours pass while the daemon does one thing.
		behind := !r.Time.IsZero() && r.Time.Before(d.clock.Now().Add(-time.Second))
		if !behind && r.Releasing == 0 {
			d.clock.advance(time.Second)
		}
	}
}

// Feed writes records and waits until they are applied.
func (d *timed) Feed(n int) {
	d.t.Helper()
	var b bytes.Buffer
	for range n {
		a := d.stream.Next()
		fmt.Fprintf(&b, `{"age":%d,"sex":%q,"diagnosis":%q}`+"\n", a.Age, a.Sex, a.Diagnosis)
	}
	_, err := d.input.Write(b.Bytes())
	require.NoError(d.t, err)
	d.sent += uint64(n)
	d.until("fed", func(r ingest.Report) bool { return r.Machine.Sent == d.sent })
}

// release waits until a release is published and marked.
func (d *timed) release(n uint32) {
	d.t.Helper()
	d.until(fmt.Sprintf("release %d", n), func(r ingest.Report) bool {
		return r.Newest != nil && r.Newest.Intent.Release == n && r.Releasing == 0 // it is decided before it is in progress
	})
}

// pass lets time pass, and returns once the daemon has seen it.
func (d *timed) pass(t time.Duration) {
	d.t.Helper()
	d.clock.advance(t)
	now := d.clock.Now()
	d.until("time", func(r ingest.Report) bool { return r.Time.After(now) && r.Releasing == 0 && r.Doing == "" })
}

func (d *timed) newest() uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.report.Machine.Release
}

func TestTriggerInterval(t *testing.T) {
	d := newTimed(t, "on: interval, every: 1h")
	d.Start()
	d.Feed(300)
	d.release(1)
	d.Feed(300)
	d.pass(50 * time.Minute)
	require.EqualValues(t, 1, d.newest())
	d.pass(10 * time.Minute)
	require.EqualValues(t, 2, d.newest())
	d.Feed(300)
	d.halt()

	d.clock.advance(5 * time.Hour) // nobody runs; five slots pass
	d.Start()
	d.release(3)
	require.Zero(t, d.event("release_skipped"), "one release for all missed slots")
	d.Feed(300)
	d.pass(50 * time.Minute)
	require.EqualValues(t, 3, d.newest())
	d.pass(10 * time.Minute)
	require.EqualValues(t, 4, d.newest())
}

func TestTriggerCron(t *testing.T) {
	d := newTimed(t, `on: cron, at: "0 2 * * *"`)
	d.Start()
	d.Feed(300)
	d.release(1)
	d.Feed(300)
	d.pass(13*time.Hour + 50*time.Minute)
	require.EqualValues(t, 1, d.newest(), "before two")
	d.pass(10 * time.Minute)
	require.EqualValues(t, 2, d.newest())
	d.pass(23 * time.Hour)
	d.Feed(300)
	d.halt()

	d.clock.advance(72 * time.Hour)
	d.Start()
	d.release(3)
	require.Zero(t, d.event("release_skipped"))
	d.pass(time.Hour)
	require.EqualValues(t, 3, d.newest(), "one release for three missed nights")
}

// TestTriggerUpdate: a release follows the updates, but not faster than
// min_interval allows, and none without anything new.
func TestTriggerUpdate(t *testing.T) {
	d := newTimed(t, "on: update, min_interval: 10m")
	d.Start()
	d.Feed(300)
	d.release(1)
	d.Feed(400)
	d.pass(5 * time.Minute)
	require.EqualValues(t, 1, d.newest())
	d.pass(5 * time.Minute)
	d.release(2)
	for range 5 {
		d.pass(time.Hour)
	}
	quiet := d.newest()
	d.pass(24 * time.Hour)
	require.Equal(t, quiet, d.newest(), "nothing new, no release")
}

// TestSkippedRelease: a slot without newcomers publishes nothing.
func TestSkippedRelease(t *testing.T) {
	d := newTimed(t, "on: interval, every: 1h")
	d.Start()
	d.Feed(300)
	d.release(1)
	for range 4 {
		d.pass(time.Hour)
	}
	quiet := d.newest()
	skipped := d.event("release_skipped")
	d.Feed(2) // too few for a class, and for a flat set of any signature
	d.pass(time.Hour)
	require.Equal(t, quiet, d.newest())
	require.Equal(t, skipped+1, d.event("release_skipped"))
	current, err := os.ReadFile(filepath.Join(d.cfg.Release.Dir, "CURRENT"))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%06d\n", quiet), string(current))
}

// TestCronInATimeZone: each slot of each day comes once, also where the clock changes.
func TestCronInATimeZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	at := func(text string) time.Time {
		out, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return out
	}
	for _, c := range []struct{ name, cron, after, want string }{
		{"winter", "0 2 * * *", "2026-01-10T12:00:00+01:00", "2026-01-11T02:00:00+01:00"},
		{"summer", "0 2 * * *", "2026-07-10T12:00:00+02:00", "2026-07-11T02:00:00+02:00"},
		{"spring: the clock goes from 02:00 to 03:00", "30 2 * * *", "2026-03-28T12:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		{"spring: once", "30 2 * * *", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		{"spring: several slots of the hour are one", "*/20 2 * * *", "2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"},
		{"autumn: the first time", "30 2 * * *", "2026-10-25T01:00:00+02:00", "2026-10-25T02:30:00+02:00"},
		{"autumn: not again", "30 2 * * *", "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		{"autumn: asked between the two", "30 2 * * *", "2026-10-25T02:10:00+01:00", "2026-10-26T02:30:00+01:00"},
		{"autumn: the hour before", "30 2 * * *", "2026-10-25T02:45:00+02:00", "2026-10-26T02:30:00+01:00"},
		{"the zone's day", "0 0 1 * *", "2026-06-30T21:00:00Z", "2026-06-30T22:00:00Z"},
	} {
		require.Equal(t, at(c.want).UTC(), nextCron(c.cron, berlin, at(c.after)).UTC(), c.name)
	}
	for _, zone := range []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"} {
		where, err := time.LoadLocation(zone)
		require.NoError(t, err)
		days := map[string]int{}
		for from := at("2026-01-01T00:00:00Z"); from.Year() == 2026; {
			next := nextCron("30 2 * * *", where, from)
			require.True(t, next.After(from), "%s: %s", zone, from)
			days[next.In(where).Format(time.DateOnly)]++
			from = next
		}
		require.GreaterOrEqual(t, len(days), 365, zone)
		for day, n := range days {
			require.Equal(t, 1, n, "%s on %s", zone, day)
		}
	}
}

// TestMissedSlotsAreSkipped: with missed: skip the start waits for the next slot.
func TestMissedSlotsAreSkipped(t *testing.T) {
	d := newTimed(t, `on: cron, at: "0 2 * * *", missed: skip, min_interval: 20m`)
	d.Start()
	d.Feed(300)
	d.release(1)
	d.Feed(300)
	d.halt()
	d.clock.advance(72 * time.Hour)
	d.Start()
	d.Feed(10)
	d.pass(time.Hour)
	require.EqualValues(t, 1, d.newest())
	d.pass(13 * time.Hour)
	require.EqualValues(t, 2, d.newest())
}
