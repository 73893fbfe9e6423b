package main

import (
	"anond/incremental/state"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/internal/testkit/hospital"
	"anond/snapshot/audit"
)

// TestAuditReplay: of a daemon's state at level L2, with skipped cuts and restarts, the
// program makes all decisions again, which certifies the level; with another seed in the
// state it does not, and nothing but the replay finds that.
func TestAuditReplay(t *testing.T) {
	tier.NotShort(t, "it replays a stream several times")
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 100", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 2, level: L2}\ninitial: {min_pool: 300}")
	for _, n := range []int{1300, 1900, 2600} {
		s.write("admissions.ndjson", fewDiagnoses(ndjson(1, n)))
		s.must("run --once")
	}
	ask := func(code int) audit.Report {
		t.Helper()
		r := s.run("audit --replay 2 --require-certified --json")
		require.Equal(t, code, r.code, r.stdout+r.stderr)
		var out audit.Report
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &out))
		return out
	}
	out := ask(exitOK)
	assert.Equal(t, audit.Level{L0: "certified", L1: "certified", L2: "certified"}, out.Level)
	require.NotNil(t, out.Replay)
	assert.Equal(t, 2, out.Replay.Worlds)
	assert.Greater(t, out.Replay.Releases, 2)
	assert.NotZero(t, out.Replay.Skipped)
	text := s.must("audit --replay 1")
	assert.Contains(t, text, "L2: certified")
	assert.Contains(t, text, "the same in 1 worlds")
	assert.Contains(t, s.must("audit"), "L2: structure holds")
	noted := s.read("state/ledger.replays")
	assert.Regexp(t, `^\d+ [0-9a-f]{64} algorithm \d+ cuts \d+ worlds 1 at \S+Z\n$`, noted, "of the newest replay by an algorithm")
	assert.Contains(t, s.must("audit"), "made all decisions up to release")

	// A release that is gone is sealed, in its own files and to the replay.
	require.NoError(t, os.Rename(s.path("releases/000001"), s.path("gone")))
	out = ask(exitOK)
	assert.Equal(t, "sealed", out.Verdict)
	assert.Equal(t, audit.Level{L0: "sealed", L1: "sealed", L2: "sealed"}, out.Level)
	assert.Equal(t, []int{1}, out.Sealed.Releases)
	require.NoError(t, os.Rename(s.path("gone"), s.path("releases/000001")))

	state := s.read("state/anond.db")
	otherwise(t, s.path("state/anond.db"))
	assert.Contains(t, s.must("audit --replay 1 --require-certified"), "Audit of hospital: SEALED", "it was replayed by that program")
	require.NoError(t, os.Remove(s.path("state/ledger.replays")))
	r := s.run("audit --replay 1")
	assert.Equal(t, exitOK, r.code, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "Audit of hospital: CONSISTENT")
	assert.Contains(t, r.stdout, "are not replayable (decided by algorithm 1000)")
	assert.Contains(t, r.stdout, "WARNING: another program decided")
	assert.Equal(t, exitPrivacy, s.run("audit --replay 1 --require-certified").code)
	s.write("state/anond.db", state)

	// The values of people who are forgotten are gone; what was replayed before that is sealed.
	ask(exitOK)
	noted = s.read("state/ledger.replays")
	require.Equal(t, exitOK, s.pipe(regexp.MustCompile(`"patient":"([^"]+)"`).FindStringSubmatch(ndjson(1, 1))[1], "forget --from -").code)
	out = ask(exitOK)
	assert.Equal(t, audit.Level{L0: "certified", L1: "certified", L2: "sealed"}, out.Level)
	assert.Contains(t, s.must("audit --replay 1"), "The replay that the ledger notes covers this.")
	require.Equal(t, noted, s.read("state/ledger.replays"), "a replay that ended early is not noted")
	require.NoError(t, os.Remove(s.path("state/ledger.replays")))
	out = ask(exitPrivacy)
	assert.Equal(t, "structure holds", out.Level.L2)
	s.write("state/anond.db", state)

	reseed(t, s.path("state/anond.db"))
	out = ask(exitPrivacy)
	require.Len(t, out.Violations, 1)
	assert.Equal(t, []string{"B", "replay_differs"}, []string{out.Violations[0].Rule, out.Violations[0].Kind})
	assert.Equal(t, audit.ReplayViolated, out.Replay.Outcome)
	assert.Equal(t, audit.Level{L0: "certified", L1: "certified", L2: "violated"}, out.Level)
}

// TestAuditReplayFindsOwnValues: a publisher that shows each class the values of its own people, where
// they should stand by draw, writes files that nobody can tell from right ones. Without a replay they
// are not certified, and a replay finds them.
func TestAuditReplayFindsOwnValues(t *testing.T) {
	tier.NotShort(t, "it replays a stream several times")
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 2, level: L2}\ninitial: {min_pool: 300}")
	s.edit("release: {dir: ./releases", "release: {dir: ./releases, recoding: permutation")
	for _, n := range []int{800, 1300} {
		s.write("admissions.ndjson", fewDiagnoses(ndjson(1, n)))
		s.must("run --once")
	}
	newest, err := strconv.Atoi(strings.TrimSpace(s.read("releases/CURRENT")))
	require.NoError(t, err)
	require.Greater(t, newest, 1)
	assert.Equal(t, exitPrivacy, s.run("audit --require-certified").code)
	assert.Contains(t, s.must("audit"), "anond audit --replay shows it, with the state")
	assert.Contains(t, s.must("audit --replay 2 --require-certified"), "CERTIFIED")

	s.showOwnValues(newest)
	r := s.run("audit")
	assert.Equal(t, exitOK, r.code)
	assert.Contains(t, r.stdout, "CONSISTENT", "files and exports cannot show it")
	r = s.run("audit --replay 2 --json")
	require.Equal(t, exitPrivacy, r.code, r.stdout+r.stderr)
	var out audit.Report
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &out))
	require.Len(t, out.Violations, 1)
	assert.Equal(t, []any{"part_differs", newest}, []any{out.Violations[0].Kind, out.Violations[0].Release})
	assert.Equal(t, audit.Level{L0: "violated", L1: "violated", L2: "violated"}, out.Level)
}

// showOwnValues writes the newest part as a publisher would that gives the rows of each class the values
// of its people, with all hashes.
func (s *site) showOwnValues(release int) {
	s.t.Helper()
	s.must("state members", "--out", s.path("members.csv"))
	s.must("state records", "--out", s.path("records.csv"))
	read := func(path string) [][]string {
		rows, err := csv.NewReader(strings.NewReader(s.read(path))).ReadAll()
		require.NoError(s.t, err)
		return rows
	}
	value, records := map[string]string{}, read("records.csv")
	for _, row := range records[1:] {
		value[row[0]] = row[slices.Index(records[0], "diagnosis")]
	}
	part := fmt.Sprintf("part-%06d", release)
	own := map[string][]string{} // by number of the class
	for _, row := range read("members.csv")[1:] {
		if row[0] == strconv.Itoa(release) && row[2] == part {
			own[row[3]] = append(own[row[3]], value[row[1]])
		}
	}
	path := fmt.Sprintf("releases/%06d/%s/data.csv", release, part)
	rows, before := read(path), s.read(path)
	shown, class := slices.Index(rows[0], "diagnosis"), slices.Index(rows[0], "class")
	for _, values := range own {
		slices.Sort(values)
	}
	for _, row := range rows[1:] { // the rows of a class stand together, in the order of their values
		row[shown], own[row[class]] = own[row[class]][0], own[row[class]][1:]
	}
	var out strings.Builder
	require.NoError(s.t, csv.NewWriter(&out).WriteAll(rows))
	require.NotEqual(s.t, before, out.String())
	hash := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	manifest := fmt.Sprintf("releases/%06d/manifest.json", release)
	old := s.read(manifest)
	write := func(path, text string) {
		require.NoError(s.t, os.Remove(s.path(path)))
		require.NoError(s.t, os.WriteFile(s.path(path), []byte(text), 0o444))
	}
	write(path, out.String())
	document := fmt.Sprintf("releases/%06d/datapackage.json", release) // it names the hash, too
	described := s.read(document)
	write(document, strings.ReplaceAll(described, hash(before), hash(out.String())))
	write(manifest, strings.NewReplacer(hash(before), hash(out.String()), hash(described), hash(s.read(document))).Replace(old))
	ledger := strings.Replace(s.read("state/ledger"), hash(old), hash(s.read(manifest)), 1)
	write("state/ledger", regexp.MustCompile(`parts [0-9a-f]{64}`).ReplaceAllString(ledger, "parts "+strings.Repeat("0", 64)))
}

// fewDiagnoses makes the diagnoses so few that many classes have the same, so that draws
// decide much.
func fewDiagnoses(lines string) string {
	rng := rand.New(rand.NewPCG(1, 2))
	return regexp.MustCompile(`"diagnosis":"[^"]*"`).ReplaceAllStringFunc(lines, func(string) string {
		return fmt.Sprintf(`"diagnosis":"d%d"`, rng.IntN(4))
	})
}

// reseed gives a state another seed, as if its draws had been made with that.
func reseed(t *testing.T, path string) {
	change(t, path, func(meta state.Meta, _ state.Attempt) *state.Delta {
		meta.Seed[0] ^= 1
		return &state.Delta{Meta: &meta}
	})
}

// otherwise makes the newest cut of a state one of a program with another algorithm.
func otherwise(t *testing.T, path string) {
	change(t, path, func(_ state.Meta, a state.Attempt) *state.Delta {
		a.Algorithm = 1000
		return &state.Delta{Attempt: &a}
	})
}

// change commits something to a state.
func change(t *testing.T, path string, delta func(state.Meta, state.Attempt) *state.Delta) {
	store, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	var meta state.Meta
	var newest state.Attempt
	require.NoError(t, store.Load(state.Visitor{
		Meta:        func(m state.Meta) error { meta = m; return nil },
		Counters:    func(state.Counters) error { return nil },
		Dictionary:  func(int, string) error { return nil },
		Records:     func(*state.RecordBlock) error { return nil },
		Class:       func(*state.Class) error { return nil },
		Intent:      func(*state.Intent) error { return nil },
		Position:    func(state.Partition, state.Position) error { return nil },
		Quarantined: func([]state.RecordID) error { return nil }, Attempt: func(a *state.Attempt) error { newest = *a; return nil },
		Outbox: func(uint64, int) error { return nil },
	}))
	require.NoError(t, store.Commit(delta(meta, newest)))
	require.NoError(t, store.Close())
}

// TestStateThatKnowsLessThanTheLedgerCounted does not start, and changes nothing.
func TestStateThatKnowsLessThanTheLedgerCounted(t *testing.T) {
	s := published(t, 1300)
	whole := s.read("state/ledger")
	require.Regexp(t, ` people [1-9]\d* digests [1-9]\d*\n$`, whole)
	for _, count := range []string{"people", "digests"} {
		s.write("state/ledger", regexp.MustCompile(count+` (\d+)`).ReplaceAllString(whole, count+" 9${1}"))
		r := s.run("run --once")
		require.Equal(t, exitBehind, r.code, r.stderr)
		require.Contains(t, r.stderr, "the ledger counted 9")
	}
	s.write("state/ledger", whole)
	s.must("run --once")
	require.Equal(t, whole, s.read("state/ledger"))
}

// TestAuditReplayRefused: where there is nothing to replay, the command line is at fault.
func TestAuditReplayRefused(t *testing.T) {
	s := published(t, 1300)
	r := s.run("audit --replay 3")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "this dataset has level L1")
	assert.Equal(t, exitUsage, s.run("audit --replay 0").code)
	assert.Equal(t, exitUsage, anond(t, "audit", "--releases", s.path("releases"), "--replay", "3").code)
}

// TestAuditReplayOverGrownHierarchies: the decisions are made again, with the hierarchies
// that were valid at each of them, after those of a quasi-identifier and of the sensitive
// attribute have gained leaves.
func TestAuditReplayOverGrownHierarchies(t *testing.T) {
	tier.NotShort(t, "it replays a stream several times")
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 100", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 2, level: L2}\ninitial: {min_pool: 300}")
	s.edit("{name: diagnosis, role: sensitive, type: categorical}",
		"{name: diagnosis, role: sensitive, type: categorical, hierarchy: hierarchies/diagnosis.csv}")
	values := "d0;a;*\nd1;a;*\nd2;b;*\nd3;b;*\n"
	s.write("hierarchies/diagnosis.csv", values)
	early := fewDiagnoses(ndjson(1, 1300))
	all := fewDiagnoses(ndjson(1, 3000))
	require.True(t, strings.HasPrefix(all, early))
	s.write("admissions.ndjson", early)
	s.must("run --once")

	s.write("hierarchies/postcode.csv", hospital.Hierarchy()+"9901;99xx;9xxx;*\n")
	s.write("hierarchies/diagnosis.csv", values+"d4;b;*\n")
	late := strings.ReplaceAll(strings.TrimPrefix(all, early), `"postcode":"1101"`, `"postcode":"9901"`)
	late = regexp.MustCompile(`("age":\d*[05],[^\n]*)"d0"`).ReplaceAllString(late, `$1"d4"`)
	require.Contains(t, late, `"9901"`)
	require.Contains(t, late, `"d4"`)
	s.write("admissions.ndjson", early+late)
	before := len(s.releases())
	s.must("run --once")
	require.Greater(t, len(s.releases()), before)
	assert.Contains(t, s.must("release cat --file values.csv"), "d4", "the new value is published")

	text := s.must("audit --replay 3 --require-certified")
	assert.Contains(t, text, "L2: certified")
	assert.Contains(t, text, "the same in 3 worlds")
	reseed(t, s.path("state/anond.db"))
	assert.Equal(t, exitPrivacy, s.run("audit --replay 1").code)
}
