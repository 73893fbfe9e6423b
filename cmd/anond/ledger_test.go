package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
)

// member is a site of a dataset that shares its people with others.
func member(t *testing.T, dataset, ledger, records string) *site {
	s := newSite(t, "{type: file, file: {path: admissions.ndjson}}", "on: records, every: 400", "")
	s.edit("dataset: hospital", "dataset: "+dataset)
	s.edit("policy:", fmt.Sprintf("subject: {key: \"%064x\", ledger: %q}\npolicy:", 7, ledger))
	s.write("admissions.ndjson", records)
	return s
}

// people are the digests of those whom a state has records of.
func (s *site) people() (out []string) {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "records.csv")
	s.must("state records", "--out", path)
	f, err := os.Open(path)
	require.NoError(s.t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(s.t, err)
	at := slices.Index(rows[0], "patient")
	require.GreaterOrEqual(s.t, at, 0, rows[0])
	for _, row := range rows[1:] {
		out = append(out, row[at])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// apart requires that nobody is in two states.
func apart(t *testing.T, sites ...*site) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range sites {
		for _, p := range s.people() {
			require.False(t, seen[p], "somebody is in two datasets")
			seen[p] = true
		}
	}
}

// ofOthers are the records that a stopped anond has counted so, whose books must add up.
func (s *site) ofOthers(sent int) int {
	s.t.Helper()
	c := s.counts().Counts
	require.EqualValues(s.t, sent, c.Sent)
	require.Equal(s.t, c.Sent, c.Accounted())
	require.LessOrEqual(s.t, int(c.Elsewhere), c.Beyond)
	return int(c.Elsewhere)
}

func refusedPerson(patient string) string {
	return strings.Replace(admitted(patient, 1, "influenza"), `"diagnosis":"influenza"`, `"diagnosis":"[secret"`, 1)
}

// otherPeople are messages of n people whom no stream of the hospital has.
func otherPeople(seed uint64, n int) string {
	return strings.ReplaceAll(ndjson(seed, n), `"patient":"`, `"patient":"other-`)
}

// TestLedgerOfTwoDatasets: who came to one first is elsewhere for the other, also who was refused, forgotten and is long published; and
// what operators do with such datasets.
func TestLedgerOfTwoDatasets(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "people")
	lines := ndjson(1, 1000)
	a := member(t, "hospital", dir, refusedPerson("P-refused")+admitted("P-forgotten", 1, "influenza")+lines)
	b := member(t, "insurer", dir, admitted("P-refused", 1, "influenza")+admitted("P-forgotten", 1, "influenza")+lines+otherPeople(3, 500))
	assert.Contains(t, a.must("run --once --dry-run"), "dry")
	assert.NoDirExists(t, dir, "a rehearsal claims nobody")
	a.must("run --once")
	assert.Zero(t, a.ofOthers(1002))
	assert.False(t, a.receipt("P-forgotten").Before)
	before := len(a.people())
	r := b.run("run --once --dry-run")
	require.Equal(t, exitOK, r.code, r.stderr)
	r = b.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, 1, strings.Count(r.stderr, `"event":"elsewhere"`), "said once")
	assert.GreaterOrEqual(t, b.ofOthers(1502), 1000, "but who is named by no readable message")
	apart(t, a, b)
	assert.Contains(t, b.must("status"), "of people of other datasets")
	var list ledgerContent
	require.NoError(t, json.Unmarshal([]byte(b.must("ledger list --json")), &list))
	require.Len(t, list.Datasets, 2)
	assert.Equal(t, "hospital", list.Datasets[0].Dataset)
	assert.GreaterOrEqual(t, list.Datasets[0].People, before)
	assert.GreaterOrEqual(t, list.Datasets[1].People, len(b.people()), "who was refused belongs to it, too")
	assert.Contains(t, b.must("ledger check"), "the state has seen nothing that is not there")
	for _, s := range []*site{a, b} {
		s.must("audit --require-certified")
	}

	// The auditor sees who is in two datasets, also one that calls the person otherwise, and what it cannot compare.
	both := member(t, "both", filepath.Join(t.TempDir(), "another"), lines)
	both.edit("name: patient, role", "name: client, path: /patient, role")
	stranger := member(t, "stranger", filepath.Join(t.TempDir(), "another"), lines)
	stranger.edit(fmt.Sprintf("%064x", 7), fmt.Sprintf("%064x", 8))
	for _, s := range []*site{both, stranger} {
		s.must("run --once")
	}
	for _, s := range []*site{a, b, both, stranger} {
		s.must("state records", "--out", s.path("records.csv"))
	}
	a.must("audit --require-certified --others " + b.path("records.csv"))
	r = a.run("audit --others " + b.path("records.csv") + " --others " + both.path("records.csv"))
	assert.Equal(t, 3, r.code)
	assert.Contains(t, r.stdout, "subject_in_two_datasets")
	assert.Contains(t, a.must("audit --others "+stranger.path("records.csv")), "do not name people under one subject.key")

	// The feed of the first goes on, with people of the second, whatever becomes of them there.
	a.append("admissions.ndjson", otherPeople(3, 500))
	a.must("run --once")
	assert.NotZero(t, a.ofOthers(1502))
	apart(t, a, b)

	// Who joins late, has another key, or has no subject key at all.
	late := member(t, "late", dir, ndjson(5, 500))
	late.edit(fmt.Sprintf("ledger: %q", dir), "repeat: first")
	late.must("run --once")
	late.edit("repeat: first", fmt.Sprintf("ledger: %q", dir))
	r = late.run("run --once")
	assert.Equal(t, 78, r.code, r.stderr)
	assert.Contains(t, r.stderr, "subject.ledger")
	other := member(t, "other", dir, ndjson(5, 500))
	other.edit(fmt.Sprintf("%064x", 7), fmt.Sprintf("%064x", 8))
	assert.Equal(t, 78, other.run("run --once").code)
	other.edit(fmt.Sprintf("%064x", 8), fmt.Sprintf("%064x", 7)) // its seed is durable, and it has not joined
	other.must("run --once")
	again := member(t, "hospital", dir, ndjson(5, 500))
	r = again.run("run --once")
	assert.Equal(t, 5, r.code, r.stderr)
	a.edit(fmt.Sprintf("ledger: %q", dir), "repeat: first")
	assert.Equal(t, 78, a.run("run --once").code, "nobody leaves a ledger")
	a.edit("repeat: first", fmt.Sprintf("ledger: %q", dir))

	// A copy of the ledger that is older than a state.
	whole, err := os.ReadFile(filepath.Join(dir, "claims"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "claims"), whole[:len(whole)/2], 0o600))
	for _, command := range []string{"run --once", "run --once --dry-run", "ledger check"} {
		r = b.run(command)
		assert.Equal(t, 5, r.code, "%s: %s", command, r.stderr)
		assert.Contains(t, r.stderr, "the subject ledger is older than the state", command)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "claims"), whole, 0o600))
	b.must("run --once")
	for _, p := range []string{"P-refused", "P-forgotten"} {
		assert.NotContains(t, string(whole), p)
	}
}

// TestReplayedLettersHaveOneOwner: whose record it was could not be read, so that nobody owned the person then.
func TestReplayedLettersHaveOneOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "people")
	long, longer := "P-"+strings.Repeat("x", 40), "P-"+strings.Repeat("y", 40)
	a := member(t, "a", dir, admitted(long, 1, "influenza")+admitted(longer, 1, "influenza")+ndjson(1, 300))
	b := member(t, "b", dir, admitted(long, 1, "influenza")+otherPeople(3, 300))
	a.edit("name: patient, role: subject", "name: patient, role: subject, max_length: 20")
	a.must("run --once")
	b.must("run --once")
	assert.Zero(t, b.ofOthers(301), "nobody knew whose record it was")
	a.edit(", max_length: 20", "")
	before := a.people()
	a.must("dlq replay")
	a.must("run --once")
	assert.Len(t, a.people(), len(before)+1, "the one whom nobody had meanwhile")
	apart(t, a, b)
	b.append("admissions.ndjson", admitted(longer, 1, "influenza"))
	b.must("run --once")
	assert.Equal(t, 1, b.ofOthers(302))
}

// ledgerKilledAt is the step of a run with a ledger of subjects at which a child process is killed.
const ledgerKilledAt = "ANOND_TEST_LEDGER_KILLED_AT"

var ledgerSteps = []string{"joined", "claiming", "claimed", "synchronizing", "synchronized"}

// dying kills the process at a step, the second time that the run is there.
type dying struct {
	ingest.Owners
	at func(step string)
}

func diesAt(step string) func(ingest.Owners) ingest.Owners {
	if step == "" {
		return nil
	}
	kill, seen := killsAt(step), map[string]int{}
	return func(o ingest.Owners) ingest.Owners {
		at := func(s string) {
			if seen[s]++; seen[s] == 2 || s == "joined" {
				_ = kill(s)
			}
		}
		at("joined")
		return dying{o, at}
	}
}

func (d dying) Claim(ctx context.Context, people []state.Person) ([]bool, error) {
	d.at("claiming")
	defer d.at("claimed")
	return d.Owners.Claim(ctx, people)
}

func (d dying) BeforeCommit(m *incremental.Machine) error {
	d.at("synchronizing")
	defer d.at("synchronized")
	return d.Owners.BeforeCommit(m)
}

// TestLedgerIsKilledAtEachStep: SIGKILL ends the real process at each step at which it joins, claims and makes claims durable, and
// then the daemon of the other dataset, too. The next starts need no command: nothing is lost, and nobody is in both.
func TestLedgerIsKilledAtEachStep(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	lines := ndjson(1, 3000)
	for i, step := range ledgerSteps {
		dir := filepath.Join(t.TempDir(), "people")
		a, b := member(t, "a", dir, lines), member(t, "b", dir, otherPeople(3, 500)+lines)
		dies := func(step string) func(*exec.Cmd) {
			return func(c *exec.Cmd) { c.Env = append(c.Env, ledgerKilledAt+"="+step) }
		}
		a.start("run --once", dies(step)).killed(step)
		b.start("run --once", dies(ledgerSteps[(i+2)%len(ledgerSteps)])).killed(step)
		b.must("run --once")
		a.must("run --once")
		assert.NotZero(t, a.ofOthers(3000)+b.ofOthers(3500), step)
		apart(t, a, b)
		for _, s := range []*site{a, b} {
			if s.counts().Counts.Release > 0 {
				s.must("audit --require-certified")
			}
			s.must("ledger check")
		}
	}
}

// TestAResetGivesBackEverybodyAtOnce while no pool is fixed, and nobody after.
func TestAResetGivesBackEverybodyAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "people")
	a, b := member(t, "a", dir, ndjson(1, 300)), member(t, "b", dir, ndjson(1, 300))
	for _, s := range []*site{a, b} {
		s.edit("level: L1}", "level: L2}\ninitial: {min_pool: 5000}")
	}
	for _, s := range []*site{a, b} {
		r := s.run("run --once")
		require.Contains(t, r.stderr, `"event":"stopped"`, r.stderr)
	}
	assert.Equal(t, 299, b.ofOthers(300), "one message is nobody's")
	old := a.read("state/anond.db")
	a.must("state reset --yes")
	a.write("state/copy.db", old)
	b.append("admissions.ndjson", ndjson(1, 300))
	b.run("run --once")
	assert.Equal(t, 299, b.ofOthers(600), "what was elsewhere before stays so")
	assert.NotEmpty(t, b.people())
	fresh := a.read("state/anond.db")
	a.write("state/anond.db", old)
	r := a.run("run --once")
	assert.Equal(t, 5, r.code, r.stderr)
	assert.Contains(t, r.stderr, "a reset has given back whom this state has")
	a.write("state/anond.db", fresh)
	a.run("run --once")
	assert.Equal(t, 299, a.ofOthers(300), "others have them now")
	apart(t, a, b)
}

// TestLedgerOfTwoProcesses: two daemons follow files of the same people in different orders, and are killed again and again, each at
// moments of its own. Nothing is lost, and nobody is in both.
func TestLedgerOfTwoProcesses(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "people")
	lines := strings.SplitAfter(strings.TrimSpace(ndjson(1, 6000))+"\n", "\n")
	back := slices.Clone(lines)
	slices.Reverse(back)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	sites := []*site{member(t, "a", dir, strings.Join(lines, "")), member(t, "b", dir, strings.Join(back, ""))}
	for _, s := range sites {
		s.edit("path: admissions.ndjson", "path: admissions.ndjson, follow: true")
		s.edit("source: {", "source: {max_records_per_second: 3000, ")
	}
	for range tier.Of(t, 2, 3, 20) {
		running := []*process{sites[0].start("run"), sites[1].start("run")}
		rng.Shuffle(2, func(i, j int) { running[i], running[j] = running[j], running[i] })
		for _, p := range running {
			if rng.IntN(4) > 0 {
				p.event("started")
			}
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			_ = p.cmd.Process.Signal(syscall.SIGKILL)
			p.wait()
		}
	}
	var sum int
	for _, s := range sites {
		s.edit(", follow: true", "")
		s.edit("max_records_per_second: 3000, ", "")
		s.must("run --once")
		s.ofOthers(6000)
		sum += len(s.people())
		if s.counts().Counts.Release > 0 { // the other one may have had everybody before this one came to read
			s.must("audit --require-certified")
		}
		s.must("ledger check")
	}
	apart(t, sites...)
	alone := newSite(t, "{type: file, file: {path: admissions.ndjson}}", "on: records, every: 400", "")
	alone.write("admissions.ndjson", strings.Join(lines, ""))
	alone.must("run --once")
	assert.GreaterOrEqual(t, sum, len(alone.people()), "somebody is in none of them")
}
