package main

import (
	"anond/incremental/state"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/config"
	"anond/ingest"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/ops/logs"
	"anond/internal/testkit/programtest"
	"anond/snapshot"
)

// panics are the places at which a daemon of the canary test panics, each with what it has in
// hand there: the records of a commit, refused messages, the files of a release.
var panics = map[string]func(*dataset.Options){
	"commit": func(o *dataset.Options) {
		o.StandIns.Store = func(s state.Store) state.Store { return panickingStore{s} }
	},
	"deliver": func(o *dataset.Options) {
		o.StandIns.DeadLetters = func(d ingest.DeadLetters) ingest.DeadLetters { return panickingSink{DeadLetters: d} }
	},
	"publish": func(o *dataset.Options) { o.FS = panickingDisk{snapshot.OS()} },
}

// beyond takes what is not there, as by a mistake.
func beyond[T any](list []T) T { return list[len(list)] }

type panickingStore struct{ state.Store }

// Commit panics once the dictionary takes in values.
func (s panickingStore) Commit(d *state.Delta) error {
	if len(d.Dictionary) > 0 && len(d.Records) > 0 {
		beyond(d.Dictionary)
	}
	return s.Store.Commit(d)
}

type panickingSink struct {
	ingest.DeadLetters
	refused map[string][]byte // nobody makes it
}

// Deliver panics with letters that hold their payloads.
func (s panickingSink) Deliver(_ context.Context, letters []state.DeadLetter) error {
	for _, l := range letters {
		s.refused[string(l.Payload)] = l.Payload
	}
	return nil
}

type panickingDisk struct{ snapshot.FS }

// CreateSealed returns a file that panics when it is written.
func (d panickingDisk) CreateSealed(path string) (io.WriteCloser, error) {
	f, err := d.FS.CreateSealed(path)
	return panickingFile{WriteCloser: f}, err
}

type panickingFile struct {
	io.WriteCloser
	copied *[]byte // nil
}

func (f panickingFile) Write(row []byte) (int, error) { return copy(*f.copied, row), nil }

// runPanicking is anond run, with a panic at a place. It does not return.
func runPanicking(place, path string) {
	cfg, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	if err != nil {
		os.Exit(exitConfig)
	}
	o := dataset.Options{Log: logs.New(os.Stderr, cfg.Log, false)}
	panics[place](&o)
	_ = daemon.Run(context.Background(), cfg, o)
	os.Exit(exitOK)
}

// panicking has daemons panic at work: what the runtime writes of it, the stacks of all
// goroutines with their arguments, has no value of a person.
func (c *canary) panicking() {
	running := map[string]*process{}
	for place := range panics {
		s := &site{t: c.t, dir: programtest.TempDir(c.t)}
		s.config = s.path("anond.yaml")
		s.write("anond.yaml", everywhere())
		s.write("key", firstKey)
		s.write("in.ndjson", canaries(600))
		running[place] = s.start("run", func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, childVariable+"="+place, "GOTRACEBACK=all") })
	}
	for place, p := range running {
		assert.Equal(c.t, 2, p.wait(), "%s: a panic: %s", place, &p.stderr)
		trace := p.stderr.String()
		assert.Contains(c.t, trace, "panic: ", place)
		assert.Contains(c.t, trace, "canary_panic_test.go", place)
		assert.Contains(c.t, trace, "goroutine ", place)
		c.quiet("panic at "+place, trace, false)
	}
}

// TestThePanicsOfTheCanaryTest: each is one that the runtime knows.
func TestThePanicsOfTheCanaryTest(t *testing.T) {
	assert.Panics(t, func() { beyond([]int{1}) })
	assert.Len(t, panics, 3)
}
