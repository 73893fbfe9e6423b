package crashtest

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/daemon"
	"anond/internal/dataset"
)

// fast is the system's clock, wrong by 200 hours.
type fast struct{}

func (fast) Now() time.Time { return time.Now().Add(200 * time.Hour) }

func (fast) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// TestAClockThatWasAhead: the clock was ahead once, and a release bears its time.
// The daemon says so once and publishes all the same; the releases are sound.
func TestAClockThatWasAhead(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, strings.Replace(clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"),
		"trigger: {on: update, min_interval: 1s}", "trigger: {on: interval, every: 2s}", 1))
	s.write("in.csv", crowd(30))
	c, _, err := config.Load(s.path("anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	require.NoError(t, daemon.Run(context.Background(), c, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true, Clock: fast{}}))
	require.NotEmpty(t, s.read("releases/000001/part-000001/data.csv"))

	s.write("in.csv", crowd(90))
	p := s.start("run")
	p.until("it publishes", func() bool { return strings.TrimSpace(s.read("releases/CURRENT")) == "000002" })
	assert.Len(t, events(t, p.log.String(), "clock_behind"), 1)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Equal(t, s.created(1), s.created(2), "public times never fall: what leaves goes by them (rule W)")
	r := s.run("", "audit", "-c", "anond.yaml")
	assert.Equal(t, 0, r.code, r.stdout+r.stderr)
	assert.Equal(t, 0, s.run("", "release", "verify", "-c", "anond.yaml").code)
}

// created is created_at of a release.
func (s *site) created(release int) string {
	s.t.Helper()
	var m struct {
		CreatedAt string `json:"created_at"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.read("releases/00000"+string(rune('0'+release))+"/manifest.json")), &m))
	return m.CreatedAt
}
