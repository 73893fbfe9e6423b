// Package demo shows anond at work in a minute: a Kafka broker inside the process,
// a producer with a synthetic hospital stream, and the daemon of `anond run`, which
// reads from the broker over TCP.
//
// Guarantee: it runs the same daemon, publisher and gate as `anond run`. With the
// same seed the stream is the same; the releases depend on random draws, unless a seed
// is given for them, and on the timing of the feed.
//
// Method: Run prepares the directory, starts broker and producer, and stops the
// daemon once everything is applied.
//
// Cost: about ten seconds with 15,000 records.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"anond/config"
	"anond/ingest"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/testkit/hospital"
)

// Options of a demo.
type Options struct {
	Out     string // directory; an earlier demo in it is replaced
	Seed    uint64 // of the stream
	Seeded  bool   // the daemon's draws follow the seed too, so level L2 is not claimed
	Records int    // messages sent, in total
	Rate    int    // messages per second, after the first load
	// Release is called for each release, Progress with the counts each second.
	Release  func(ingest.Latest)
	Progress func(ingest.Report)
	Lookup   config.Lookup
}

// Result is the outcome of a demo.
type Result struct {
	Config *config.Config
	Sent   int // messages produced
	Final  dataset.Status
}

const (
	topic      = "admissions"
	partitions = 4
	firstLoad  = 0.4 // share of the messages that are there before the daemon starts
	cuts       = 12  // approximate number, besides the first; about every second publishes
)

// Run makes DIR, starts broker and producer, and runs the daemon until it has
// applied everything that was sent.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := prepare(o.Out); err != nil {
		return nil, err
	}
	broker, err := startBroker()
	if err != nil {
		return nil, err
	}
	defer broker.close()
	c, err := writeConfig(o, broker.address)
	if err != nil {
		return nil, err
	}
	p, err := newProducer(broker.address, hospital.New(o.Seed))
	if err != nil {
		return nil, err
	}
	defer p.close()
	first := int(float64(o.Records) * firstLoad)
	if err := p.send(ctx, first); err != nil {
		return nil, err
	}
	return consume(ctx, o, c, p, first)
}

// consume runs the daemon while the rest of the stream is sent.
func consume(ctx context.Context, o Options, c *config.Config, p *producer, first int) (*Result, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	produced := make(chan error, 1)
	go func() { produced <- p.stream(running, o.Records-first, o.Rate) }()

	log, err := disk.Create(filepath.Join(o.Out, "anond.log"), 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var seed *[32]byte
	if o.Seeded {
		seed = seedOf(o.Seed)
	}
	w := watcher{o: o, sent: p.count, stop: stop}
	err = daemon.Run(running, c, dataset.Options{Log: slog.New(slog.NewJSONHandler(log, nil)), Seed: seed, Observe: w.observe})
	stop()
	if perr := <-produced; perr != nil && !errors.Is(perr, context.Canceled) {
		err = errors.Join(err, perr)
	}
	if err != nil {
		return nil, err
	}
	if !w.done {
		return nil, context.Canceled // interrupted: DIR has the results so far
	}
	return &Result{Config: c, Sent: p.count(), Final: w.final}, nil
}

// watcher follows the daemon and stops it once all that was sent is applied.
type watcher struct {
	o     Options
	sent  func() int
	stop  func()
	shown uint32
	done  bool
	final dataset.Status
}

func (w *watcher) observe(r ingest.Report) {
	if n := r.Newest; n != nil && n.Intent.Release != w.shown {
		w.shown = n.Intent.Release
		w.o.Release(*n)
	}
	w.o.Progress(r)
	w.final.Counts, w.final.Time = r.Machine, r.Time
	if int(r.Machine.Sent) == w.o.Records && w.sent() == w.o.Records && r.Releasing == 0 && r.Machine.Outbox == 0 {
		w.done = true
		w.stop()
	}
}

// seedOf spreads a small number over a seed.
func seedOf(n uint64) *[32]byte {
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("anond demo %d", n))
	return &seed
}

// mark is the first line of a configuration that a demo wrote.
const mark = "# Written by `anond demo`."

// prepare makes DIR. It replaces the files of an earlier demo and nothing else.
func prepare(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && len(entries) == 0:
	case err != nil:
		return err
	default:
		have, err := os.ReadFile(filepath.Join(dir, "anond.yaml"))
		if err != nil || len(have) < len(mark) || string(have[:len(mark)]) != mark {
			return &DirError{dir}
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(dir, "hierarchies"), 0o755)
}

// DirError says that the directory has files that are not a demo's.
type DirError struct{ Dir string }

func (e *DirError) Error() string {
	return fmt.Sprintf("%s contains files that are not from a demo", e.Dir)
}

// writeConfig writes the configuration that the demo runs with, and loads it as
// `anond run` would.
func writeConfig(o Options, address string) (*config.Config, error) {
	if err := write(filepath.Join(o.Out, "hierarchies", "postcode.csv"), hospital.Hierarchy()); err != nil {
		return nil, err
	}
	every := max(50, int(float64(o.Records)*(1-firstLoad))/cuts-20) // a little less, because some messages are refused
	path := filepath.Join(o.Out, "anond.yaml")
	if err := write(path, fmt.Sprintf(template, mark, address, every)); err != nil {
		return nil, err
	}
	c, _, err := config.Load(path, o.Lookup, os.ReadFile)
	return c, err
}

func write(path, text string) error {
	return disk.Replace(path, 0o644, disk.Bytes([]byte(text)))
}

const template = `%s It is the configuration that ran; the broker lived in that process.
version: 1
dataset: hospital
source:
  type: kafka
  format: json
  kafka:
    brokers: [%s]
    topic: ` + topic + `
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical, hierarchy: hierarchies/postcode.csv}
    - {name: admission, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 10, l: 5}
initial: {min_pool: 50}
release:
  dir: ./releases
  trigger: {on: records, every: %d}
state: {path: ./state/anond.db}
`

// line is one release as --json prints it.
type line struct {
	Release      uint32  `json:"release"`
	Records      int     `json:"records"`
	Pending      int     `json:"pending"`
	Classes      int     `json:"classes"`
	K            int     `json:"k"`
	MaxFrequency float64 `json:"max_frequency"`
	NCP          float64 `json:"ncp"`
	Newcomers    int     `json:"newcomers"`
	Millis       int64   `json:"ms"`
}

// LineOf is the line of a release.
func LineOf(n ingest.Latest) line {
	i := n.Intent
	return line{Release: i.Release, Records: i.Records, Pending: i.Pending.Total(), Classes: i.Classes, K: n.Release.KMin,
		MaxFrequency: n.Release.MaxFrequency, NCP: n.Release.NCP, Newcomers: i.Newcomers, Millis: n.Took.Milliseconds()}
}
