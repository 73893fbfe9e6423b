package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// TestManyRefusedRecordsPauseTheDaemon: over a restart too, until it is resumed. A run that
// has to end fails, and says what to do.
func TestManyRefusedRecordsPauseTheDaemon(t *testing.T) {
	tier.NotShort(t, "it runs daemons")
	s := newSite(t, "{type: file, file: {path: in.ndjson, follow: true}}", "on: interval, every: 1h", "")
	s.edit("path: ./dead-letter}", "path: ./dead-letter, max_share: 0.1}")
	s.write("in.ndjson", ndjson(1, 500)+strings.Repeat("no record\n", 5000))
	p := s.start("run")
	p.event("too_many_refused")
	p.event("paused")
	eventually(t, func() bool { _, err := os.Stat(s.path("state/paused")); return err == nil }, "the pause outlives the process")
	p.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, p.wait())
	require.Equal(t, uint64(1000), s.counts().Counts.Sent)
	require.Contains(t, s.run("run --once").stderr, "anond was paused")
	require.NoError(t, os.Remove(s.path("state/paused")))
	r := s.run("run --once")
	require.Equal(t, exitFailed, r.code, r.stderr)
	require.Contains(t, r.stderr, "dead_letter.max_share allows (0.1 of 1000)\nhint: anond dlq list counts the reasons")
}
