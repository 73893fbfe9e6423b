package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
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
	assert.Regexp(t, `All \d+ decisions were made again, as they were and in 3 worlds`, certified)
	assert.Contains(t, s.must("release report --with-state --replay 1"), "in a world in which")
	assert.NotContains(t, page, "someone who has read the program cannot tell", "the seed was given, so that level L2 is not promised")
	assert.NotContains(t, page, "<strong>certified</strong>", "public files alone do not certify")

	recipients := s.must("release report 3 --recipients")
	frozen(t, "recipients.html", recipients)
	selfContained(t, recipients)
	for _, args := range []string{"--recipients --with-state", "--replay 2", "--recipients --population x"} {
		assert.Equal(t, exitUsage, s.run("release report "+args).code, args)
	}
	r := s.run("release report 99")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "there is no such release")
	assert.Equal(t, exitUsage, s.run("release report x").code)
}

// TestReportOfAModel: the report prints what a model believes, and takes neither what counts right guesses nor another release's.
func TestReportOfAModel(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, level: L2, max_hold: 1 releases}\ninitial: {min_pool: 15}")
	s.write("admissions.ndjson", ndjson(1, 800))
	s.runFrozen()
	assert.Contains(t, s.must("release report"), "A model was not trained on this release")
	hash := regexp.MustCompile(`Of the manifest: <span class="hash">([0-9a-f]{64})`).FindStringSubmatch(s.must("release report"))[1]
	counts := `{"private": %s, "dataset": "d", "release": 1, "manifest_sha256": "%s", "attributes": [{"attribute": "diagnosis", "people": 400,
		"above": [{"belief": 0.5, "people": 100%s}]}]}`
	for _, c := range []struct{ private, hash, right, want string }{
		{"false", hash, "", "<td>100</td><td>25.0"},
		{"true", hash, `, "right": 7777`, "private"},
		{"true", hash, "", "private"},
		{"false", hash, `, "right": 7777`, "not what anond-lab audit-model writes"},
		{"false", strings.Repeat("0", 64), "", "another release"},
	} {
		s.write("model.json", fmt.Sprintf(counts, c.private, c.hash, c.right))
		r := s.run("release report --model " + s.path("model.json"))
		assert.Contains(t, r.stdout+r.stderr, c.want)
		assert.Equal(t, c.right == "" && c.private == "false" && c.hash == hash, r.code == exitOK)
		assert.NotContains(t, r.stdout, "7777")
	}
}

// TestReportAgainstAPopulation: each class is held against the people of the population who fit its cells, by the attributes that
// the owner counted.
func TestReportAgainstAPopulation(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, level: L2, max_hold: 1 releases}\ninitial: {min_pool: 15}")
	s.write("admissions.ndjson", ndjson(1, 800))
	s.runFrozen()
	assert.Contains(t, s.must("release report"), "Not computed: the owner gave no counts")
	everybody := "age,count\n"
	for age := range 131 {
		everybody += fmt.Sprintf("%d,1000\n", age)
	}
	for _, c := range []struct{ file, want string }{
		{everybody, "The owner counted 131\u202f000 people of the population, by age."},
		{"sex,count\nF,70\nM,50\n", "At least 50 do"},
		{"sex,count\nF,70\nM,3\n", "classes have more people than the owner counted"},
		{"income,count\n1,1\n", "the columns are not quasi-identifiers and count"},
		{"sex,postcode,count\nF,CANARY,1\n", "line 2: postcode is no value of the attribute"},
		{"sex,count\nF,CANARY\n", "line 2: the count is no whole number"},
		{"", "the file has no header"},
	} {
		s.write("population.csv", c.file)
		r := s.run("release report --population " + s.path("population.csv"))
		assert.Contains(t, r.stdout+r.stderr, c.want)
		assert.NotContains(t, r.stderr, "CANARY")
	}
}

// TestReportOfAWindow: the report says who has left by age, in words and in the sum of all records.
func TestReportOfAWindow(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 300", "")
	s.edit("level: L1", "level: L2, max_hold: 1 releases")
	s.edit("policy:", "initial: {min_pool: 15, max_records: 600}\npolicy:")
	s.edit("release: {", "release: {window: 2, ")
	s.write("admissions.ndjson", ndjson(1, 3200))
	s.must("run --once")
	page := s.must("release report --with-state")
	assert.Regexp(t, `Parts stay for a window \(2[^)]*\): what releases 1 to \d+ brought has\s+left\. \d.* people were ever published`, page)
	assert.Contains(t, page, "Decisions could not be made again (replay): ")
	figure := func(id string) (n int) {
		text := regexp.MustCompile(`<td id="` + id + `">([^<]*)<`).FindStringSubmatch(page)[1]
		n, err := strconv.Atoi(strings.ReplaceAll(text, "\u202f", ""))
		require.NoError(t, err)
		return n
	}
	assert.NotZero(t, figure("expired"))
	assert.Equal(t, figure("sent"), figure("published")+figure("expired")+figure("pending")+figure("dead_letter")+
		figure("forgotten")+figure("beyond"))
	assert.Contains(t, s.must("release report --recipients"), "until they leave by age")
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
