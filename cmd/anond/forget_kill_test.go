package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/control"
)

// forgetKilledAt is the step behind which an erasure in a child process is killed.
const forgetKilledAt = "ANOND_TEST_FORGET_KILLED_AT"

func killAt(step string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Env = append(c.Env, forgetKilledAt+"="+step) }
}

// killed requires that SIGKILL has ended a process.
func (p *process) killed(step string) {
	p.t.Helper()
	require.Equal(p.t, -1, p.wait(), "%s: %s", step, &p.stderr)
	require.Equal(p.t, syscall.SIGKILL, p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), step)
}

// erasedSite has somebody who is published, has a repeat and waits nowhere, and somebody who waits, with a
// value that nobody else has.
func erasedSite(t *testing.T, control string) *site {
	s := forgetful(t)
	s.edit("release:", control+"release:")
	s.write("admissions.ndjson", admitted("P-published", 2, "influenza")+ndjson(1, 1000))
	s.must("run --once")
	s.append("admissions.ndjson", admitted("P-waiting", 1, "canary-diagnosis"))
	s.must("run --once")
	require.Contains(t, s.private(), "canary-diagnosis")
	return s
}

// copied is a site with the same files.
func (s *site) copied() *site {
	s.t.Helper()
	out := &site{t: s.t, dir: s.t.TempDir()}
	out.config = filepath.Join(out.dir, "anond.yaml")
	require.NoError(s.t, os.RemoveAll(out.dir))
	require.NoError(s.t, os.CopyFS(out.dir, os.DirFS(s.dir)))
	return out
}

// private is what all files next to the state hold.
func (s *site) private() string {
	s.t.Helper()
	var all strings.Builder
	found, err := filepath.Glob(s.path("state/*"))
	require.NoError(s.t, err)
	hidden, err := filepath.Glob(s.path("state/.*"))
	require.NoError(s.t, err)
	for _, path := range append(found, hidden...) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			require.NoError(s.t, err)
			all.Write(b)
		}
	}
	return all.String()
}

// nothingLeft requires that whoever waited has left all files of the state, and that no file is there which an
// erasure made on its way.
func (s *site) nothingLeft(step string) {
	s.t.Helper()
	assert.NotContains(s.t, s.private(), "canary-diagnosis", step)
	for _, pattern := range []string{"state/*.forget", "state/*.incomplete", "state/.*.incomplete", "state/*.compact"} {
		left, err := filepath.Glob(s.path(pattern))
		require.NoError(s.t, err)
		assert.Empty(s.t, left, step)
	}
	assert.Contains(s.t, s.must("audit --require-certified"), "CERTIFIED", step)
}

var erasureSteps = []string{"planned", "listed", "written", "complete", "replaced", "done"}

// TestForgetIsKilledAtEachStep: SIGKILL ends anond forget behind each step at which the state is rewritten, and then
// the start that has to complete it. The start after that needs no command: whoever is on the list is out of every
// file, and nobody else is.
func TestForgetIsKilledAtEachStep(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	whole := erasedSite(t, "")
	reached := func(step, by string) bool { return slices.Index(erasureSteps, step) >= slices.Index(erasureSteps, by) }
	for i, step := range erasureSteps {
		s := whole.copied()
		before := s.read("state/anond.db")
		s.write("subject", "P-waiting\n")
		s.start("forget --from "+s.path("subject"), killAt(step)).killed(step)
		require.Equal(t, !reached(step, "replaced"), before == s.read("state/anond.db"), step)
		if again := reached(step, "listed") && !reached(step, "replaced"); again {
			at := erasureSteps[2+i%3] // of those at which a start writes
			s.start("run --once", killAt(at)).killed(step + " " + at)
		}
		s.must("run --once")
		if step == "planned" {
			require.Contains(t, s.private(), "canary-diagnosis", "nobody was told that they are forgotten")
			assert.Zero(t, s.addsUp(1003))
			continue
		}
		s.nothingLeft(step)
		assert.EqualValues(t, 1, s.addsUp(1003), step)
		assert.True(t, s.receipt("P-waiting").Before, step)
	}
}

// TestForgetOfADaemonIsKilledAtEachStep: the same of a running daemon, which forgets in its file. The next start
// writes the file anew. (anond forget itself goes on without the daemon, once that has ended.)
func TestForgetOfADaemonIsKilledAtEachStep(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	whole := erasedSite(t, "control: {socket: ./c.sock}\n")
	for _, step := range []string{"planned", "listed", "rewritten"} {
		s := whole.copied()
		s.edit("file: {path: admissions.ndjson}", "file: {path: admissions.ndjson, follow: true}")
		d := s.start("run", killAt(step))
		d.event("started")
		_, err := control.NewClient(s.path("c.sock")).Forget(t.Context(), []byte("P-waiting"))
		require.Error(t, err, step)
		d.killed(step)
		s.edit(", follow: true", "")
		s.must("run --once")
		if step == "planned" {
			require.Contains(t, s.private(), "canary-diagnosis")
			continue
		}
		s.nothingLeft(step)
		assert.EqualValues(t, 1, s.addsUp(1003), step)
	}
}
