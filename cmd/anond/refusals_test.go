package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
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
	require.Contains(t, r.stderr, "dead_letter.max_share allows (0.1): 1000 of ")
}

// TestARunThatRefusesEverythingSaysSo: exit 1 also where others wait, with the reasons; status and release list show the share.
func TestARunThatRefusesEverythingSaysSo(t *testing.T) {
	s := newNights(t)
	s.night("1", firstNight[:4]...)
	s.ends(exitPrivacy) // half of the four who are published have one value
	assert.NotContains(t, s.run("release list").stderr, "refused")
	s.write("in/2.csv", "id,age,illness\nx,old,flu\ny,31,ache\nz,40,flu,cold\n")
	r := s.run("run --once")
	require.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "3 of 3, not_a_number 1, value_not_in_hierarchy 1, wrong_field_count 1")
	assert.Contains(t, r.stderr, `"event":"too_many_refused"`)
	assert.Contains(t, r.stderr, `"level":"WARN"`)
	const share = "37.5 % of the records read, 3: not_a_number 1, value_not_in_hierarchy 1, wrong_field_count 1"
	assert.Contains(t, s.must("status"), share)
	assert.Contains(t, s.run("release list").stderr, share)
	assert.Contains(t, s.must("release report --with-state"), `id="refused">37.5`)
	s.write("in/3.csv", "id,age,illness\nv,41,cold\nw,50,x\n")
	s.ends(exitPrivacy)
}
