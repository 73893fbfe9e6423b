package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStandardInputFedTwice: without a subject, nobody who was piped in before counts again. The input is resumed behind what
// was committed of it, whether all of it was or a part; an input that begins like it and goes on otherwise is another one, and
// so is what --again says to be one.
func TestStandardInputFedTwice(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: records, every: 400", "")
	s.edit("    - {name: patient, role: subject}\n", "    - {name: patient, role: drop}\n")
	whole := ndjson(2, 1000)
	feed := func(input string, want int, args ...string) {
		t.Helper()
		r := s.pipe(input, "run", args...)
		require.Equal(t, exitOK, r.code, r.stderr)
		require.Equal(t, want, int(s.counts().Counts.Sent))
	}
	lines := strings.SplitAfter(whole, "\n")
	feed(strings.Join(lines[:600], ""), 600)
	feed(whole, 1000)
	feed(whole, 1000)
	feed(strings.Join(lines[:300], "")+ndjson(3, 100), 1400)
	feed(whole, 1400)
	feed(whole, 2400, "--again")
	feed(whole, 2400)
}

func TestAgainIsForStandardInput(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: x}}", "on: records, every: 400", "")
	r := s.run("run", "--again")
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.stderr, "--again is for source.type stdin")
}
