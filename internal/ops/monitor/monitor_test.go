package monitor

import (
	"bytes"
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

	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/ops/duty"
	"anond/snapshot"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func fresh(t *testing.T) *Monitor {
	t.Helper()
	dir := t.TempDir()
	return New(Settings{Dataset: "d", K: 5, L: 3, FS: snapshot.OS(), Releases: filepath.Join(dir, "releases"),
		Ledger: filepath.Join(dir, "ledger"), Now: func() time.Time { return begin }})
}

// published is the report of a release.
func published(n int) ingest.Report {
	at := begin.Add(time.Duration(n) * time.Minute)
	return ingest.Report{Time: at, Counted: at, Machine: incremental.Status{Sent: uint64(100 * n), Release: uint32(n)},
		Newest: &ingest.Latest{Intent: state.Intent{Release: uint32(n), CreatedAt: at.Unix(), Records: 100 * n},
			Release: ingest.Release{KMin: 5, MaxFrequency: 1. / 3}}}
}

// TestMemoryIsBounded: however long the process runs and whatever it logs.
func TestMemoryIsBounded(t *testing.T) {
	m := fresh(t)
	log := m.Log(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for n := 1; n <= 3*releasesKept; n++ {
		m.Observe(published(n))
		log.Info(strings.Repeat("x", 10), "event", "release_failed", "error", strings.Repeat("y", 10*400))
	}
	v := m.Now()
	assert.Len(t, v.Releases, releasesKept)
	assert.EqualValues(t, 3*releasesKept, v.Releases[releasesKept-1].Number)
	assert.Equal(t, 100, v.Releases[0].Newcomers)
	assert.Len(t, v.Hour, 361)
	assert.LessOrEqual(t, len(v.Week), 337)
	assert.Len(t, v.Events, 60)
	for _, e := range v.Events {
		assert.LessOrEqual(t, len(e.More), 400+3)
	}
	assert.InDelta(t, 100./60, v.Hour[200].Rate, 1e-9, "records a second")
}

// TestAViewDoesNotChange: readers keep what they have taken.
func TestAViewDoesNotChange(t *testing.T) {
	m := fresh(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 200 {
				v := m.Now()
				if n := len(v.Releases); n > 0 {
					assert.Equal(t, v.Report.Newest.Intent.Release, v.Releases[n-1].Number, "one moment")
					assert.Equal(t, v.Report.Time, v.Hour[len(v.Hour)-1].At)
				}
			}
		})
	}
	for n := 1; n <= 500; n++ {
		m.Observe(published(n))
	}
	wait.Wait()
}

// TestReleasesOfEarlierProcesses: what lies on disk comes before what is reported, and
// each release is there once.
func TestReleasesOfEarlierProcesses(t *testing.T) {
	m := fresh(t)
	m.Observe(published(3))
	m.change(func() {
		m.releases.before([]Release{{Number: 1, Records: 100}, {Number: 2, Records: 200}, {Number: 3, Records: 300}})
	})
	m.Observe(published(3))
	m.Observe(published(4))
	var numbers []uint32
	for _, r := range m.Now().Releases {
		numbers = append(numbers, r.Number)
	}
	assert.Equal(t, []uint32{1, 2, 3, 4}, numbers)
}

// TestBehindTheLedger: a ledger that names more than the state has decided, by counts
// that were taken after it was read.
func TestBehindTheLedger(t *testing.T) {
	m := fresh(t)
	entry := snapshot.LedgerEntry{Release: 1, SHA256: [32]byte{7}}
	require.NoError(t, os.WriteFile(m.settings.Ledger, entry.Line(), 0o600))
	r := published(0)
	r.Newest, r.Machine.Release = nil, 0
	r.Counted = begin.Add(-time.Second)
	m.Observe(r)
	m.look()
	assert.False(t, m.Now().Behind, "the state may have decided it since")
	r.Counted = begin.Add(time.Second)
	m.Observe(r)
	assert.True(t, m.Now().Behind)
	assert.False(t, m.Now().Parts()[0].Ready)
	r.Machine.Release = 1
	m.Observe(r)
	assert.False(t, m.Now().Behind)
}

// TestEventsAreRemembered: whatever the level of the log, and once.
func TestEventsAreRemembered(t *testing.T) {
	m := fresh(t)
	var out bytes.Buffer
	log := m.Log(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}))).With("dataset", "d")
	log.Debug("a", "event", "source_retry")
	log.Info("b", "event", "started", "k", 5)
	log.Error("c", "event", "release_failed", "letter", state.DeadLetter{Reason: "r", Payload: []byte("PAYLOAD")})
	log.Info("d", "event", "status")
	v := m.Now()
	require.Len(t, v.Events, 2)
	assert.Equal(t, duty.Event{At: v.Events[0].At, Name: "started", Text: "b", More: "dataset=d k=5"}, v.Events[0])
	assert.NotContains(t, v.Events[1].More, "PAYLOAD")
	assert.Equal(t, 1, strings.Count(out.String(), "\n"), "the log has what its level lets it have")
	levels, events := m.Counts()
	assert.Equal(t, map[string]uint64{"error": 1}, levels)
	assert.Equal(t, map[string]uint64{"started": 1, "release_failed": 1, "status": 1}, events)
}

// TestParts: each trouble shows in its own part alone.
func TestParts(t *testing.T) {
	good := ingest.Report{Time: begin, Verified: true, Source: ingest.Status{Connected: true}, State: ingest.StateSize{File: 50, Quota: 100}}
	for name, change := range map[string]func(*ingest.Report){
		"":        func(*ingest.Report) {},
		"chain":   func(r *ingest.Report) { r.Verified = false },
		"source":  func(r *ingest.Report) { r.Source.Connected = false },
		"sink":    func(r *ingest.Report) { r.LetterFailure = "x" },
		"quota":   func(r *ingest.Report) { r.Full = true },
		"release": func(r *ingest.Report) { r.ReleaseFailure = "x" },
	} {
		r := good
		change(&r)
		m := fresh(t)
		m.Observe(r)
		for _, p := range m.Now().Parts() {
			assert.Equal(t, p.Name != name, p.Ready, "%s: %s", name, p.Name)
		}
	}
}
