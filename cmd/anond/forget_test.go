package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/upkeep"
)

// forgetful is a site at level L2.
func forgetful(t *testing.T) *site {
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.atLevel("L2", "")
	return s
}

// admitted are records of somebody with marks that nobody else has.
func admitted(patient string, times int, diagnosis string) string {
	line := `{"patient":"` + patient + `","age":41,"sex":"F","postcode":"1101","admission":"planned","diagnosis":"` + diagnosis + `"}` + "\n"
	return strings.Repeat(line, times)
}

// receipt forgets somebody and returns the receipt.
func (s *site) receipt(subject string) (out upkeep.Receipt) {
	s.t.Helper()
	r := s.pipe(subject+"\n", "forget --from - --json")
	require.Equal(s.t, exitOK, r.code, r.stderr)
	require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &out))
	assert.NotContains(s.t, r.stdout+r.stderr, strings.TrimSpace(subject))
	return out
}

// subjectDigest is what the state has for the person of the first record with such values.
func (s *site) subjectDigest(values ...string) string {
	s.t.Helper()
	s.must("state records", "--out", s.path("people.csv"))
	for _, line := range strings.Split(s.read("people.csv"), "\n")[1:] {
		if fields := strings.Split(line, ","); !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(fields, v) }) {
			raw, err := hex.DecodeString(fields[2])
			require.NoError(s.t, err)
			slices.Reverse(raw) // as the state has numbers
			return string(raw)
		}
	}
	require.Fail(s.t, "there is no such record")
	return ""
}

// addsUp requires that the counts of the newest status add up, and returns how many are forgotten.
func (s *site) addsUp(sent int) uint64 {
	s.t.Helper()
	c := s.counts().Counts
	require.Equal(s.t, sent, int(c.Sent))
	require.Equal(s.t, c.Sent, c.Accounted())
	return c.Forgotten
}

// TestForget follows a dataset in which people are forgotten: one who is published and has a
// repeat, one who waits, one whom the state does not know yet. Releases go on and stay certified;
// an older state forgets again.
func TestForget(t *testing.T) {
	t.Parallel()
	s := forgetful(t)
	first := admitted("P-published", 2, "influenza") + ndjson(1, 2000)
	s.write("admissions.ndjson", first)
	s.must("run --once")
	first += admitted("P-waiting", 1, "influenza") + admitted("P-waiting", 1, "canary-diagnosis")
	s.write("admissions.ndjson", first)
	s.must("run --once")
	assert.Zero(t, s.addsUp(2004))
	assert.Contains(t, s.read("state/anond.db"), "canary-diagnosis")
	s.must("state backup --out " + s.path("before.db"))
	members := func() string {
		_ = os.Remove(s.path("members.csv"))
		s.must("state members", "--out", s.path("members.csv"))
		return s.read("members.csv")
	}
	was := strings.Count(members(), "\n")
	published, release := s.counts().Counts.Published, s.counts().Counts.Release

	digest := s.subjectDigest("influenza", "41")
	require.Contains(t, s.read("state/anond.db"), digest)
	x := s.receipt("  P-published ") // as decoders clean it
	assert.False(t, x.Before)
	assert.Equal(t, 1, x.Removed.Published)
	assert.Equal(t, 1, x.Removed.Unpublished, "the repeat")
	assert.Positive(t, x.Removed.Unlinked)
	assert.Equal(t, 1, int(x.Removed.First))
	assert.Equal(t, release, x.Removed.Last, "these releases show the row: whoever has one is told")
	assert.Equal(t, upkeep.FatePublished, x.Fate)
	assert.NotEmpty(t, x.Remains)
	y := s.receipt("P-waiting")
	assert.Equal(t, [2]int{0, 2}, [2]int{y.Removed.Published, y.Removed.Unpublished})
	assert.Equal(t, upkeep.FateWaited, y.Fate)
	z := s.receipt("P-later")
	assert.Zero(t, z.Removed.Published+z.Removed.Unpublished)
	assert.Equal(t, upkeep.FateUnknown, z.Fate)
	for _, p := range []string{"P-later", "P-published", "P-waiting"} {
		again := s.receipt(p)
		assert.True(t, again.Before)
		assert.Equal(t, upkeep.FateBefore, again.Fate)
	}
	assert.Contains(t, s.must("forget", "P-published"), "the receipt of then says which releases")
	assert.NotContains(t, s.read("state/anond.db"), "canary-diagnosis")
	assert.NotContains(t, s.read("state/anond.db"), digest)
	s.must("state check")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	assert.Equal(t, was, strings.Count(members(), "\n"), "no row leaves")

	second := first + admitted("P-later", 1, "asthma") + admitted("P-published", 1, "asthma") +
		admitted("P-waiting", 1, "canary-diagnosis") + strings.TrimPrefix(ndjson(1, 4000), ndjson(1, 2000))
	s.write("admissions.ndjson", second)
	s.must("run --once")
	assert.EqualValues(t, 6, s.addsUp(4007), "three that waited, three that came later; none is a dead letter")
	assert.Greater(t, s.counts().Counts.Published, published)
	assert.NotContains(t, s.read("dead-letter/dead-letter.ndjson"), "P-waiting")
	require.NoError(t, os.Remove(s.path("members.csv")))
	s.certified(s.counts().Newest.Release)
	assert.NotContains(t, s.read("state/anond.db"), "canary-diagnosis")
	assert.Contains(t, s.must("status"), "+ 6 forgotten")
	s.must("release verify")
	s.must("state check")
	assert.Contains(t, s.must("audit --replay 1"), "Not replayed: people were forgotten, so the cuts over more than 0 records")
}

// TestForgetAfterRestore: a state from before an erasure forgets again at its start, before it
// takes any record; so does one that a killed erasure left.
func TestForgetAfterRestore(t *testing.T) {
	t.Parallel()
	s := forgetful(t)
	first := admitted("P-published", 2, "influenza") + ndjson(1, 2000)
	s.write("admissions.ndjson", first)
	s.must("run --once")
	s.must("state backup --out " + s.path("before.db"))
	s.receipt("P-published")
	after := s.read("state/anond.db")
	s.must("state restore --from " + s.path("before.db"))
	require.NotEqual(t, after, s.read("state/anond.db"))
	s.write("admissions.ndjson", first+admitted("P-published", 1, "asthma")+strings.TrimPrefix(ndjson(1, 3000), ndjson(1, 2000)))
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, "forgotten_again")
	assert.EqualValues(t, 2, s.addsUp(3003))
	s.certified(s.counts().Newest.Release)
	assert.NotContains(t, s.run("run --once").stderr, "forgotten_again")

	// A lost list is written again; one of another state is refused, and so is a damaged one.
	list := s.read("state/ledger.forgotten")
	require.NoError(t, os.Remove(s.path("state/ledger.forgotten")))
	s.must("run --once")
	assert.Equal(t, list, s.read("state/ledger.forgotten"))
	s.write("state/ledger.forgotten", strings.Replace(list, list[20:24], "0000", 1))
	assert.Equal(t, exitBehind, s.run("run --once").code)
	assert.Equal(t, exitBehind, s.pipe("P-x", "forget --from -").code)
	s.write("state/ledger.forgotten", list[:30])
	assert.Equal(t, exitFailed, s.run("run --once").code)
}

// TestForgetIsInterrupted: an erasure that ends at any of its steps leaves the state as it was or
// one that has forgotten, and the next start completes it once the list is written.
func TestForgetIsInterrupted(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	steps := []string{"planned", "listed", "written", "complete", "replaced", "done"}
	reached := func(step, by string) bool { return slices.Index(steps, step) >= slices.Index(steps, by) }
	for _, step := range steps {
		s := forgetful(t)
		s.write("admissions.ndjson", admitted("P-published", 2, "influenza")+ndjson(1, 1000))
		s.must("run --once")
		before := s.read("state/anond.db")
		cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
		require.NoError(t, err)
		_, err = upkeep.Forget(t.Context(), cfg, dataset.Options{StandIns: dataset.StandIns{Forgetting: func(at string) error {
			if at == step {
				return killed
			}
			return nil
		}}}, []byte("P-published"))
		require.ErrorIs(t, err, killed)
		listed, _ := filepath.Glob(s.path("state/ledger.forgotten"))
		assert.Equal(t, step != "planned", len(listed) == 1, step)
		assert.Equal(t, !reached(step, "replaced"), before == s.read("state/anond.db"), step)
		s.write("state/.anond.db.forget.incomplete", "half a file") // what a killed process leaves
		s.write("state/anond.db.forget", "half a file")
		r := s.run("run --once")
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.Equal(t, reached(step, "listed") && !reached(step, "replaced"), strings.Contains(r.stderr, "forgotten_again"), step)
		want := uint64(1)
		if step == "planned" {
			want = 0
		}
		assert.Equal(t, want, s.addsUp(1002), step)
		assert.Equal(t, step != "planned", s.receipt("P-published").Before)
		assert.EqualValues(t, 0, s.receipt("P-published").Removed.Published)
		assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	}
}

// TestForgetRefuses: what cannot be done changes nothing, and no error repeats a subject.
func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	s := forgetful(t)
	s.edit("release: {dir: ./releases", "release: {dir: ./releases, recoding: anatomy")
	s.write("admissions.ndjson", ndjson(1, 1000))
	s.must("run --once")
	for _, x := range []struct {
		args []string
		in   string
		code int
	}{
		{nil, "", exitUsage},
		{[]string{"P-canary", "P-canary"}, "", exitUsage},
		{[]string{"-P-canary"}, "", exitUsage},
		{[]string{"P-canary", "--from", "-"}, "P-canary", exitUsage},
		{[]string{"--from", "-"}, "", exitUsage},
		{[]string{"--from", "-"}, "P-canary\nP-canary\n", exitUsage},
		{[]string{"--from", "nowhere"}, "", exitFailed},
	} {
		r := s.pipe(x.in, "forget", x.args...)
		assert.Equal(t, x.code, r.code, "%v: %s", x.args, r.stderr)
		assert.NotContains(t, r.stdout+r.stderr, "P-canary")
	}
	first, _, _ := strings.Cut(s.read("admissions.ndjson"), `","age"`)
	r := s.pipe(strings.TrimPrefix(first, `{"patient":"`), "forget --from -")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "release.recoding is anatomy")
	assert.NoFileExists(t, s.path("state/ledger.forgotten"))
	held, err := boltstore.Open(s.path("state/anond.db"), boltstore.Options{})
	require.NoError(t, err)
	r = s.pipe("P-canary", "forget --from -")
	assert.Equal(t, exitLocked, r.code)
	assert.Contains(t, r.stderr, "hint: stop the other process")
	require.NoError(t, held.Close())
	r = s.run("forget P-canary")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.NotContains(t, r.stdout+r.stderr, "P-canary")
	assert.Contains(t, r.stdout, "nothing: the state has no record of the person")
}

// TestForgetAtLevelL1: at level L1 with regrouping the classes of forgotten people are closed, and
// releases go on, certified.
func TestForgetAtLevelL1(t *testing.T) {
	tier.NotShort(t, "it starts the program many times")
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	s.write("admissions.ndjson", admitted("P-published", 2, "influenza")+ndjson(1, 2000))
	s.must("run --once")
	people := map[string]bool{}
	for _, line := range strings.Split(ndjson(1, 2000), "\n") {
		if _, id, found := strings.Cut(line, `"patient":"`); found && len(people) < 40 {
			id, _, _ = strings.Cut(id, `"`)
			people[id] = true
		}
	}
	rows := 0
	for _, id := range slices.Sorted(maps.Keys(people)) {
		x := s.receipt(id)
		rows += x.Removed.Published
	}
	require.Greater(t, rows, 20)
	for n := 3000; n <= 6000; n += 1000 {
		s.write("admissions.ndjson", admitted("P-published", 2, "influenza")+ndjson(1, n))
		s.must("run --once")
		assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
		s.must("state check")
		s.must("release verify")
		assert.Positive(t, s.addsUp(n+2))
	}
	assert.True(t, s.receipt(slices.Sorted(maps.Keys(people))[0]).Before)
}

// TestForgetWaitsForNobody: a terminal at which nobody types does not hold the command after a
// signal, and nothing is forgotten.
func TestForgetWaitsForNobody(t *testing.T) {
	s := forgetful(t)
	never, typed := io.Pipe()
	defer typed.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"forget", "--from", "-", "-c", s.config},
			cli.Env{Stdin: never, Stdout: io.Discard, Stderr: io.Discard, Lookup: os.LookupEnv})
	}()
	stop()
	select {
	case code := <-ended:
		require.NotEqual(t, exitOK, code)
	case <-time.After(patience):
		require.Fail(t, "the command waits on")
	}
}
