package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/cli"
)

// newClinic is a site that reads people.csv; the first pool needs four people.
func newClinic(t *testing.T, rows string) *site {
	s := newSite(t, fileSource, "", "")
	s.write("anond.yaml", fmt.Sprintf(clinicConfig, "quarantine")+"dead_letter: {type: file, path: ./dead-letter}\n")
	s.write("people.csv", "id,age,illness\n"+rows)
	return s
}

// clinicRows are n people from a number on.
func clinicRows(from, n int) (out string) {
	ills := []string{"flu", "cold", "asthma", "gout", "angina", "lupus"}
	for i := from; i < from+n; i++ {
		out += fmt.Sprintf("p%d,%d,%s\n", i, 20+i%40, ills[i%len(ills)])
	}
	return out
}

// summed reads a summary: its counts by name.
func summed(t *testing.T, stdout string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z]+) +([0-9,]+)(?: |$)`).FindAllStringSubmatch(stdout, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		require.NoError(t, err)
		out[m[1]] = n
	}
	require.Equal(t, out["read"], out["published"]+out["waiting"]+out["refused"]+out["beyond"]+out["forgotten"], stdout)
	return out
}

// TestARunWithOnceEndsWithASummary: its counts add up to what was read, it says why records were refused, whom who waits
// waits for, where the release is, and what comes next; and in a later run, what that run did.
func TestARunWithOnceEndsWithASummary(t *testing.T) {
	s := newClinic(t, clinicRows(0, 3)+"x,old,flu\n")
	out := s.must("run --once")
	assert.Equal(t, map[string]int{"read": 4, "published": 0, "waiting": 3, "refused": 1}, summed(t, out))
	for _, want := range []string{"no release yet", "release 1 waits for 1 more records", "not_a_number 1", "anond dlq list -c " + s.config,
		"anond run --once -c " + s.config + "    # when there is more input; initial.min_pool"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "anond audit")

	s.append("people.csv", clinicRows(3, 97)+"p5,30,flu\ny,,flu\nz,41,cold")
	out = s.must("run --once")
	got := summed(t, out)
	assert.Equal(t, map[string]int{"read": 103, "published": 100, "refused": 2, "beyond": 1, "warnings": 1}, got)
	for _, want := range []string{"+99 in this run", "in 2 releases; the newest is " + s.path("releases/000002"), "anond audit -c " + s.config,
		"without line break at the end of a file", "unterminated_line: the log says"} {
		assert.Contains(t, out, want)
	}
	for _, value := range []string{"flu", "asthma", "p5"} {
		assert.NotContains(t, strings.ReplaceAll(out, s.dir, ""), value, "no value of a person")
	}
	assert.NotContains(t, s.must("run --once"), "in this run", "nothing was read")
}

// TestASummaryOfHalfARun: one that a signal ended in front of the end of its input says so and how it goes on, and people whom a full disk
// kept from being published are not said to be.
func TestASummaryOfHalfARun(t *testing.T) {
	said := func(m incremental.Status, stopped bool) string {
		var out strings.Builder
		e := &environment{Env: cli.Env{Stdout: &out, Stderr: io.Discard}}
		require.NoError(t, e.summarize(&config.Config{}, "anond.yaml", &ingest.Report{Machine: m}, nil, stopped))
		return out.String()
	}
	first := incremental.Status{Sent: 40, Pending: state.Pending{Waiting: 40}, FirstLoad: &incremental.FirstLoad{Records: 40, Wanted: 100}}
	assert.Contains(t, said(first, false), "when there is more input")
	out := said(first, true)
	assert.Contains(t, out, "by a signal, maybe in front of the end of the input")
	assert.Contains(t, out, "anond run --once    # goes on where this run was stopped")
	assert.NotContains(t, out, "when there is more input")

	parked := incremental.Status{Sent: 40, Published: 40, Release: 1}
	out = said(parked, false)
	assert.Contains(t, out, "decided, and not public: no release yet")
	assert.Contains(t, out, "anond run --once    # publishes release 1, which is decided")
	assert.NotContains(t, said(incremental.Status{Sent: 40, Published: 40, Release: 1, Public: 1}, false), "decided")
}

// TestASummaryLeavesAJSONLogAlone: where standard output is the pipe of the log, there is none.
func TestASummaryLeavesAJSONLogAlone(t *testing.T) {
	for format, mixes := range map[string]bool{"json": false, "auto": false, "text": true} {
		s := newClinic(t, clinicRows(0, 100))
		s.write("anond.yaml", s.read("anond.yaml")+"log: {format: "+format+"}\n")
		r, w, err := os.Pipe()
		require.NoError(t, err)
		said := make(chan string)
		go func() { text, _ := io.ReadAll(r); said <- string(text) }()
		code := run(t.Context(), []string{"run", "--once", "-c", s.config}, cli.Env{Stdin: strings.NewReader(""), Stdout: w, Stderr: w,
			Lookup: os.LookupEnv})
		require.NoError(t, w.Close())
		text := <-said
		require.Equal(t, exitOK, code, text)
		assert.Equal(t, mixes, strings.Contains(text, "\nread "), format)
	}
}

// TestBytesOnStandardInputThatNobodyReads: a run from a file says so, and takes none of them.
func TestBytesOnStandardInputThatNobodyReads(t *testing.T) {
	s := newClinic(t, clinicRows(0, 100))
	run1 := func(stdin *os.File) string {
		var stderr strings.Builder
		require.Equal(t, exitOK, run(t.Context(), []string{"run", "--once", "-c", s.config}, cli.Env{Stdin: stdin, Stdout: io.Discard,
			Stderr: &stderr, Lookup: os.LookupEnv}))
		return stderr.String()
	}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	_, err = w.WriteString("id,age,illness\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	assert.Contains(t, run1(r), `"event":"stdin_ignored","source_type":"file"`)
	left, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "id,age,illness\n", string(left))
	assert.NotContains(t, run1(r), "stdin_ignored", "the pipe is empty and closed")
	empty, err := os.Open(os.DevNull)
	require.NoError(t, err)
	assert.NotContains(t, run1(empty), "stdin_ignored")
}
