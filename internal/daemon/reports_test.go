package daemon

import (
	"anond/incremental/state"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/ops/monitor"
	"anond/snapshot"
)

// unseen are options of a run that nobody looks at.
func unseen(files snapshot.FS) dataset.Options {
	return dataset.Options{FS: files, Monitor: monitor.New(monitor.Settings{})}
}

// stubborn is a source without records whose status may hang.
type stubborn struct {
	mu        sync.Mutex
	connected bool
}

func (s *stubborn) Ends(context.Context) (map[state.Partition]int64, error) {
	return map[state.Partition]int64{{Source: "s"}: 1000}, nil
}

func (s *stubborn) Next(ctx context.Context) (*ingest.Chunk, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *stubborn) Ack(map[state.Partition]int64) {}

func (s *stubborn) Close() error { return nil }

func (s *stubborn) Status() ingest.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ingest.Status{Connected: s.connected}
}

// TestAStuckLoopIsNotAlive: a source that is away leaves the loop alive, however long it
// lasts; a loop that hangs is noticed, and so is that it goes on.
func TestAStuckLoopIsNotAlive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "anond.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`version: 1
dataset: hospital
source: {type: file, file: {path: in.ndjson, follow: true}}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 3}
release: {dir: ./releases}
`), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	source := &stubborn{}
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	settings := dataset.MonitorSettings(c, "")
	settings.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	pass := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	m := monitor.New(settings)
	reports := make(chan ingest.Report, 100)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, c, dataset.Options{Log: slog.New(slog.DiscardHandler), Monitor: m, Observe: func(r ingest.Report) { reports <- r },
			StandIns: dataset.StandIns{Source: func(ingest.Resume) (ingest.Source, error) { return source, nil }}})
	}()
	running := func() {
		t.Helper()
		for len(reports) > 0 {
			<-reports
		}
		for r := <-reports; r.Doing != ""; r = <-reports {
		}
	}
	running()
	lives := func() bool { ok, _ := m.Live(); return ok } // a report that was under way may come once more
	pass(10 * time.Minute)
	running() // a report has come since, though the source is away
	require.Eventually(t, lives, time.Hour, 10*time.Millisecond)
	require.False(t, m.Now().Parts()[2].Ready, "the source is not connected")

	source.mu.Lock() // the loop hangs when it asks next
	require.Eventually(t, func() bool {
		pass(monitor.StuckAfter + time.Second) // a report that was under way may come once more
		return !lives()
	}, time.Hour, 10*time.Millisecond)
	source.connected = true
	source.mu.Unlock()
	running()
	require.Eventually(t, lives, time.Hour, 10*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	require.True(t, lives(), "there is no loop any more")
}
