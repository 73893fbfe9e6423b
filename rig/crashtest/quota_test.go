package crashtest

import (
	"encoding/json"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filling is what a test of a full state reads of status.json.
type filling struct {
	Full   bool
	State  struct{ File int64 }
	Counts struct {
		Sent, Published int
		DeadLetter      int `json:"dead_letter"`
		Beyond          int `json:"beyond"`
		Pending         struct{ Waiting, Infeasible int }
	}
}

func (s *site) fill() (out filling) {
	require.NoError(s.t, json.Unmarshal([]byte(s.read("state/status.json")), &out))
	return out
}

// TestAFullStatePausesReading fills a state under load. Reading pauses and every surface
// says so; a release is published meanwhile; a stop and a start change nothing; a reload
// with more room goes on, and the counts add up.
func TestAFullStatePausesReading(t *testing.T) {
	chosen.Demand(t)
	const all = 60000
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}")+"control: {socket: ./control.sock}\n")
	s.edit("level: L1, max_hold: 0s}", "max_hold: 0s}\ninitial: {min_pool: 9}")
	s.edit("{on: update, min_interval: 1s}", "{on: interval, every: 9h}")
	s.edit("path: ./state/anond.db", "path: ./state/anond.db, max_bytes: 512KiB")
	s.write("in.csv", "id,age,city,ill\n"+marked(0, 1000))
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	s.append("in.csv", marked(1000, all-1000))
	p.waitFor(`"event":"quota_reached"`)

	p.until("the status says that the state is full", func() bool { return s.fill().Full })
	assert.Less(t, s.fill().Counts.Sent, all)
	assert.Contains(t, s.order("status"), "not reading: the state is full")
	assert.Contains(t, s.order("release", "now"), "release 2", "a release is published while nothing is read")
	assert.LessOrEqual(t, s.fill().State.File, int64(512<<10))

	p.signal(syscall.SIGTERM)
	require.Equal(t, 0, p.wait(), "%s", p.log)
	p = s.start("run")
	p.waitFor(`"event":"quota_reached"`) // the release has made some room, since fewer wait
	s.edit("max_bytes: 512KiB", "max_bytes: 64MiB")
	assert.Contains(t, s.order("reload"), "state.max_bytes")
	p.waitFor(`"event":"quota_resumed"`)
	p.until("all is read", func() bool { return s.fill().Counts.Sent == all })
	c := s.fill().Counts
	assert.Equal(t, all, c.Published+c.Pending.Waiting+c.Pending.Infeasible+c.DeadLetter+c.Beyond)
	assert.False(t, s.fill().Full)
	s.order("release", "now")
	p.signal(syscall.SIGTERM)
	require.Equal(t, 0, p.wait(), "%s", p.log)
	assert.Contains(t, s.order("audit", "--require-certified"), "CERTIFIED")
	assert.NotContains(t, p.log.String(), "canary")
	assert.Contains(t, s.order("state", "check"), "ok: ")
}

// TestAFullStateEndsTheRun: with state.on_full stop, and always with --once.
func TestAFullStateEndsTheRun(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.edit("path: ./state/anond.db", "path: ./state/anond.db, max_bytes: 256KiB, on_full: stop")
	s.write("in.csv", "id,age,city,ill\n"+marked(0, 20000))
	for _, args := range [][]string{{"run"}, {"run", "--once"}} {
		p := s.start(args...)
		assert.Equal(t, 1, p.wait())
		assert.Contains(t, p.log.String(), "hint: make room on the disk or raise state.max_bytes")
	}
	s.edit(", max_bytes: 256KiB", "")
	r := s.run("", "run", "--once")
	require.Zero(t, r.code, r.stderr)
	assert.EqualValues(t, 20000, s.fill().Counts.Sent)
}
