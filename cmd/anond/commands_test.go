package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
)

const fileSource = "{type: file, file: {path: admissions.ndjson}}"

// published is a site that has published the stream of a seed.
func published(t *testing.T, n int) *site {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.write("admissions.ndjson", ndjson(1, n))
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	return s
}

// TestOnce: run --once reads all, publishes, stops, and adds up; a second run
// has nothing to do and changes nothing; what is appended becomes a release.
func TestOnce(t *testing.T) {
	s := published(t, 2000)
	c := s.counts().Counts
	assert.Equal(t, 2000, int(c.Sent))
	assert.EqualValues(t, 2000, c.Accounted())
	assert.NotZero(t, c.Published)
	assert.NotZero(t, c.DeadLetter)
	before := s.releases()
	s.must("run --once")
	assert.Equal(t, before, s.releases())

	s.write("admissions.ndjson", ndjson(1, 4000))
	s.must("run --once")
	assert.Equal(t, 4000, int(s.counts().Counts.Sent))
	assert.Greater(t, len(s.releases()), len(before))
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestSourcesAgree: the same records from a file, standard input, CSV and
// Debezium events give the same releases.
func TestSourcesAgree(t *testing.T) {
	tier.NotShort(t, "it runs the daemon five times")
	stream := hospital.New(4)
	var rows []hospital.Admission
	for range 1500 {
		rows = append(rows, stream.Next())
	}
	var plain, events strings.Builder
	var sheet strings.Builder
	w := csv.NewWriter(&sheet)
	require.NoError(t, w.Write([]string{"diagnosis", "patient", "age", "sex", "postcode", "admission"}))
	for _, a := range rows {
		value, err := json.Marshal(a)
		require.NoError(t, err)
		fmt.Fprintf(&plain, "%s\n", value)
		fmt.Fprintf(&events, `{"payload":{"before":null,"after":%s,"op":"c","ts_ms":1}}`+"\n", value)
		require.NoError(t, w.Write([]string{a.Diagnosis, a.Patient, fmt.Sprint(a.Age), a.Sex, a.Postcode, a.Admission}))
	}
	w.Flush()
	var want map[string]string
	for _, c := range []struct{ name, source, text string }{
		{"file", "{type: file, file: {path: in}}", plain.String()},
		{"stdin", "{type: stdin}", plain.String()},
		{"csv", "{type: file, format: csv, file: {path: in}}", sheet.String()},
		{"csv stdin", "{type: stdin, format: csv}", sheet.String()},
		{"debezium", "{type: stdin, format: debezium}", events.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, c.source, "on: records, every: 300", "")
			s.edit("policy:", "initial: {max_records: 600}\npolicy:")
			s.write("in", c.text)
			r := s.pipe(c.text, "run --once")
			require.Equal(t, exitOK, r.code, r.stderr)
			assert.Equal(t, 1500, int(s.counts().Counts.Sent))
			if want == nil {
				want = s.releases()
				require.Greater(t, len(want), 4)
			}
			assert.Equal(t, want, s.releases())
		})
	}
}

// TestPipe: standard input that ends is the end of the run, without --once.
func TestPipe(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: records, every: 400", "")
	r := s.pipe(ndjson(2, 1000), "run")
	require.Equal(t, exitOK, r.code, r.stderr)
	first := s.counts().Counts
	assert.Equal(t, 1000, int(first.Sent))
	r = s.pipe(ndjson(3, 1000), "run") // a source of its own
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, 2000, int(s.counts().Counts.Sent))
	assert.Len(t, s.positions(), 2000)
}

func TestReleaseCommands(t *testing.T) {
	s := published(t, 2000)
	var list []struct {
		Release uint32
		Records int
		Current bool
	}
	require.NoError(t, json.Unmarshal([]byte(s.must("release list --json")), &list))
	require.Greater(t, len(list), 1)
	newest := list[len(list)-1]
	assert.True(t, newest.Current)
	assert.Equal(t, s.counts().Counts.Published, newest.Records)
	text := s.must("release list")
	assert.Equal(t, len(list)+1, strings.Count(text, "\n"))
	assert.Contains(t, text, fmt.Sprintf("*%d ", newest.Release))

	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	assert.EqualValues(t, newest.Release, m["release"])
	assert.Regexp(t, `(?m)^policy\.k +5$`, s.must("release show 1"))
	assert.Equal(t, exitUsage, s.run("release show one").code)
	assert.Equal(t, exitFailed, s.run("release show 99").code)
	assert.Regexp(t, `^ok: \d+ releases, \d+ data files, \d+ bytes`, s.must("release verify"))
	assert.True(t, json.Valid([]byte(s.must("release verify --json"))))
}

// TestTamperedRelease: verify and audit find it, and the daemon builds nothing on it.
func TestTamperedRelease(t *testing.T) {
	s := published(t, 2000)
	path := s.path("releases/000001/part-000001/data.csv")
	require.NoError(t, os.Chmod(path, 0o600))
	text := s.read("releases/000001/part-000001/data.csv")
	s.write("releases/000001/part-000001/data.csv", strings.Replace(text, "asthma", "angina", 1))
	r := s.run("release verify")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stdout, "000001")
	assert.Contains(t, r.stderr, "hint: ")
	r = s.run("audit")
	assert.Equal(t, exitPrivacy, r.code)
	assert.Contains(t, r.stdout, "VIOLATED")
	assert.Contains(t, r.stderr, "the verdict is violated")
}

func TestAuditCommands(t *testing.T) {
	s := published(t, 2000)
	assert.Contains(t, s.must("audit"), "CERTIFIED")
	public := func(args ...string) result {
		return anond(t, append([]string{"audit", "--releases", s.path("releases")}, args...)...)
	}
	r := public()
	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "CONSISTENT")
	r = public("--json", "--require-certified")
	assert.Equal(t, exitPrivacy, r.code)
	var report struct{ Verdict string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	assert.Equal(t, "consistent", report.Verdict)

	s.must("state members", "--out", s.path("members.csv"))
	s.must("state records", "--out", s.path("records.csv"))
	assert.Equal(t, exitOK, public("--require-certified", "--members", s.path("members.csv"), "--records", s.path("records.csv")).code)
	for _, name := range []string{"members.csv", "records.csv"} {
		info, err := os.Stat(s.path(name))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}

	assert.Equal(t, exitFailed, anond(t, "audit", "--releases", s.path("nowhere")).code)
	assert.Equal(t, exitConfig, anond(t, "audit").code, "there is no anond.yaml here")
	for _, flag := range []string{"--releases", "--ledger", "--members", "--records"} {
		r := s.run("audit", flag, s.path("nowhere"))
		assert.Equal(t, exitUsage, r.code, "%s with -c would be ignored", flag)
		assert.Contains(t, r.stderr, "would be ignored")
	}
	require.NoError(t, os.Remove(s.path("releases/000002/manifest.json")))
	assert.Equal(t, exitFailed, public().code)
}

func TestStateCommands(t *testing.T) {
	s := published(t, 2000)
	assert.Equal(t, "ok: "+s.path("state/anond.db")+"\n", s.must("state check"))
	assert.JSONEq(t, `{"ok":true,"faults":[]}`, s.must("state check --json"))
	assert.Regexp(t, `(?m)^file\.mode +-rw-------$`, s.must("state info"))
	s.must("state members --release 2", "--out", s.path("m.csv"))
	for _, line := range strings.Split(strings.TrimSpace(s.read("m.csv")), "\n")[1:] {
		require.True(t, strings.HasPrefix(line, "2,"), line)
	}
	assert.Equal(t, exitUsage, s.run("state members").code)
	assert.Equal(t, exitUsage, s.run("state members --release 1 --from 1 --out x").code)
	missing := newSite(t, fileSource, "on: update", "")
	for _, verb := range []string{"state info", "state check", "state records --out x", "audit", "release show"} {
		r := missing.run(verb)
		assert.Equal(t, exitFailed, r.code, verb)
		assert.Contains(t, r.stderr, "error: ", verb)
	}
}

// TestStateBackupAndCompact: the backup takes the state's place and the chain
// goes on; compaction changes
// nothing that the daemon or the auditor sees.
func TestStateBackupAndCompact(t *testing.T) {
	s := published(t, 2000)
	assert.Equal(t, exitUsage, s.run("state backup").code)
	assert.Contains(t, s.must("state backup", "--out", s.path("copy.db")), "persons' values")
	assert.Equal(t, exitFailed, s.run("state backup", "--out", s.path("copy.db")).code, "never over a file")
	require.NoError(t, os.Rename(s.path("copy.db"), s.path("state/anond.db")))
	assert.Contains(t, s.must("state compact"), "bytes")
	assert.Equal(t, "ok: "+s.path("state/anond.db")+"\n", s.must("state check"))
	s.must("run --once")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	left, err := filepath.Glob(s.path("state/*.compact*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestLockedState: while a daemon runs, others exit 4, and info reads its status.
func TestLockedState(t *testing.T) {
	tier.NotShort(t, "each command waits for the lock")
	t.Parallel()
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: records, every: 400", "")
	s.write("admissions.ndjson", ndjson(1, 2000))
	p := s.start("run")
	p.event("release_published")
	var refused sync.WaitGroup
	for _, verb := range []string{"run", "state check", "state members --out " + s.path("x"), "audit"} {
		refused.Go(func() {
			r := s.run(verb)
			assert.Equal(t, exitLocked, r.code, "%s: %s", verb, r.stderr)
			assert.Contains(t, r.stderr, "hint: stop the other process", verb)
		})
	}
	refused.Wait()
	s.must("release verify")
	var info stateInfo
	require.NoError(t, json.Unmarshal([]byte(s.must("state info --json")), &info))
	assert.True(t, info.Held)
	assert.Equal(t, p.cmd.Process.Pid, info.Status.PID)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, exitOK, p.wait())
	assert.Contains(t, p.stderr.String(), `"event":"draining"`)
	assert.Contains(t, p.stderr.String(), `"event":"stopped"`)
	s.must("state check")
}

// TestSecondSignal ends the process at once; the next start goes on.
func TestSecondSignal(t *testing.T) {
	tier.NotShort(t, "it takes a second")
	t.Parallel()
	s := newSite(t, "{type: file, file: {path: admissions.ndjson, follow: true}}", "on: records, every: 400", "")
	s.write("admissions.ndjson", ndjson(1, 30000))
	p := s.start("run")
	p.event("started")
	p.signal(syscall.SIGINT)
	p.signal(syscall.SIGTERM)
	// The system may hand over the two in either order, and the work may be done already.
	assert.Contains(t, []int{130, 143, exitOK}, p.wait(), &p.stderr)
	s.must("run --once")
	s.must("state check")
}

// TestInfeasible: the first load is refused, naming the share, the reachable l,
// and no value.
func TestRuleIInfeasibleFirstLoad(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	var b strings.Builder
	for i := range 500 {
		diagnosis := "canary-common"
		if i%2 == 0 {
			diagnosis = fmt.Sprintf("rare-%d", i%7)
		}
		fmt.Fprintf(&b, `{"patient":"P%d","age":%d,"sex":"F","postcode":"1101","admission":"planned","diagnosis":%q}`+"\n", i, i%90, diagnosis)
	}
	s.write("admissions.ndjson", b.String())
	r := s.run("run --once")
	assert.Equal(t, exitPrivacy, r.code)
	assert.Contains(t, r.stderr, `error: the most frequent value of "diagnosis" has 50.0 % of the first load`)
	assert.Contains(t, r.stderr, "hint: l = 2 is reachable")
	assert.NotContains(t, r.stderr, "canary")
	assert.NoFileExists(t, s.path("releases/CURRENT"))
	assert.Equal(t, exitPrivacy, s.run("run --once").code, "it stays so")
	s.must("state check")
}

// TestChangedPolicy names the key and publishes nothing.
func TestChangedPolicy(t *testing.T) {
	s := published(t, 2000)
	for _, c := range []struct{ old, new, key string }{
		{"k: 5", "k: 6", "policy.k"},
		{"dataset: hospital", "dataset: clinic", "dataset"},
		{"{name: sex, role: quasi, type: categorical}", "{name: sex, role: drop}", "schema"},
	} {
		s.edit(c.old, c.new)
		r := s.run("run --once")
		assert.Equal(t, exitConfig, r.code, r.stderr)
		assert.Contains(t, r.stderr, c.key)
		assert.Contains(t, r.stderr, "hint: ")
		s.edit(c.new, c.old)
	}
	s.must("run --once")
}

// TestBehind: a state older than the ledger, or no state next to releases, exits 5.
func TestBehind(t *testing.T) {
	s := published(t, 1000)
	old := s.read("state/anond.db")
	s.write("admissions.ndjson", ndjson(1, 2000))
	s.must("run --once")
	newest := s.read("state/anond.db")
	for _, state := range []string{old, ""} {
		if state == "" {
			require.NoError(t, os.Remove(s.path("state/anond.db")))
		} else {
			s.write("state/anond.db", state)
		}
		r := s.run("run --once")
		assert.Equal(t, exitBehind, r.code, r.stderr)
		assert.Contains(t, r.stderr, "hint: restore the newest state")
	}
	s.write("state/anond.db", newest)
	s.must("run --once")
}

// TestRuleVNoValueLeaks: values planted everywhere, in records that are taken
// and in those that are not, show up in no log, status, dead letter or error.
func TestRuleVNoValueLeaks(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: records, every: 200", "")
	s.edit("path: ./dead-letter}", "path: ./dead-letter, max_share: 1}")
	var b strings.Builder
	for i, a := range admissions(9, 800) {
		fmt.Fprintf(&b, "%s\n", a)
		fmt.Fprintf(&b, `{"patient":"canary-p%d","age":%d,"sex":"canary-sex","postcode":"1101","admission":"canary-admission",`+
			`"diagnosis":"canary-%d"}`+"\n", i, i%80, i%9)
		if i%20 == 0 {
			b.WriteString(`{"patient":"canary-x","age":"canary-age"}` + "\n" + `canary-rubbish` + "\n" + `{"canary-member":[` + "\n" +
				`{"patient":"canary-y","age":3,"sex":"F","postcode":"canary-code","admission":"planned","diagnosis":"asthma"}` + "\n" +
				`{"patient":"canary-z","age":3,"age":4,"sex":"F|canary","postcode":"1101","admission":"planned","diagnosis":"asthma"}` + "\n")
		}
	}
	r := s.pipe(b.String(), "run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.NotZero(t, s.counts().Counts.DeadLetter)
	for name, text := range map[string]string{"stderr": r.stderr, "stdout": r.stdout, "status.json": s.read("state/status.json"),
		"dead letters": s.read("dead-letter/dead-letter.ndjson"), "ledger": s.read("state/ledger"), "info": s.must("state info")} {
		assert.NotContains(t, text, "canary", name)
	}
	for name, text := range s.releases() {
		if strings.HasSuffix(name, "manifest.json") {
			assert.NotContains(t, text, "canary", name)
		}
		assert.NotContains(t, text, "canary-p", name)
	}
}
