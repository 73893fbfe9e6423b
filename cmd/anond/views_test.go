package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// withView is a site of level L2 with a view.
func withView(t *testing.T, people int) *site {
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, complete: true}}", "on: records, every: 300", "")
	s.atLevel("L2", "")
	s.edit("release: {", "release: {views: [{name: short, columns: [age, postcode, diagnosis], cells: {postcode: level 1}}], ")
	s.write("admissions.ndjson", ndjson(1, people))
	return s
}

// TestViewsAreKilledAtEachStep: SIGKILL ends the real process when a file of the view appears, step by step. The next start needs no
// command: the view is at the newest release, and the function of each.
func TestViewsAreKilledAtEachStep(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	hit := 0
	for _, step := range []string{"releases-short", "releases-short/.tmp-*", "releases-short/.tmp-*/part-*/data.csv",
		"releases-short/hierarchies",
		"releases-short/.tmp-*/manifest.json", "releases-short/000001", "releases-short/CURRENT", "state/ledger-short", "releases-short/000003"} {
		s := withView(t, 2400)
		p := s.start("run --once")
		for waiting := true; waiting; {
			found, err := filepath.Glob(s.path(step))
			require.NoError(t, err)
			select {
			case <-p.exited:
				waiting = false
			default:
				if waiting = len(found) == 0; waiting {
					time.Sleep(100 * time.Microsecond)
				}
			}
		}
		_ = p.cmd.Process.Kill()
		if p.wait() == -1 {
			hit++
		}
		s.must("run --once")
		assert.Equal(t, s.read("releases/CURRENT"), s.read("releases-short/CURRENT"), step)
		assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED", step)
		left, err := filepath.Glob(s.path("releases-short/.tmp-*"))
		require.NoError(t, err)
		assert.Empty(t, left, step)
	}
	assert.Greater(t, hit, 4)
}

// TestAViewIsReadLikeReleases: what reads releases takes the directory of a view, and shows what the view shows.
func TestAViewIsReadLikeReleases(t *testing.T) {
	s := withView(t, 1500)
	s.must("run --once")
	view := s.path("releases-short")
	bare := func(args ...string) string {
		t.Helper()
		var out, log programtest.Text
		require.Equal(t, exitOK, run(t.Context(), args, streams(&out, &log)), "%s: %s", strings.Join(args, " "), &log)
		return out.String()
	}
	header, _, _ := strings.Cut(bare("release", "cat", "--dir", view), "\n")
	assert.Equal(t, "age,postcode,class,bucket", strings.TrimPrefix(header, "part,"))
	bare("release", "verify", "--dir", view, "--ledger", s.path("state/ledger-short"))
	for _, more := range [][]string{nil, {"--recipients"}} {
		page := bare(append([]string{"release", "report", "--dir", view, "--ledger", s.path("state/ledger-short")}, more...)...)
		assert.Contains(t, page, "hospital-short")
		assert.NotContains(t, page, "admission")
	}
	assert.Contains(t, bare("release", "show", "--dir", view), "hospital-short")
	assert.Contains(t, bare("audit", "--releases", s.path("releases"), "--view", view), "short")
	assert.Regexp(t, `view short +release \d+ of`, s.must("status"))
	assert.Contains(t, s.must("doctor"), "view short is at release")
}

// TestTheDoctorLooksAtViewsAndAtTheLedger: a view that cannot be made and a ledger of another key are named, with a remedy.
func TestTheDoctorLooksAtViewsAndAtTheLedger(t *testing.T) {
	s := withView(t, 1500)
	key := strings.Repeat("ab", 32)
	s.edit("policy:", "subject: {ledger: ./people, key: "+key+"}\npolicy:")
	require.Contains(t, s.must("doctor"), "people will be made")
	require.Regexp(t, `View short shows age, postcode, diagnosis in \S+releases-short\.`, s.must("config check"))
	require.Contains(t, s.must("config check"), "one of the datasets that share")
	require.NoError(t, os.Mkdir(s.path("releases-short"), 0o755))
	s.write("releases-short/hierarchies", "a file in the way")
	r := s.run("run --once")
	require.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, `"event":"view_failed"`)
	assert.Regexp(t, `view short is \d releases behind: `, s.must("doctor"))
	assert.Regexp(t, `attention +view short: `, s.must("status"))
	assert.Contains(t, s.must("doctor"), "whole, of 1 datasets; this one has")
	s.edit(key, strings.Repeat("cd", 32))
	r = s.run("doctor")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stdout, "subject.key is not that of the subject ledger")
}
