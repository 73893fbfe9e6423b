package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// TestStateFull: state.max_bytes stops the daemon with a clear error; with more
// room it goes on, and nothing is lost.
func TestStateFull(t *testing.T) {
	tier.Heavy(t, "it publishes fifty releases")
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 400", ", max_bytes: 256KiB")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.write("admissions.ndjson", ndjson(1, 20000))
	r := s.run("run --once")
	require.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "hint: make room on the disk or raise state.max_bytes")
	assert.Equal(t, exitFailed, s.run("run --once").code)
	s.edit(", max_bytes: 256KiB", "")
	s.must("run --once")
	assert.Equal(t, 20000, int(s.counts().Counts.Sent))
	assert.Len(t, s.positions(), 20000)
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestRecordsFull is the same for state.max_records.
func TestRecordsFull(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", ", max_records: 1000")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.write("admissions.ndjson", ndjson(1, 3000))
	r := s.run("run --once")
	require.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "hint: raise state.max_records")
	s.edit(", max_records: 1000", "")
	s.must("run --once")
	assert.Equal(t, 3000, int(s.counts().Counts.Sent))
}

// TestDiskFull runs into a real limit of the kernel: no file of the process may
// grow beyond it. Writes then fail as on a full disk.
func TestDiskFull(t *testing.T) {
	tier.Heavy(t, "it publishes fifty releases")
	t.Parallel()
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip("needs prlimit of util-linux")
	}
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.write("admissions.ndjson", ndjson(1, 20000))
	p := s.start("run --once", func(c *exec.Cmd) {
		c.Args = append([]string{"prlimit", "--fsize=300000", os.Args[0]}, c.Args[1:]...)
		c.Path, _ = exec.LookPath("prlimit")
	})
	eventually(t, func() bool {
		select {
		case <-p.exited:
			return true
		default:
			return strings.Contains(p.stderr.String(), `"event":"release_failed"`)
		}
	}, "neither an end nor a failed release: %s", &p.stderr)
	text := p.stderr.String()
	assert.NotContains(t, text, "panic")
	assert.NotContains(t, text, "goroutine")
	_ = p.cmd.Process.Kill() // unless it has ended by itself: the state has met the limit
	p.wait()
	s.must("run --once")
	assert.Equal(t, 20000, int(s.counts().Counts.Sent))
	assert.Len(t, s.positions(), 20000)
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestReleasesNotWritable: release 2 is tried again until the directory can be
// written, while records are taken in.
func TestReleasesNotWritable(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: records, every: 400", "")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	all := ndjson(1, 1400)
	s.write("admissions.ndjson", ndjson(1, 700))
	p := s.start("run")
	p.says(`"event":"release_published","release":1,`)
	makeUnwritable(t, s.path("releases"))
	s.append("admissions.ndjson", all[len(ndjson(1, 700)):])
	p.event("release_failed")
	makeWritable(t, s.path("releases"))
	p.says(`"event":"release_published","release":2,`)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, exitOK, p.wait())
	s.must("release verify")
}

// makeUnwritable takes the directory away and puts a file in its place: an error
// for root as well.
func makeUnwritable(t *testing.T, dir string) {
	require.NoError(t, os.Rename(dir, dir+".away"))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
}

func makeWritable(t *testing.T, dir string) {
	require.NoError(t, os.Remove(dir))
	require.NoError(t, os.Rename(dir+".away", dir))
}

// TestFirstStart: what the source holds at the first start may be nothing, too
// little, or nothing publishable; the daemon waits for more.
func TestFirstStart(t *testing.T) {
	lines := strings.SplitAfter(ndjson(1, 3000), "\n")
	for _, first := range []int{20, 0, 1, 3}[:tier.Of(t, 1, 2, 4)] {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: records, every: 400", "")
			s.write("admissions.ndjson", strings.Join(lines[:first], ""))
			p := s.start("run")
			p.event("started")
			f, err := os.OpenFile(s.path("admissions.ndjson"), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			defer f.Close()
			_, err = f.WriteString(strings.Join(lines[first:], ""))
			require.NoError(t, err)
			p.event("release_published")
			p.signal(syscall.SIGTERM)
			require.Equal(t, exitOK, p.wait(), &p.stderr)
			s.must("run --once")
			assert.Equal(t, 3000, int(s.counts().Counts.Sent))
			assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
		})
	}
}

// TestFirstLoadOfAFew: with --once, fewer than k records are taken in, nothing
// is published, and that is no failure.
func TestFirstLoadOfAFew(t *testing.T) {
	for _, n := range []int{0, 1, 4} {
		s := newSite(t, "{type: stdin}", "on: records, every: 400", "")
		r := s.pipe(strings.Join(strings.SplitAfter(ndjson(1, 4), "\n")[:n], ""), "run --once")
		require.Equal(t, exitOK, r.code, "%d records: %s", n, r.stderr)
		assert.Equal(t, n > 0, strings.Contains(r.stderr, `"event":"first_load_waits"`), r.stderr)
		r = s.pipe(ndjson(2, 500), "run --once")
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.NotZero(t, s.counts().Counts.Published)
	}
}

// TestRubbish: a feed of nothing but rubbish fills the dead letters, and the run says so.
func TestRubbish(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: records, every: 400", "")
	rubbish := strings.Repeat("\x00\x01\n{}\n[]\nnull\n\"\n{\"patient\":{}}\n"+strings.Repeat("x", 5000)+"\n", 40)
	r := s.pipe(rubbish+"no line end", "run --once")
	require.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "281 of 281")
	c := s.counts().Counts
	assert.Equal(t, 281, int(c.Sent))
	assert.Equal(t, 281, int(c.DeadLetter))
	assert.Len(t, s.positions(), 281)
}

// TestDemo runs a small demo, and the other commands on what it leaves.
func TestDemo(t *testing.T) {
	tier.Heavy(t, "the commands of the README run a demo, too")
	dir := filepath.Join(t.TempDir(), "demo")
	r := anond(t, "demo", "--records", "6000", "--rate", "9000", "--json", "--out", dir)
	require.Equal(t, exitOK, r.code, r.stderr)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	require.GreaterOrEqual(t, len(lines), 6, "five releases and the end")
	for i, line := range lines[:len(lines)-1] {
		var l struct{ Release, Records, Classes, K int }
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		assert.Equal(t, i+1, l.Release)
		assert.GreaterOrEqual(t, l.K, 10)
	}
	var end demoEnd
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &end))
	assert.EqualValues(t, 6000, end.Sent)
	assert.EqualValues(t, 6000, end.Published+end.Pending+end.Beyond+int(end.DeadLetter))
	assert.EqualValues(t, "certified", end.Audit.Verdict)

	for _, command := range []string{"release list", "release show", "release verify", "state check", "state info", "config check", "audit"} {
		args := append(strings.Fields(command), "-c", filepath.Join(dir, "anond.yaml"))
		got := anond(t, args...)
		assert.Equal(t, exitOK, got.code, "%s: %s", command, got.stderr)
	}
	r = anond(t, "demo", "--records", "1000", "--rate", "9000", "--out", dir)
	require.Equal(t, exitOK, r.code, "a demo replaces an earlier one: %s", r.stderr)
	assert.Contains(t, r.stdout, "CERTIFIED")

	other := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.MkdirAll(other, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o600))
	assert.Equal(t, exitUsage, anond(t, "demo", "--out", other).code, "and nothing else")
	assert.FileExists(t, filepath.Join(other, "thesis.txt"))
}

// TestStopBeforeTheSource: a daemon that waits for its brokers stops in order.
func TestStopBeforeTheSource(t *testing.T) {
	s := newSite(t, "{type: kafka, kafka: {brokers: [127.0.0.1:1], topic: admissions}}", "on: update", "")
	p := s.start("run")
	p.event("source_disconnected")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, exitOK, p.wait(), &p.stderr)
	assert.Contains(t, p.stderr.String(), `"event":"stopped"`)
}

// TestInterruptedDemo: Ctrl-C says what there is, and all of it is sound.
func TestInterruptedDemo(t *testing.T) {
	s := newSite(t, fileSource, "on: update", "")
	p := s.start("demo", func(c *exec.Cmd) { c.Args = []string{c.Args[0], "demo", "--out", s.path("demo"), "--rate", "200"} })
	eventually(t, func() bool { _, err := os.Stat(s.path("demo/releases/CURRENT")); return err == nil }, "no release: %s", &p.stderr)
	p.signal(syscall.SIGINT)
	assert.Equal(t, exitFailed, p.wait())
	assert.Contains(t, p.stderr.String(), "error: interrupted\nhint: what was published until then is in ")
	s.config = s.path("demo/anond.yaml")
	s.must("state check")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}
