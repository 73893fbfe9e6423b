package crashtest

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// marked is people whose every field is a word that no file, port or time can be.
func marked(from, n int) string {
	var b strings.Builder
	for i := range n {
		i += from
		fmt.Fprintf(&b, "canary-id-%d,%d,canary-city-%d,canary-ill-%d\n", i, 18+i*7919%73, i%5, i%7)
	}
	return b.String()
}

// steered runs a daemon of level L2 with a control socket, whose trigger asks for nothing
// for a while.
func steered(t *testing.T) (*site, *process) {
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}")+"control: {socket: ./control.sock}\n")
	s.edit("level: L1, max_hold: 0s}", "max_hold: 0s}\ninitial: {min_pool: 12}")
	s.edit("{on: update, min_interval: 1s}", "{on: interval, every: 9h}")
	s.write("in.csv", "id,age,city,ill\n"+marked(0, 300))
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	return s, p
}

func (s *site) edit(from, to string) {
	s.t.Helper()
	text := s.read("anond.yaml")
	require.Contains(s.t, text, from)
	s.write("anond.yaml", strings.Replace(text, from, to, 1))
}

// order runs a command on the running daemon and returns what it prints.
func (s *site) order(args ...string) string {
	s.t.Helper()
	r := s.run("", args...)
	require.Zero(s.t, r.code, "%v: %s", args, r.stderr)
	return r.stdout
}

// TestAHangupReloads: SIGHUP takes in what a running daemon can change, and the daemon
// reads on.
func TestAHangupReloads(t *testing.T) {
	chosen.Demand(t)
	s, p := steered(t)
	s.edit("every: 9h", "every: 1s")
	p.signal(syscall.SIGHUP)
	p.waitFor(`"event":"reloaded"`)
	s.append("in.csv", marked(300, 300))
	p.until("the trigger is the new one", func() bool { return s.live().Counts.Release > 1 })
	s.edit("k: 3", "k: 4")
	p.signal(syscall.SIGHUP)
	p.waitFor(`"event":"reload_failed"`)
	require.Contains(t, p.log.String(), "policy.k")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Len(t, events(t, p.log.String(), "stopped"), 1)
}

// TestSteeringTheProgram: every order of a terminal, and a pause that outlives kill -9.
// No surface has a person's value.
func TestSteeringTheProgram(t *testing.T) {
	chosen.Demand(t)
	s, p := steered(t)
	said := &strings.Builder{}
	order := func(args ...string) string {
		out := s.order(args...)
		said.WriteString(out)
		return out
	}
	tail := s.start("tail", "-n", "200")
	s.append("in.csv", marked(300, 300)+"canary-id-x,not-a-number-canary,canary-city-1,canary-ill-1\n")
	p.until("it is read", func() bool { return s.live().Counts.Sent == 601 })

	plan := order("release", "plan")
	for _, what := range []string{"newcomers", "pool needs", "their loss"} {
		assert.Contains(t, plan, what)
	}
	for _, never := range []string{"share", "eligible", "refused", "infeasible"} { // rule B (buckets)
		assert.NotContains(t, plan, never)
	}
	assert.Contains(t, order("release", "now"), "300 of them new")
	assert.Contains(t, order("release", "now"), "no release: ")
	assert.Contains(t, order("pause"), "paused")
	p.Kill()
	require.FileExists(t, s.path("control.sock"), "a killed process leaves its socket")
	r := s.run("", "resume")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.stderr, "no running anond answers at control.sock")
	assert.Contains(t, order("status"), "not running")

	p = s.start("run")
	s.append("in.csv", marked(600, 50))
	p.waitFor(`"event":"started"`)
	p.until("it is paused still", func() bool { return strings.Contains(s.run("", "status").stdout, "paused") })
	assert.Contains(t, order("status", "--json"), `"sent": 601`)
	assert.Contains(t, order("resume"), "reading goes on")
	p.until("it reads on", func() bool { return s.live().Counts.Sent == 651 })
	assert.Contains(t, order("reload"), "nothing has changed")
	s.edit("max_hold: 0s", "max_hold: 1s")
	r = s.run("", "reload")
	assert.Equal(t, 78, r.code)
	assert.Contains(t, r.stderr, "policy.max_hold")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.NoFileExists(t, s.path("control.sock"))

	assert.Equal(t, 0, tail.wait(), "it ends with the daemon")
	assert.Contains(t, tail.out.String(), "release_published")
	s.write("log", p.log.String())
	assert.Contains(t, order("tail", "log", "--event", "reload_failed"), "policy.max_hold")
	said.WriteString(tail.out.String() + p.log.String() + s.read("state/status.json") + r.stderr)
	assert.NotContains(t, said.String(), "canary")
}

// TestTwoDaemonsOneSocket: the second is told that somebody answers there.
func TestTwoDaemonsOneSocket(t *testing.T) {
	chosen.Demand(t)
	s, p := steered(t)
	s.write("other.yaml", strings.NewReplacer("./releases", "./releases2", "./state/", "./state2/", "./ledger", "./ledger2",
		"./dead-letter", "./dead-letter2").Replace(s.read("anond.yaml")))
	r := s.run("", "run", "-c", "other.yaml")
	assert.Equal(t, 78, r.code)
	assert.Contains(t, r.stderr, "another process answers")
	assert.Contains(t, s.order("status"), "reading")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
}
