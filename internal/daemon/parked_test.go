package daemon

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/snapshot"
)

// hasty is a clock that gives a stopping daemon no time to finish a release.
type hasty struct{}

func (hasty) Now() time.Time { return time.Now() }

func (hasty) Ticker(d time.Duration) (<-chan time.Time, func()) {
	if d < 10*time.Second {
		return clock.System().Ticker(d)
	}
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over, func() {}
}

// slowDisk holds the first rename of a release up until it is told to go on, and
// notes each change that comes after.
type slowDisk struct {
	snapshot.FS
	reached, resume chan struct{}
	mu              sync.Mutex
	late            []string
}

func (d *slowDisk) Rename(from, to string) error {
	if filepath.Base(to) != "000001" {
		d.note("rename " + to)
		return d.FS.Rename(from, to)
	}
	close(d.reached)
	<-d.resume
	return d.FS.Rename(from, to)
}

func (d *slowDisk) Create(path string) (io.WriteCloser, error) {
	d.note("create " + path)
	return d.FS.Create(path)
}

func (d *slowDisk) Append(path string) (io.WriteCloser, error) {
	d.note("append " + path)
	return d.FS.Append(path)
}

func (d *slowDisk) RemoveAll(path string) error {
	d.note("remove " + path)
	return d.FS.RemoveAll(path)
}

func (d *slowDisk) note(change string) {
	select {
	case <-d.resume:
		d.mu.Lock()
		defer d.mu.Unlock()
		d.late = append(d.late, change)
	default:
	}
}

// lines is a log that several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), text)
}

const parkedConfig = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: in.csv, follow: true}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: ill, role: sensitive, type: categorical}
policy: {k: 2, l: 2, level: L1, max_hold: 0s}
release: {dir: ./releases, ledger: ./ledger}
state: {path: ./state/anond.db}
`

// TestAParkedReleaseIsNotGoneOnWith: a stop that cannot wait for a release parks
// it. The state stays locked until the step in progress has ended, and nothing
// is written after that: the next owner renders the same release anew.
func TestAParkedReleaseIsNotGoneOnWith(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte("age,ill\n30,a\n31,b\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "anond.yaml"), []byte(parkedConfig), 0o600))
	c, _, err := config.Load(filepath.Join(dir, "anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	disk := &slowDisk{FS: snapshot.OS(), reached: make(chan struct{}), resume: make(chan struct{})}
	log := &lines{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, c, dataset.Options{Log: slog.New(slog.NewJSONHandler(log, nil)), Clock: hasty{}, FS: disk})
	}()
	<-disk.reached
	stop()
	require.Eventually(t, func() bool { return log.has("release_parked") }, time.Hour, time.Millisecond)

	select { // the rename is in progress: a process that opened the state now would publish at the same time
	case err := <-ended:
		t.Errorf("the daemon ended (%v) with a write in progress", err)
		ended <- err
	case <-time.After(300 * time.Millisecond):
		_, err := boltstore.Open(c.State.Path, boltstore.Options{Timeout: time.Millisecond})
		assert.Error(t, err, "the state is still locked")
	}
	close(disk.resume)
	require.NoError(t, <-ended)
	time.Sleep(100 * time.Millisecond) // what was left behind would go on now
	disk.mu.Lock()
	assert.Empty(t, disk.late, "written after the state was given away")
	disk.mu.Unlock()

	ctx, stop = context.WithCancel(t.Context())
	defer stop()
	go func() { ended <- Run(ctx, c, dataset.Options{Log: slog.New(slog.NewJSONHandler(log, nil))}) }()
	require.Eventually(t, func() bool { return log.has(`"event":"release_published","release":1`) }, time.Hour, time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	list, err := snapshot.List(snapshot.OS(), c.Release.Dir)
	require.NoError(t, err)
	assert.Len(t, list, 1)
}
