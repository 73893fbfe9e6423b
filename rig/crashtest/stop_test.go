package crashtest

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crowd is n people as CSV, of many ages, cities and illnesses.
func crowd(n int) string {
	var b strings.Builder
	b.WriteString("id,age,city,ill\n")
	for i := range n {
		fmt.Fprintf(&b, "p%d,%d,c%d,d%d\n", i, 18+i*7919%73, i*104729%499, i*15485863%41)
	}
	return b.String()
}

// TestAStopDuringALongDecision: while a first load of many people is cut into
// classes the status stays fresh and SIGTERM ends the daemon. Nothing is lost,
// and the next start makes the same release as a daemon that was never stopped.
func TestAStopDuringALongDecision(t *testing.T) {
	chosen.Demand(t)
	config := clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}")
	s := newSite(t, config)
	s.write("in.csv", crowd(60000))
	p := s.start("run")
	p.until("it decides", func() bool { return s.live().Doing == "deciding" })
	assert.Equal(t, 60000, s.live().Counts.Sent, "the counts are those from before the decision")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Len(t, events(t, p.log.String(), "stopped"), 1)
	assert.Empty(t, events(t, p.log.String(), "release_published"), "the release was not awaited")
	assert.Empty(t, s.read("releases/CURRENT"))

	r := s.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 60000, s.live().Counts.Sent, "nothing is lost, nothing is read twice")
	assert.NotEmpty(t, s.read("releases/000001/part-000001/data.csv"))
	assert.Equal(t, 0, s.run("", "state", "check", "-c", "anond.yaml").code)

	other := newSite(t, config)
	other.write("in.csv", s.read("in.csv"))
	r = other.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	const file = "releases/000001/part-000001/data.csv"
	assert.True(t, s.read(file) == other.read(file), "the decision is the same")
}

// TestAStopWhileTheSourceHangs: the source is a pipe that nobody writes to, so
// that not even opening it returns.
func TestAStopWhileTheSourceHangs(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	require.NoError(t, syscall.Mkfifo(s.path("in.csv"), 0o600))
	p := s.start("run")
	p.until("the status says what it waits for", func() bool { return s.live().Doing == "connecting" })
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
}

// TestASecondSignalEndsAtOnce, whatever is going on.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", crowd(30))
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	p.signal(syscall.SIGSTOP) // both signals are there when it goes on
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGINT)
	p.signal(syscall.SIGCONT)
	assert.Contains(t, []int{0, 130, 143}, p.wait())
}
