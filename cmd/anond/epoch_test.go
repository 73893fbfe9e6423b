package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/cmd/anond/internal/daemon"
	"anond/cmd/anond/internal/hospital"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/snapshot"
)

// epochKilledAt is the step behind which the end or the beginning of an epoch in a child process is killed.
const epochKilledAt = "ANOND_TEST_EPOCH_KILLED_AT"

// epochSite is a dataset with a subject.key, which reads a file.
func epochSite(t *testing.T, level string) *site {
	t.Helper()
	s := newSite(t, "{type: file, format: json, file: {path: in.ndjson}}", "on: update, min_interval: 1s", "")
	s.edit("level: L1", "level: "+level)
	s.edit("policy:", "subject: {key: \""+subjectSecret+"\"}\npolicy:")
	return s
}

// admissionLines are lines of so many people.
func admissionLines(t *testing.T, feed *hospital.Stream, people int) string {
	t.Helper()
	var out strings.Builder
	for range people {
		line, err := json.Marshal(feed.Next())
		require.NoError(t, err)
		out.Write(append(line, '\n'))
	}
	return out.String()
}

// closes closes the epoch of a site and returns its handover.
func (s *site) closes(waiting string) (string, daemon.Closing) {
	s.t.Helper()
	out := filepath.Join(s.dir, "handover.db")
	r := s.run("epoch close --json --waiting "+waiting, "--out", out)
	require.Equal(s.t, exitOK, r.code, r.stderr)
	var done daemon.Closing
	require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &done))
	return out, done
}

// begins begins the epoch of a site.
func (s *site) begins(more ...string) daemon.Beginning {
	s.t.Helper()
	r := s.run("epoch begin --json", more...)
	require.Equal(s.t, exitOK, r.code, r.stderr)
	var done daemon.Beginning
	require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &done))
	return done
}

// exported makes the private exports of a site.
func (s *site) exported() string {
	s.t.Helper()
	dir := s.t.TempDir()
	for _, what := range []string{"members", "records"} {
		r := s.run("state "+what, "--out", filepath.Join(dir, what+".csv"))
		require.Equal(s.t, exitOK, r.code, r.stderr)
	}
	return dir
}

// auditEpochs audits the releases of sites, oldest first.
func auditEpochs(t *testing.T, sites []*site, exports []string) result {
	t.Helper()
	last := len(sites) - 1
	args := []string{"audit", "--releases", sites[last].path("releases"), "--ledger", sites[last].path("state/ledger"),
		"--members", filepath.Join(exports[last], "members.csv"), "--records", filepath.Join(exports[last], "records.csv"), "--require-certified"}
	for i, s := range sites[:last] {
		args = append(args, "--earlier", s.path("releases"), "--earlier-exports", exports[i])
	}
	return anond(t, args...)
}

// TestEpochs: three epochs at each level. Everybody is published once, who waits is read again, who was forgotten
// stays so, a closed epoch publishes no more, also from a copy, and the auditor certifies all together.
func TestEpochs(t *testing.T) {
	tier.NotShort(t, "it runs three daemons")
	t.Parallel()
	for _, level := range []string{"L1", "L2"}[:tier.Of(t, 1, 2, 2)] {
		t.Run(level, func(t *testing.T) {
			feed := hospital.New(16)
			input := admissionLines(t, feed, 1200)
			first := epochSite(t, level)
			first.write("in.ndjson", input)
			first.once(exitOK)
			few := admissionLines(t, feed, 2) // who wait
			first.append("in.ndjson", few)
			first.once(exitOK)
			input += few
			var gone struct{ Patient string }
			require.NoError(t, json.NewDecoder(strings.NewReader(input)).Decode(&gone))
			require.Equal(t, exitOK, first.run("forget", gone.Patient).code)

			r := first.run("epoch close", "--out", first.path("handover.db"))
			require.Equal(t, exitFailed, r.code)
			require.Contains(t, r.stderr, "people wait who were never published")
			first.once(exitOK)
			require.Equal(t, exitOK, first.run("state backup", "--out", first.path("copy.db")).code)
			was := first.status().Counts
			handover, done := first.closes("reread")
			require.Equal(t, daemon.Closing{Dataset: done.Dataset, Epoch: 1, Release: done.Release, Handover: handover, People: done.People,
				Waiting: done.Waiting}, done)
			require.Positive(t, done.Waiting)
			require.Positive(t, done.Release)

			for _, command := range []string{"run --once", "state reset --yes", "dlq replay"} {
				r := first.run(command)
				require.Equal(t, exitConfig, r.code, command+r.stderr)
				require.Contains(t, r.stderr, "the epoch of the state is closed")
			}
			require.Equal(t, exitOK, first.run("state restore", "--from", first.path("copy.db")).code)
			require.Contains(t, first.once(exitConfig).stderr, "the epoch of the state is closed", "a copy of before")
			require.NoError(t, os.Remove(handover))
			again, repeated := first.closes("reread")
			require.Equal(t, done, repeated)

			second := epochSite(t, level)
			second.write("in.ndjson", input+admissionLines(t, feed, 900))
			begun := second.begins("--from", again)
			require.Equal(t, daemon.Beginning{Dataset: done.Dataset, Epoch: 2, State: begun.State, People: done.People,
				Waiting: done.Waiting}, begun)
			begun = second.begins("--from", again)
			require.True(t, begun.Before)
			second.once(exitOK)
			now := second.status().Counts
			require.Equal(t, 2102, int(now.Sent+now.Ignored[incremental.ReasonEarlier]))
			require.GreaterOrEqual(t, now.Ignored[incremental.ReasonEarlier], uint64(was.Published))
			require.Positive(t, now.Forgotten, "who was forgotten in the first epoch is blocked in the second")
			require.Positive(t, now.Published)
			var arrival daemon.Arrival
			require.NoError(t, json.Unmarshal([]byte(second.must("epoch check --json --from "+again)), &arrival))
			require.Equal(t, daemon.Arrival{Waiting: done.Waiting, Here: done.Waiting}, arrival)
			r = second.run("forget --json", gone.Patient)
			require.Equal(t, exitOK, r.code, r.stderr)
			require.NotContains(t, r.stdout, "in an earlier epoch", "the first epoch does not know the person any more")

			third := epochSite(t, level)
			third.write("in.ndjson", second.read("in.ndjson")+admissionLines(t, feed, 600))
			handover, done = second.closes("never")
			require.Zero(t, done.Waiting)
			require.Equal(t, 3, third.begins("--from", handover).Epoch)
			third.once(exitOK)
			require.Positive(t, third.status().Counts.Published)

			sites := []*site{first, second, third}
			exports := []string{first.exported(), second.exported(), third.exported()}
			r = auditEpochs(t, sites, exports)
			require.Equal(t, exitOK, r.code, r.stdout+r.stderr)
			require.Contains(t, r.stdout, "CERTIFIED")
			require.Contains(t, r.stdout, "This is epoch 3.")
			require.Contains(t, r.stdout, "different people are published in all of them together.")
			for _, s := range sites {
				s.must("release verify")
				s.must("state check")
			}
			r = third.run("audit")
			require.Equal(t, exitOK, r.code)
			require.Contains(t, r.stdout, "that nobody was published in an earlier epoch, too: this is epoch 3")
			require.Equal(t, exitPrivacy, auditEpochs(t, sites[1:], exports[1:]).code, "the first epoch is missing")
			// Of a person of the first epoch the third one says where to forget, and the closed one forgets.
			var late struct{ Patient string }
			require.NoError(t, json.Unmarshal([]byte(strings.Split(input, "\n")[7]), &late))
			require.Contains(t, third.run("forget", late.Patient).stdout, "epoch 1, shard 0 of 1")
			r = first.run("forget --json", late.Patient)
			require.Equal(t, exitOK, r.code, r.stderr)
			require.Contains(t, r.stdout, "records of the person in a later epoch")
			require.Contains(t, first.once(exitConfig).stderr, "is closed")
			breaks(t, sites[:2], exports[:2])
		})
	}
}

// breaks damages what joins two epochs: the auditor finds each.
func breaks(t *testing.T, sites []*site, exports []string) {
	t.Helper()
	r := auditEpochs(t, sites, exports)
	require.Equal(t, exitOK, r.code, r.stdout+r.stderr)
	swapped := auditEpochs(t, []*site{sites[1], sites[0]}, []string{exports[1], exports[0]})
	require.Equal(t, exitPrivacy, swapped.code)
	require.Contains(t, swapped.stdout, "do not continue the epoch before")
	// The exports of the second epoch with people of the first one.
	lines := func(dir string) []string {
		text, err := os.ReadFile(filepath.Join(dir, "records.csv"))
		require.NoError(t, err)
		return strings.Split(string(text), "\n")
	}
	published := func(dir string) map[string]bool {
		text, err := os.ReadFile(filepath.Join(dir, "members.csv"))
		require.NoError(t, err)
		out := map[string]bool{}
		for _, line := range strings.Split(string(text), "\n")[1:] {
			if cells := strings.Split(line, ","); len(cells) > 1 {
				out[cells[1]] = true
			}
		}
		return out
	}
	subject := 2
	named := func(dir string) (row int, digest string) {
		members := published(dir)
		for i, line := range lines(dir)[1:] {
			if cells := strings.Split(line, ","); len(cells) > subject && members[cells[0]] && strings.Contains(cells[subject], ":") {
				return i + 1, cells[subject]
			}
		}
		require.Fail(t, "nobody is published")
		return 0, ""
	}
	_, old := named(exports[0])
	row, own := named(exports[1])
	records := lines(exports[1])
	records[row] = strings.Replace(records[row], own, old, 1)
	forged := t.TempDir()
	require.NoError(t, os.CopyFS(forged, os.DirFS(exports[1])))
	require.NoError(t, os.WriteFile(filepath.Join(forged, "records.csv"), []byte(strings.Join(records, "\n")), 0o600))
	twice := auditEpochs(t, sites, []string{exports[0], forged})
	require.Equal(t, exitPrivacy, twice.code)
	require.Contains(t, twice.stdout, "a subject is published in two epochs")
}

// TestEpochRefusals: what does not fit together is refused, and nothing is begun.
func TestEpochRefusals(t *testing.T) {
	tier.NotShort(t, "it runs a daemon")
	t.Parallel()
	feed := hospital.New(16)
	first := epochSite(t, "L1")
	first.write("in.ndjson", admissionLines(t, feed, 700))
	first.once(exitOK)
	first.append("in.ndjson", admissionLines(t, feed, 2))
	first.once(exitOK)
	handover, done := first.closes("reread")
	require.Positive(t, done.Waiting)
	for _, c := range []struct {
		says string
		code int
		more []string
		edit func(s *site)
	}{
		{says: "another dataset", code: exitConfig, edit: func(s *site) { s.edit("dataset: ", "dataset: other-") }},
		{says: "another subject.key", code: exitConfig, edit: func(s *site) { s.edit(subjectSecret, strings.Repeat("ab", 32)) }},
		{says: "subject.key is not set", code: exitConfig, edit: func(s *site) { s.edit("subject: {key: \""+subjectSecret+"\"}\n", "") }},
		{says: "other sensitive values were valid", code: exitConfig, edit: func(s *site) {
			s.write("hierarchies/diagnosis.csv", "angina;*\nflu;*\nstroke;*\n")
			s.edit("role: sensitive, type: categorical", "role: sensitive, type: categorical, hierarchy: hierarchies/diagnosis.csv")
		}},
		{says: "policy.level is L2", code: exitConfig, edit: func(s *site) { s.edit("level: L1", "level: L2") }},
		{says: "a second one of shard 0", code: exitConfig, more: []string{"--from", handover}, edit: func(*site) {}},
		{says: "leave out --partitions", code: exitConfig, more: []string{"--partitions", "4"}, edit: func(*site) {}},
		{says: "file already exists", code: exitFailed, edit: func(s *site) {
			s.write("in.ndjson", admissionLines(t, hospital.New(3), 5))
			s.once(exitOK)
		}},
		{says: "is closed", code: exitConfig, edit: func(s *site) { s.write("state/ledger.closed", "{}") }},
		{says: "not what anond epoch close has written", code: exitFailed, more: []string{"--from", first.path("state/anond.db")},
			edit: func(*site) {}},
		{says: "from before the epoch begins", code: exitConfig, edit: func(s *site) {
			s.edit("path: ./state/anond.db", "path: ./state/anond.db, backup: {dir: ./copies}")
			s.write("copies/"+done.Dataset+"-20260101T000000Z-r000001.db", "")
		}},
		{says: "the ledger", code: exitBehind, edit: func(s *site) { s.write("state/ledger", "1 "+strings.Repeat("0", 64)+"\n") }},
	} {
		s := epochSite(t, "L1")
		c.edit(s)
		r := s.run("epoch begin", append([]string{"--from", handover}, c.more...)...)
		require.Equal(t, c.code, r.code, c.says+": "+r.stderr)
		require.Contains(t, r.stderr, c.says)
		require.NoFileExists(t, s.path("state/ledger.epoch"), c.says)
	}
	// Who waited at level L1 is not read at level L2, whatever was written while the epoch began, and in no later epoch.
	bound := epochSite(t, "L1")
	bound.begins("--from", handover)
	bound.edit("level: L1", "level: L2")
	bound.write("in.ndjson", admissionLines(t, hospital.New(3), 5))
	r := bound.once(exitConfig)
	require.Contains(t, r.stderr, "policy.level")
	bound.edit("level: L2", "level: L1")
	bound.write("in.ndjson", "")
	bound.once(exitOK)
	owing, of := bound.closes("reread")
	require.Zero(t, of.Waiting, "they have not come")
	third := epochSite(t, "L2")
	r = third.run("epoch begin", "--from", owing)
	require.Equal(t, exitConfig, r.code, r.stderr)
	require.Contains(t, r.stderr, "had to read people again")
	// Nor does an epoch that has begun take the same handover with another choice about who waits.
	begun := epochSite(t, "L1")
	begun.begins("--from", handover)
	kept := filepath.Join(t.TempDir(), "kept.db")
	require.NoError(t, os.Rename(handover, kept))
	never, _ := first.closes("never")
	r = begun.run("epoch begin", "--from", never)
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.stderr, "file already exists")
	require.NoError(t, os.Rename(kept, handover))
	// A state that was begun anew without its people is refused, and so is a handover in the place of a state.
	s := epochSite(t, "L1")
	s.begins("--from", handover)
	require.NoError(t, os.Remove(s.path("state/anond.db")))
	s.write("in.ndjson", admissionLines(t, hospital.New(3), 5))
	require.Contains(t, s.once(exitBehind).stderr, "does not know them")
	text, err := os.ReadFile(handover)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.path("state/anond.db"), text, 0o600))
	require.Contains(t, s.once(exitConfig).stderr, "no state")
	// What would be lost comes first; a state under a lock is left alone.
	require.Equal(t, exitUsage, s.run("epoch close --out x --waiting later").code)
	require.Equal(t, exitFailed, first.run("epoch close --waiting never", "--out", handover).code, "the file is there")
}

// TestEpochBehindValuesThatGrew: whoever was refused for a value that is valid since would come again in the next epoch,
// so an epoch in which that happened has none.
func TestEpochBehindValuesThatGrew(t *testing.T) {
	s := epochSite(t, "L1")
	s.write("hierarchies/diagnosis.csv", "flu;*\ncold;*\nasthma;*\n")
	s.edit("role: sensitive, type: categorical", "role: sensitive, type: categorical, hierarchy: hierarchies/diagnosis.csv")
	s.edit("{k: 5, l: 3,", "{k: 3, l: 3,")
	people := func(from int, values ...string) (out string) {
		for i, v := range values {
			out += fmt.Sprintf(`{"patient":"p%d","age":%d,"sex":"f","postcode":"1101","admission":"a","diagnosis":%q}`+"\n", from+i, 30+i, v)
		}
		return out
	}
	s.write("in.ndjson", people(0, "flu", "cold", "asthma", "angina"))
	s.once(exitOK)
	require.EqualValues(t, 1, s.counts().Counts.DeadLetter)
	s.write("hierarchies/diagnosis.csv", "flu;*\ncold;*\nasthma;*\nangina;*\n")
	s.append("in.ndjson", people(4, "flu", "angina", "cold"))
	s.once(exitOK)
	r := s.run("epoch close --waiting reread", "--out", s.path("handover.db"))
	require.Equal(t, exitConfig, r.code, r.stderr)
	require.Contains(t, r.stderr, "has grown in this epoch")
	require.NoFileExists(t, s.path("handover.db"))
	require.NoFileExists(t, s.path("state/ledger.closed"))
}

// TestEpochKilledAtEachStep kills real processes behind each step of the end and of the beginning. Repeated, they
// end where others do, and in between neither epoch publishes.
func TestEpochKilledAtEachStep(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	killed := func(s *site, step string, args ...string) {
		cmd := exec.CommandContext(t.Context(), program, append(args, "-c", s.config)...)
		cmd.Env = append(os.Environ(), childVariable+"=1", epochKilledAt+"="+step)
		err := cmd.Run()
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended, step)
		require.Equal(t, syscall.SIGKILL, ended.Sys().(syscall.WaitStatus).Signal(), step)
	}
	whole := epochSite(t, "L1")
	feed := hospital.New(16)
	whole.write("in.ndjson", admissionLines(t, feed, 700))
	whole.once(exitOK)
	whole.append("in.ndjson", admissionLines(t, feed, 2))
	whole.once(exitOK)
	var want []byte
	for _, step := range []string{"checked", "ledger", "releases", "state", "handover"} {
		s := epochSite(t, "L1")
		require.NoError(t, os.RemoveAll(s.dir))
		require.NoError(t, os.CopyFS(s.dir, os.DirFS(whole.dir)))
		out := s.path("handover.db")
		killed(s, step, "epoch", "close", "--waiting", "reread", "--out", out)
		r := s.run("run --once")
		if step == "checked" {
			require.Equal(t, exitOK, r.code, r.stderr)
		} else {
			require.Equal(t, exitConfig, r.code, step)
		}
		if step != "handover" {
			require.NoFileExists(t, out)
			s.closes("reread")
		}
		have, err := os.ReadFile(out)
		require.NoError(t, err)
		if want == nil {
			want = have
		}
		require.True(t, bytes.Equal(want, have), "the same handover: %s", step)
		for _, step := range []string{"checked", "ledger", "state"} {
			next := epochSite(t, "L1")
			next.write("in.ndjson", s.read("in.ndjson")+admissionLines(t, hospital.New(17), 300))
			killed(next, step, "epoch", "begin", "--from", out)
			require.Equal(t, step == "state", next.begins("--from", out).Before)
			next.once(exitOK)
			require.Positive(t, next.status().Counts.Ignored[incremental.ReasonEarlier])
		}
	}
}

// TestEpochOfOtherShards: two shards are closed, and three begin on the same topic, of whom each knows the people
// that lead to it; then one process on a topic of other partitions, which knows all. Nobody is published twice, nobody is
// lost, and unions of both epochs are certified together.
func TestEpochOfOtherShards(t *testing.T) {
	tier.NotShort(t, "it runs six shards")
	t.Parallel()
	const partitions = 6
	p := newShardedTopic(t, kfake.SeedTopics(partitions, "admissions"))
	stream := hospital.New(3)
	p.send("admissions", stream, 3000, func(int, *kgo.Record) {})
	top := t.TempDir()
	sharded := func(epoch, index, of int) *site {
		s := p.shard("admissions", index, of, "subject")
		s.edit("dir: ./releases", fmt.Sprintf("dir: %s/%d/shards/%d", top, epoch, index))
		return s
	}
	var from []string
	var waiting uint64
	var published uint64
	unite := func(epoch, shards int) {
		r := anond(t, "union", "--dir", fmt.Sprintf("%s/%d", top, epoch), "--shards", fmt.Sprint(shards), "--once", "--ledger",
			fmt.Sprintf("%s/ledger-%d", top, epoch))
		require.Equal(t, exitOK, r.code, r.stderr)
	}
	exports := func(epoch int, shards []*site) string {
		dir := filepath.Join(top, fmt.Sprintf("exports-%d", epoch))
		for i, s := range shards {
			to := filepath.Join(dir, fmt.Sprintf("shard-%d", i))
			require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
			require.NoError(t, os.CopyFS(to, os.DirFS(s.exported())))
		}
		return dir
	}
	var first, second []*site
	for i := range 2 {
		s := sharded(1, i, 2)
		s.once(exitOK)
		published += uint64(s.status().Counts.Published)
		handover, done := s.closes("reread")
		from, first, waiting = append(from, "--from", handover), append(first, s), waiting+done.Waiting
	}
	unite(1, 2)
	lone := sharded(2, 0, 3)
	r := lone.run("epoch begin", from[:2]...)
	require.Equal(t, exitConfig, r.code)
	require.Contains(t, r.stderr, "that of shard 1 of 2 is missing")

	p.send("admissions", stream, 3000, func(int, *kgo.Record) {})
	var here, people, earlier uint64
	for i := range 3 {
		s := sharded(2, i, 3)
		begun := s.begins(append(from, "--partitions", fmt.Sprint(partitions))...)
		require.Equal(t, waiting, begun.Waiting)
		people += begun.People
		s.once(exitOK)
		earlier += s.status().Counts.Ignored[incremental.ReasonEarlier]
		var arrival daemon.Arrival
		require.NoError(t, json.Unmarshal([]byte(s.run("epoch check --json", from...).stdout), &arrival))
		require.Zero(t, arrival.Twice)
		here += arrival.Here
		second = append(second, s)
	}
	require.Equal(t, waiting, here, "nobody who waited is lost")
	require.Equal(t, published, people, "each person is known to one shard")
	require.GreaterOrEqual(t, earlier, published)
	unite(2, 3)
	all := filepath.Join(top, "2")
	r = anond(t, "audit", "--releases", all, "--ledger", filepath.Join(top, "ledger-2"), "--exports", exports(2, second),
		"--require-certified", "--earlier", filepath.Join(top, "1"), "--earlier-exports", exports(1, first))
	require.Equal(t, exitOK, r.code, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "This is epoch 2.")
	m, err := snapshot.Show(snapshot.OS(), all, 0)
	require.NoError(t, err)
	require.Equal(t, 2, m.Epoch.Number)
	require.Len(t, m.Epoch.Earlier, 2)

	// A shard that was told of its own people alone does not become another one.
	s := p.shard("admissions", 0, 3, "subject")
	s.begins(append(from, "--partitions", fmt.Sprint(partitions))...)
	for was, is := range map[string]string{"index: pod-0, of: 3": "index: pod-1, of: 3", "of: 3": "of: 2"} {
		s.edit(was, is)
		assert.Contains(t, s.once(exitConfig).stderr, "people of earlier epochs would not be known", is)
		s.edit(is, was)
	}
	// One process that knows everybody may read a topic of other partitions.
	other := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	other.send("admissions", hospital.New(3), 100, func(int, *kgo.Record) {})
	s = other.shard("admissions", 0, 1, "subject")
	require.Equal(t, published, s.begins(from...).People)
	s.once(exitOK)
	require.Positive(t, s.status().Counts.Ignored[incremental.ReasonEarlier])
}

// TestEpochOnOtherPartitions: a shard that was told of its own people alone stops on a topic of fewer partitions, with
// a journal too.
func TestEpochOnOtherPartitions(t *testing.T) {
	tier.Heavy(t, "a source waits for half a minute before it believes that a topic has fewer partitions")
	t.Parallel()
	const partitions = 6
	p := newShardedTopic(t, kfake.SeedTopics(partitions, "admissions"))
	p.send("admissions", hospital.New(3), 1000, func(int, *kgo.Record) {})
	first := p.shard("admissions", 0, 1, "subject")
	first.once(exitOK)
	handover, _ := first.closes("reread")

	other := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	other.send("admissions", hospital.New(3), 100, func(int, *kgo.Record) {})
	require.NoError(t, other.cluster.CreateTopic(journalTopic, 3, keptTopic)) // who has a journal counts them before
	for name, shard := range map[string]func() *site{
		"alone":        func() *site { return other.shard("admissions", 0, 3, "subject") },
		"with journal": func() *site { return other.journaled(0, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shard()
			s.t = t
			s.begins("--from", handover, "--partitions", fmt.Sprint(partitions))
			assert.Contains(t, s.once(exitConfig).stderr, "has 4 partitions, and had 6")
		})
	}
}
