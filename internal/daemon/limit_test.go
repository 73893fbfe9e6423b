package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/ops/monitor"
)

// newLimited is a daemon whose releases may write 1 KiB per second. Its first release has more.
func newLimited(t *testing.T) *steered {
	s := newSteered(t, "on: interval, every: 1h")
	s.edit("release: {", "release: {max_bytes_per_second: 1KiB, ")
	var err error
	s.cfg, err = s.load()
	require.NoError(t, err)
	settings := dataset.MonitorSettings(s.cfg, "")
	settings.Now = s.clock.Now
	s.Options.Monitor = monitor.New(settings)
	return s
}

// releasing waits until release 1 waits for the limit.
func (s *steered) releasing() {
	s.until("a release in progress", func(r ingest.Report) bool { return r.Releasing == 1 })
}

// passing lets time pass while a release is in progress: the loop reports all along.
func (s *steered) passing(d time.Duration) {
	s.t.Helper()
	for end := s.clock.Now().Add(d); s.clock.Now().Before(end); {
		s.clock.advance(50 * time.Millisecond)
		now := s.clock.Now()
		ended := false
		s.until("a report", func(r ingest.Report) bool {
			ended = r.Releasing == 0
			return ended || !r.Time.Before(now.Add(-time.Second))
		})
		if ended { // the last report may be old on a busy machine: time must not run on
			time.Sleep(2 * time.Millisecond)
			return
		}
		live, why := s.Options.Monitor.Live()
		require.True(s.t, live, why)
	}
}

// published lets time pass until release 1 is published.
func (s *steered) published(step time.Duration) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); s.event("release_published") == 0; s.passing(step) {
		require.True(s.t, time.Now().Before(deadline), "no release is published")
	}
}

// rows are the bytes of the parts of a release: what does not say when it was made.
func (s *steered) rows(release string) map[string]string {
	out := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(s.cfg.Release.Dir, release, "part-*", "*"))
	require.NoError(s.t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(s.t, err)
		out[filepath.Base(path)] = string(text)
	}
	return out
}

// unlimited is what release 1 has without a limit.
func unlimited(t *testing.T) (rows map[string]string, bytes int) {
	s := newSteered(t, "on: interval, every: 1h")
	s.Start()
	s.Feed(300)
	s.release(1)
	rows = s.rows("000001")
	for _, text := range rows {
		bytes += len(text)
	}
	require.Greater(t, bytes, 5<<10)
	return rows, bytes
}

// TestALimitedRelease takes the time that its bytes need, while the daemon goes on: it reads,
// it reports, it counts as alive. The bytes are those of a release without a limit.
func TestALimitedRelease(t *testing.T) {
	rows, bytes := unlimited(t)
	s := newLimited(t)
	s.Start()
	s.Feed(300)
	s.releasing()
	began := s.clock.Now()
	s.feedDuring(100)
	s.published(time.Second)
	require.Greater(t, s.clock.Now().Sub(began), time.Duration(bytes/1024-1)*time.Second)
	require.Equal(t, rows, s.rows("000001"))
}

// feedDuring is feed while a release is in progress.
func (s *steered) feedDuring(n int) {
	s.t.Helper()
	line := `{"age":40,"sex":"f","diagnosis":"asthma"}` + "\n"
	_, err := s.input.Write([]byte(strings.Repeat(line, n)))
	require.NoError(s.t, err)
	s.sent += uint64(n)
	for fed := false; !fed; {
		s.passing(50 * time.Millisecond)
		s.mu.Lock()
		fed = s.report.Machine.Sent == s.sent
		require.EqualValues(s.t, 1, s.report.Releasing)
		s.mu.Unlock()
	}
}

// TestALimitIsReloaded while a release waits for it.
func TestALimitIsReloaded(t *testing.T) {
	s := newLimited(t)
	s.Start()
	s.Feed(300)
	s.releasing()
	s.edit("max_bytes_per_second: 1KiB, ", "")
	began := s.clock.Now()
	out, err := ask(s, s.Client.Reload)
	require.NoError(t, err)
	require.Equal(t, []string{"release.max_bytes_per_second"}, out.Keys)
	reloaded := s.clock.Now()
	s.published(50 * time.Millisecond)
	t.Logf("the reload took %s, the rest of the release %s", reloaded.Sub(began), s.clock.Now().Sub(reloaded))
}

// TestAStopDoesNotWaitForALimit: the release is parked although no second passes any more, and
// the next start makes the same.
func TestAStopDoesNotWaitForALimit(t *testing.T) {
	rows, _ := unlimited(t)
	s := newLimited(t)
	s.Start()
	s.Feed(300)
	s.releasing()
	s.halt()
	require.Equal(t, 1, s.event("release_parked"))
	require.NoDirExists(t, filepath.Join(s.cfg.Release.Dir, "000001"))
	s.edit("max_bytes_per_second: 1KiB, ", "")
	var err error
	s.cfg, err = s.load()
	require.NoError(t, err)
	s.Start()
	s.until("published", func(ingest.Report) bool { return s.event("release_published") == 1 })
	require.Equal(t, rows, s.rows("000001"))
}
