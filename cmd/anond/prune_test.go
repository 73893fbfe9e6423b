package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/readback"
)

// TestPrunedReleases: what the commands say of releases whose files were pruned, and what
// the audit still certifies.
func TestPrunedReleases(t *testing.T) {
	tier.NotShort(t, "it makes and audits many releases")
	t.Parallel()
	for _, level := range []string{"L2, max_hold: 1 releases", "L1"}[:tier.Of(t, 1, 1, 2)] {
		t.Run(level[:2], func(t *testing.T) { pruned(t, level) })
	}
}

func pruned(t *testing.T, level string) {
	s := newSite(t, fileSource, "on: records, every: 300", "")
	least := ""
	if level != "L1" {
		least = "min_pool: 15, "
	}
	s.edit("level: L1", "level: "+level)
	s.edit("policy:", "initial: {"+least+"max_records: 600}\npolicy:")
	s.write("admissions.ndjson", ndjson(1, 5000))
	s.must("run --once")
	all := s.counts().Newest.Release
	require.Greater(t, all, uint32(10), "parts were put together")
	want := s.must("audit --require-certified")
	whole := s.must("release cat")

	s.edit("release: {", "release: {keep: {releases: 2}, ")
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, `"event":"release_pruned","release":1}`)
	kept, err := filepath.Glob(s.path("releases/0*"))
	require.NoError(t, err)
	require.Len(t, kept, 2)
	assert.Equal(t, whole, s.must("release cat"))
	assert.Contains(t, s.must("release list"), ", pruned\n")
	assert.Contains(t, s.must("release verify"), "ok: 2 releases, ")
	assert.Contains(t, s.must("release verify"), "whose files were pruned")
	assert.Contains(t, s.must("release show 1"), "format_version")
	r = s.run("release cat 1")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "release 1: its files were pruned (release.keep); its manifest is ")
	_, err = readback.Open(s.path("releases/000001"))
	require.ErrorIs(t, err, snapshot.ErrPruned)
	got := s.must("audit --require-certified")
	assert.Contains(t, got, "were pruned; the manifests are there")
	assert.Equal(t, strings.Count(want, "\n")+3, strings.Count(got, "\n"), "the report says the same otherwise")
	if level != "L1" {
		s.must("audit --replay 1 --require-certified")
	}
	assert.Contains(t, s.must("release report --with-state"), "<html")

	// Later releases go on, from a state that is restored too.
	s.write("admissions.ndjson", ndjson(1, 6000))
	s.must("run --once")
	s.must("audit --require-certified")
	s.must("state backup", "--out", s.path("copy.db"))
	require.NoError(t, os.Remove(s.path("state/anond.db")))
	s.must("state restore", "--from", s.path("copy.db"))
	s.must("run --once")
	s.must("release verify")

	// What was removed in another way is no pruning. At level L2 the ledger says of it that it passed.
	require.NoError(t, os.Remove(s.path("releases/pruned/000002.json")))
	assert.Equal(t, exitFailed, s.run("release verify").code)
	r = s.run("audit")
	verdict, code := "VIOLATED", exitPrivacy
	if level != "L1" {
		verdict, code = "SEALED", exitOK
	}
	assert.Equal(t, code, r.code)
	assert.Contains(t, r.stdout, verdict)
}
