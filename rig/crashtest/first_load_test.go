package crashtest

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const skewed = "id,age,city,ill\np1,30,c1,flu\np2,31,c1,flu\np3,32,c1,cold\np4,33,c1,gout\n"

// clinicWith is a clinic whose policy and further blocks are given.
func clinicWith(source, policy, more string) string {
	return strings.Replace(clinic(source), "policy: {k: 3, l: 3, level", "policy: {"+policy+", level", 1) + more
}

const csvFile = "{type: file, format: csv, file: {path: in.csv}}"

func (s *site) published() int {
	s.t.Helper()
	return len(strings.Fields(s.read("releases/CURRENT")))
}

// counts returns counts of the newest status.json.
func (s *site) counts() (out struct {
	Sent       int `json:"sent"`
	Published  int `json:"published"`
	Infeasible bool
	FirstLoad  *struct {
		Records, Wanted int
		Refused         bool
		Attribute       string
		Reachable       int `json:"reachable_l"`
	} `json:"first_load"`
	Pending map[string]int
}) {
	s.t.Helper()
	var status struct{ Counts json.RawMessage }
	require.NoError(s.t, json.Unmarshal([]byte(s.read("state/status.json")), &status))
	require.NoError(s.t, json.Unmarshal(status.Counts, &out))
	return out
}

// refused runs the skewed load and sees it refused.
func refused(t *testing.T, source string, stdin string) *site {
	t.Helper()
	s := newSite(t, clinic(source))
	s.write("in.csv", skewed)
	r := s.run(stdin, "run", "--once")
	require.Equal(t, 3, r.code, r.stderr)
	require.Contains(t, r.stderr, "50.0 %")
	require.Contains(t, r.stderr, "l = 2 is reachable")
	require.Len(t, events(t, r.stderr, "infeasible"), 1)
	c := s.counts()
	require.Equal(t, 4, c.Sent, "what was refused is counted")
	require.Equal(t, 4, c.Pending["infeasible"])
	require.True(t, c.Infeasible)
	require.NotNil(t, c.FirstLoad)
	require.True(t, c.FirstLoad.Refused)
	require.Equal(t, 2, c.FirstLoad.Reachable)
	require.Equal(t, 0, s.published())
	return s
}

func (s *site) certified() {
	s.t.Helper()
	r := s.run("", "audit", "-c", "anond.yaml", "--require-certified")
	require.Equal(s.t, 0, r.code, r.stdout+r.stderr)
}

// TestARefusedFirstLoadGrows: a first load in which one value is too frequent
// waits, and is published once more records have come.
func TestARefusedFirstLoadGrows(t *testing.T) {
	chosen.Demand(t)
	s := refused(t, csvFile, "")
	r := s.run("", "run", "--once")
	require.Equal(t, 3, r.code, "nothing has changed: refused again")
	s.append("in.csv", "p5,34,c1,cold\np6,35,c1,gout\n")
	r = s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 1, s.published())
	assert.Equal(t, 6, s.counts().Published)
	s.certified()
}

// TestARefusedFirstLoadTakesOtherSettings: what the hint says works, and so does
// every other setting that does not change how records are stored.
func TestARefusedFirstLoadTakesOtherSettings(t *testing.T) {
	chosen.Demand(t)
	s := refused(t, csvFile, "")
	changed := clinicWith(csvFile, "k: 3, l: 2, republication: append", "")
	s.write("anond.yaml", strings.Replace(changed, "ledger: ./ledger,", "ledger: ./ledger, recoding: anatomy,", 1))
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 1, s.published())
	assert.Equal(t, 4, s.counts().Published)
	s.certified()
	s.write("anond.yaml", clinicWith(csvFile, "k: 3, l: 3", ""))
	r = s.run("", "run", "--once")
	assert.Equal(t, 78, r.code, "after release 1 settings bind")
	assert.Contains(t, r.stderr, "policy.l")
}

// TestWhatRecordsAreStoredAsBinds: a schema under which stored records would mean
// something else is refused before release 1 too, and reset is the way out.
func TestWhatRecordsAreStoredAsBinds(t *testing.T) {
	chosen.Demand(t)
	s := refused(t, csvFile, "")
	s.write("anond.yaml", strings.Replace(clinicWith(csvFile, "k: 3, l: 2", ""), "name: city, role: quasi, type: categorical",
		"name: city, role: drop", 1))
	r := s.run("", "run", "--once")
	require.Equal(t, 78, r.code)
	require.Contains(t, r.stderr, "schema.attributes[city]")
	require.Contains(t, r.stderr, "anond state reset")
	r = s.run("", "state", "reset")
	require.Equal(t, 2, r.code, "nothing is removed without --yes")
	r = s.run("", "state", "reset", "--yes", "--json")
	require.Equal(t, 0, r.code, r.stderr)
	require.JSONEq(t, `{"path": "state/anond.db", "records": 4, "dead_letters": 0, "partitions": 1}`, r.stdout)
	require.Empty(t, s.read("state/status.json"))
	r = s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 4, s.counts().Published, "the source was read again")
	assert.Equal(t, 4, s.counts().Sent)
	s.certified()
	r = s.run("", "state", "reset", "--yes")
	assert.Equal(t, 3, r.code, "a release is decided")
	assert.Equal(t, 0, s.run("", "state", "check").code)
}

// TestResetBesideForeignReleases: a state that does not know an existing release
// may not start over.
func TestResetBesideForeignReleases(t *testing.T) {
	chosen.Demand(t)
	s := refused(t, csvFile, "")
	s.write("releases/000001/manifest.json", "{}")
	assert.Equal(t, 5, s.run("", "state", "reset", "--yes").code)
	assert.NotEmpty(t, s.read("state/status.json"))
}

// TestResetNeedsTheLock: a running daemon keeps its state.
func TestResetNeedsTheLock(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", skewed)
	p := s.start("run")
	p.waitFor(`"event":"infeasible"`)
	assert.Equal(t, 4, s.run("", "state", "reset", "--yes").code)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait(), "told to stop, the daemon stops well")
}

// TestDeadLettersKeepTheirNumbersOverAReset: the sink takes letters of the state
// that starts over for new ones, and none is lost.
func TestDeadLettersKeepTheirNumbersOverAReset(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic(csvFile))
	s.write("in.csv", skewed+"p5,old,c1,flu\n")
	require.Equal(t, 3, s.run("", "run", "--once").code)
	require.Equal(t, 0, s.run("", "state", "reset", "--yes").code)
	require.Equal(t, 3, s.run("", "run", "--once").code)
	letters := strings.Fields(s.read("dead-letter/dead-letter.ndjson"))
	require.Len(t, letters, 2)
	assert.Contains(t, letters[0], `"seq":1,`)
	assert.Contains(t, letters[1], `"seq":2,`)
	assert.Equal(t, 5, s.counts().Sent)
}

// TestARefusedStandardInputIsCounted: each run of standard input is a source of
// its own; the next one adds to what was refused.
func TestARefusedStandardInputIsCounted(t *testing.T) {
	chosen.Demand(t)
	s := refused(t, "{type: stdin, format: csv}", skewed)
	r := s.run("id,age,city,ill\np5,34,c1,cold\np6,35,c1,gout\n", "run")
	require.Equal(t, 0, r.code, r.stderr)
	c := s.counts()
	assert.Equal(t, 6, c.Sent)
	assert.Equal(t, 6, c.Published)
	s.certified()
}

// TestADaemonWaitsForTheFirstLoad: a continuous source goes on after a refusal,
// and publishes when it may.
func TestADaemonWaitsForTheFirstLoad(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", skewed)
	p := s.start("run")
	p.waitFor(`"event":"infeasible"`)
	p.until("the status says so", func() bool { return strings.Contains(s.read("state/status.json"), `"refused": true`) })
	s.append("in.csv", "p5,34,c1,cold\np6,35,c1,gout\n")
	p.waitFor(`"event":"release_published"`)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Equal(t, 6, s.counts().Published)
	assert.Nil(t, s.counts().FirstLoad)
	s.certified()
}

// TestMinRecords: release 1 waits for as many records as the configuration says,
// also at the end of the source, and says so.
func TestMinRecords(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinicWith(csvFile, "k: 3, l: 2", "initial: {min_records: 6}\n"))
	s.write("in.csv", skewed)
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	waits := events(t, r.stderr, "first_load_waits")
	require.Len(t, waits, 1)
	assert.EqualValues(t, 4, waits[0]["records"])
	assert.EqualValues(t, 6, waits[0]["wanted"])
	assert.Equal(t, 0, s.published())
	s.append("in.csv", "p5,34,c1,cold\np6,35,c1,gout\n")
	require.Equal(t, 0, s.run("", "run", "--once").code)
	assert.Equal(t, 6, s.counts().Published)
}
