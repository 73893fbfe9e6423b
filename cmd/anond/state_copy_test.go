package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/upkeep"
)

// readingCopies are the copies that commands read now.
func (s *site) readingCopies() (out []string) {
	s.t.Helper()
	for _, pattern := range []string{"state/copy-for-reading-*", "state/.copy-for-reading-*"} {
		names, err := filepath.Glob(s.path(pattern))
		require.NoError(s.t, err)
		out = append(out, names...)
	}
	return out
}

// TestBesideARunningDaemon: what reads a state reads a copy of that of a running daemon,
// which goes on; a backup is made by it; nothing is left of the copies.
func TestBesideARunningDaemon(t *testing.T) {
	tier.NotShort(t, "it runs a daemon as a process")
	t.Parallel()
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: records, every: 400", "")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.edit("release: {", "release: {keep: {releases: 2}, ")
	s.write("admissions.ndjson", ndjson(1, 2400))
	s.write("state/copy-for-reading-7.db", "of a process that was killed")
	s.write("state/.copy-for-reading-8.db.incomplete", "likewise")
	d := s.start("run")
	d.event("started")
	require.Empty(t, s.readingCopies(), "what a killed process left")
	locked := s.run("state check")
	assert.Equal(t, exitLocked, locked.code, "no control socket")
	d.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, d.wait())

	s.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	d = s.start("run")
	d.event("started")
	published := func(n uint32) func() bool {
		return func() bool {
			return strings.Contains(s.must("status --json"), `"release"`) && s.counts().Counts.Release >= n
		}
	}
	eventually(t, published(5), "no release: %s", &d.stderr)
	for _, command := range []string{"state check", "state info", "state browse", "state browse classes"} {
		s.must(command)
	}
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	s.must("state members", "--out", s.path("members.csv"))
	s.must("state records", "--out", s.path("records.csv"))
	s.must("release report --with-state")
	var made upkeep.Backup
	require.NoError(t, json.Unmarshal([]byte(s.must("state backup --json", "--out", s.path("copy.db"))), &made))
	content, err := os.ReadFile(s.path("copy.db"))
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	assert.Equal(t, hex.EncodeToString(sum[:]), made.SHA256)
	assert.FileExists(t, s.path("copy.db.json"))
	info, err := os.Stat(s.path("copy.db"))
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	r := s.run("state backup", "--out", s.path("copy.db"))
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "file already exists")
	assert.Contains(t, s.must("status"), "backup")

	// It has read on meanwhile.
	before := s.counts().Counts.Release
	s.append("admissions.ndjson", strings.TrimPrefix(ndjson(1, 3600), ndjson(1, 2400)))
	eventually(t, published(before+1), "ingest stopped: %s", &d.stderr)
	s.must("audit --require-certified")
	eventually(t, func() bool { return len(s.readingCopies()) == 0 }, "copies are left: %s", &d.stderr)
	d.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, d.wait())
	s.must("release verify")
	s.must("audit --require-certified")
	assert.NotContains(t, d.stderr.String(), "release_damaged")
}

// TestAuditWhileReleasesComeAndGo: an audit alongside a daemon that publishes and prunes
// never reports a violation.
func TestAuditWhileReleasesComeAndGo(t *testing.T) {
	tier.Heavy(t, "it audits again and again alongside a daemon")
	const rounds = 12
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: records, every: 200", "")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.edit("release: {", "release: {keep: {releases: 1}, ")
	s.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	read := ndjson(1, 700)
	s.write("admissions.ndjson", read)
	d := s.start("run")
	d.event("started")
	eventually(t, func() bool { _, err := os.Stat(s.path("releases/CURRENT")); return err == nil }, "no release: %s", &d.stderr)
	for n := 1; n <= rounds; n++ {
		more := ndjson(1, 700+1000*n)
		s.append("admissions.ndjson", strings.TrimPrefix(more, read))
		read = more
		r := s.run("audit")
		require.Contains(t, []int{exitOK, exitFailed}, r.code, "%s%s", r.stdout, r.stderr)
		if r.code == exitFailed {
			require.Regexp(t, "no such file|no release that was published when the exports were made", r.stderr,
				"it may only find that releases went three times in a row, or all that its copy of the state knows")
		}
		require.NotContains(t, r.stdout, "VIOLATED")
	}
	d.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, d.wait())
	s.must("audit --require-certified")
}
