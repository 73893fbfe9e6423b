package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// TestFrozenReport: the report on a release of level L2, as it was, and what it says of
// one of level L1.
func TestFrozenReport(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, level: L2, max_hold: 1 releases}\ninitial: {min_pool: 15}")
	for n := 800; n <= 2400; n += 800 {
		s.write("admissions.ndjson", ndjson(1, n))
		s.runFrozen()
	}
	page := s.must("release report 3")
	frozen(t, "report.html", page)
	selfContained(t, page)
	certified := s.must("release report --with-state")
	assert.Contains(t, certified, "<strong>certified</strong>")
	assert.NotContains(t, page, "<strong>certified</strong>", "public files alone do not certify")

	r := s.run("release report 99")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "there is no such release")
	assert.Equal(t, exitUsage, s.run("release report x").code)
}

func TestReportAtLevelL1(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.write("admissions.ndjson", ndjson(1, 1200))
	s.runFrozen()
	page := s.must("release report")
	selfContained(t, page)
	assert.NotContains(t, page, "bucket")
	assert.Regexp(t, `<td>L2</td><td>[^<]*</td><td>not promised</td>`, page)
	assert.Contains(t, page, "Of each person one record is published.")
	assert.NotContains(t, page, "largest probability")

	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	words := regexp.MustCompile(`[\s*]+`)
	const belief = "someone who already believes that certain ages, places or sexes go with certain diagnoses, or who learns that " +
		"from the releases (deFinetti attack)."
	assert.Contains(t, words.ReplaceAllString(string(readme), " "), belief)
	assert.Contains(t, words.ReplaceAllString(page, " "), belief)

	s.write("admissions.ndjson", ndjson(1, 2100))
	s.runFrozen() // somebody waits at one of the cuts
	report := s.path("audit.txt")
	s.must("audit --out " + report)
	info, err := os.Stat(report)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	assert.Contains(t, string(text), "This report is private")
	assert.Contains(t, s.run("audit --out "+report).stderr, "name a file that does not exist yet")
}

// selfContained checks that a page needs nothing else, and has no value of a person.
func selfContained(t *testing.T, page string) {
	t.Helper()
	assert.NotRegexp(t, `(?i)(src|href)="(?:https?:)?//|@import|url\(|https?://|<script`, page)
	for _, line := range strings.Split(ndjson(1, 50), "\n") {
		for _, m := range regexp.MustCompile(`"(?:diagnosis|patient)":"([^"]*)"`).FindAllStringSubmatch(line, -1) {
			assert.NotContains(t, page, ">"+m[1]+"<")
			assert.NotContains(t, page, m[1]+" ")
		}
	}
}

// TestReportPrints: a browser makes a document of it.
func TestReportPrints(t *testing.T) {
	tier.Heavy(t, "it starts a browser")
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.write("admissions.ndjson", ndjson(1, 1200))
	s.runFrozen()
	s.write("report.html", s.must("release report"))
	pdf := s.path("report.pdf")
	profile, err := os.MkdirTemp("", "chromium")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(profile) }) // a process of the browser may still write to it
	out, err := exec.CommandContext(t.Context(), browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
		"--user-data-dir="+profile, "--print-to-pdf="+pdf, "file://"+filepath.ToSlash(s.path("report.html"))).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.NotContains(t, string(out), "CONSOLE")
	assert.True(t, strings.HasPrefix(s.read("report.pdf"), "%PDF-"))
}
