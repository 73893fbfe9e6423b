package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
	"anond/internal/testkit/programtest"
)

const journalTopic = "anond.journal"

// keptTopic are the settings of a topic that loses nothing.
var keptTopic = map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}

// journaled is a shard that keeps a journal.
func (p *shardedTopic) journaled(index, of int) *site {
	p.t.Helper()
	s := p.shard("admissions", index, of, "subject")
	s.edit("key: subject}", "key: subject, journal: {topic: "+journalTopic+"}}")
	s.edit("path: ./state/anond.db", "path: ./state/anond.db, backup: {dir: ./copies, min_interval: 1000h, keep: 1}")
	return s
}

// beginning is the backup that was made when the journal began; empty: there is none.
func (s *site) beginning() string {
	s.t.Helper()
	found, err := filepath.Glob(s.path("copies/*-beginning.db"))
	require.NoError(s.t, err)
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// coldFrom puts the oldest backup of another host in place, which has the seed and no records.
func (s *site) coldFrom(first *site) {
	s.t.Helper()
	require.NotEmpty(s.t, first.beginning())
	require.Contains(s.t, s.must("state restore --json --from "+first.beginning()), `"records": 0,`)
}

// elsewhere is a host with the configuration of a site and copies of some of its files.
func (s *site) elsewhere(files ...string) *site {
	s.t.Helper()
	other := &site{t: s.t, dir: programtest.TempDir(s.t)}
	other.config = filepath.Join(other.dir, "anond.yaml")
	for _, name := range append(files, "anond.yaml", "hierarchies") {
		if info, err := os.Stat(s.path(name)); err == nil && info.IsDir() {
			require.NoError(s.t, os.CopyFS(other.path(name), os.DirFS(s.path(name))))
			continue
		}
		other.write(name, s.read(name))
	}
	return other
}

// bytes are all files of the releases, as they are.
func (s *site) bytes() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	require.NoError(s.t, filepath.WalkDir(s.path("releases"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, s.path("releases"))] = string(text)
		return err
	}))
	return out
}

func (s *site) sameReleases(want map[string]string) {
	s.t.Helper()
	got := s.bytes()
	require.Equal(s.t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for name := range want {
		require.True(s.t, want[name] == got[name], "%s differs", name)
	}
}

// TestShardIsTakenOver: another host has the topic, the journal and an older state, or the oldest, with or without the
// releases. It goes on where the first one was, and every byte that it publishes is the same.
func TestShardIsTakenOver(t *testing.T) {
	tier.NotShort(t, "it runs a shard on many hosts")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 2, keptTopic))
	stream := hospital.New(3)
	first := p.journaled(0, 2)
	p.send("admissions", stream, 3000, func(int, *kgo.Record) {})
	first.once(exitOK)
	old := first.read("state/anond.db")
	p.send("admissions", stream, 3000, func(int, *kgo.Record) {})
	first.once(exitOK)
	want, counts := first.bytes(), first.counts().Counts
	require.Greater(t, len(want), 10)

	host := func(state bool, files ...string) *site {
		s := first.elsewhere(files...)
		if state {
			s.write("state/anond.db", old)
		} else {
			s.coldFrom(first)
		}
		return s
	}
	hosts := map[string]*site{
		"an older state":                  host(true, "releases", "state/ledger", "dead-letter"),
		"the oldest":                      host(false, "releases", "state/ledger"),
		"the oldest and no releases":      host(false),
		"the oldest, releases, no ledger": host(false, "releases"),
	}
	hosts["an older state and no ledger"] = host(true, "releases", "dead-letter") // the disk of the state is lost, and the ledger was on it
	for name, s := range hosts {
		r := s.once(exitOK)
		require.Contains(t, r.stderr, `"event":"journal_followed"`, name)
		s.sameReleases(want)
		require.Equal(t, counts.Sent, s.counts().Counts.Sent, name)
		require.Equal(t, counts.Published, s.counts().Counts.Published, name)
		require.Equal(t, first.positions(), s.positions(), name)
		s.must("release verify")
		assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED", name)
		assert.Contains(t, s.must("doctor"), "journal")
	}
	// What comes now is published by whoever goes on.
	p.send("admissions", stream, 1500, func(int, *kgo.Record) {})
	hosts["the oldest"].once(exitOK)
	first.once(exitOK) // which takes it over again, with its own state
	require.NotEqual(t, want, first.bytes())
	first.sameReleases(hosts["the oldest"].bytes())

	t.Run("another history is noticed", func(t *testing.T) {
		s := host(false, "releases", "state/ledger")
		ledger := s.read("state/ledger")
		at := strings.Index(ledger, "\n2 ") + 3
		s.write("state/ledger", ledger[:at]+swapped(ledger[at:at+1])+ledger[at+1:])
		s.once(exitPrivacy)
	})
	t.Run("no state", func(t *testing.T) {
		s := first.elsewhere("releases", "state/ledger")
		for range 2 { // a refusal leaves no state with other draws
			r := s.once(exitBehind)
			require.Contains(t, r.stderr, "there is no state that they can be repeated on")
			require.Contains(t, r.stderr, "hint: anond state restore --from FILE puts a backup of this shard in place, of any age")
		}
		s.coldFrom(first)
		s.once(exitOK)
		s.sameReleases(first.bytes())
	})
	t.Run("another seed", func(t *testing.T) {
		stranger := p.journaled(0, 2)
		stranger.edit("topic: "+journalTopic, "topic: "+journalTopic+".other")
		require.NoError(t, p.cluster.CreateTopic(journalTopic+".other", 2, keptTopic))
		stranger.once(exitOK)
		s := first.elsewhere()
		s.coldFrom(stranger)
		require.Contains(t, s.once(exitPrivacy).stderr, "it is the journal of another state, whose draws had another seed")
	})
	t.Run("a state with a journal keeps it", func(t *testing.T) {
		s := host(true, "releases", "state/ledger")
		s.edit(", journal: {topic: "+journalTopic+"}}", "}")
		require.Contains(t, s.once(exitConfig).stderr, "the state follows a journal")
	})
	t.Run("another key", func(t *testing.T) {
		s := host(false)
		s.edit(subjectSecret, strings.Repeat("ab", 32))
		s.once(exitConfig)
	})
	t.Run("other settings", func(t *testing.T) {
		s := host(false)
		s.edit("k: 5", "k: 6")
		require.Contains(t, s.once(exitConfig).stderr, "other settings")
	})
	t.Run("what changes the state elsewhere", func(t *testing.T) {
		for _, command := range []string{"state reset --yes", "forget somebody", "dlq replay"} {
			r := first.run(command)
			require.Equal(t, exitConfig, r.code, "%s: %s", command, r.stdout+r.stderr)
			require.Contains(t, r.stderr, "the state has a journal", command)
		}
	})
}

// TestJournalBeginsWithABackup: nothing is decided before the seed is in a second place. The copy has no records, and stays
// whatever state.backup.keep says.
func TestJournalBeginsWithABackup(t *testing.T) {
	tier.NotShort(t, "it starts a shard several times")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	stream := hospital.New(7)
	p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
	s := p.journaled(0, 1)
	s.write("copies", "not a directory")
	require.Contains(t, s.once(exitFailed).stderr, "the backup that a journal begins with")
	require.Empty(t, s.bytes())
	require.NoError(t, os.Remove(s.path("copies")))
	s.once(exitOK) // the journal has begun already
	first := s.beginning()
	require.NotEmpty(t, first)
	for range 2 {
		p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
		s.once(exitOK)
	}
	require.Equal(t, first, s.beginning())
	others, err := filepath.Glob(s.path("copies/*-r*.db"))
	require.NoError(t, err)
	require.Len(t, others, 1, "keep: 1")
}

// TestTopicOfAJournal: a topic that would lose entries is refused before anything is decided, with what to set; one that may
// lose them with a broker is warned of, at the start and by anond doctor.
func TestTopicOfAJournal(t *testing.T) {
	tier.NotShort(t, "it starts a shard several times")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	p.send("admissions", hospital.New(7), 300, func(int, *kgo.Record) {})
	n := 0
	on := func(partitions int32, replace ...string) (s *site) {
		t.Helper()
		n++
		topic, settings := fmt.Sprintf("journal-%d", n), maps.Clone(keptTopic)
		for i := 0; i < len(replace); i += 2 {
			settings[replace[i]] = replace[i+1]
		}
		require.NoError(t, p.cluster.CreateTopic(topic, partitions, settings))
		s = p.journaled(0, 2)
		s.edit("topic: "+journalTopic, "topic: "+topic)
		return s
	}
	for name, c := range map[string]struct {
		partitions   int32
		replace      []string
		reason, hint string
	}{
		"compacted":         {2, []string{"cleanup.policy", "compact"}, "is compacted (cleanup.policy=compact)", "cleanup.policy=delete"},
		"compacted as well": {2, []string{"cleanup.policy", "compact,delete"}, "is compacted", "--add-config cleanup.policy=delete"},
		"by age":            {2, []string{"retention.ms", "604800000"}, "retention.ms=604800000", "retention.ms=-1"},
		"by size":           {2, []string{"retention.bytes", "1000000"}, "retention.bytes=1000000", "retention.bytes=-1"},
		"too few":           {1, nil, "has 1 partitions, and there are 2 shards", "--partitions 2"},
	} {
		s := on(c.partitions, c.replace...)
		r := s.once(exitConfig)
		require.Contains(t, r.stderr, c.reason, name)
		require.Contains(t, r.stderr[strings.Index(r.stderr, "hint: "):], c.hint, name)
		require.NoDirExists(t, s.path("releases"), name)
		d := s.run("doctor")
		require.Equal(t, exitFailed, d.code, name)
		require.Contains(t, d.stdout, c.reason, name)
		require.Contains(t, d.stdout, c.hint, name)
	}
	s := on(2, "min.insync.replicas", "1") // of one replica: there is one broker
	require.Contains(t, s.must("doctor"), "has one replica: it is lost with the disk of one broker")
	r := s.once(exitOK)
	require.Contains(t, r.stderr, "journal_weak")
	require.Contains(t, r.stderr, "has one replica")
}

// TestRestoreMissing is what runs before each start of a shard: the newest backup where there is no state, and nothing else.
func TestRestoreMissing(t *testing.T) {
	tier.NotShort(t, "it starts a shard several times")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	s := p.journaled(0, 1)
	require.Contains(t, s.must("state restore --missing"), "nothing to do, there is no backup")
	p.send("admissions", hospital.New(7), 2000, func(int, *kgo.Record) {})
	s.once(exitOK)
	want, state := s.bytes(), s.read("state/anond.db")
	require.Contains(t, s.must("state restore --missing --json"), `"nothing": "there is a state"`)
	require.Equal(t, state, s.read("state/anond.db"))

	host := s.elsewhere("copies", "releases")
	require.Contains(t, host.must("state restore --missing"), ", release 1")
	host.once(exitOK)
	host.sameReleases(want)

	host = s.elsewhere("copies")
	newest, err := filepath.Glob(host.path("copies/*-r*"))
	require.NoError(t, err)
	for _, name := range newest {
		require.NoError(t, os.Remove(name))
	}
	require.Contains(t, host.must("state restore --missing"), "0 records, release 0")
	host.once(exitOK)
	host.sameReleases(want)

	host.edit("backup: {dir: ./copies, min_interval: 1000h, keep: 1}", "max_records: 0")
	require.Equal(t, exitConfig, host.run("state restore --missing").code)
	require.Equal(t, exitUsage, host.run("state restore").code)
}

// TestShardsDoNotShareBackups: the second shard that is given a directory of backups is refused before it decides anything, and
// the backups of the first one stay. Another dataset may share the directory.
func TestShardsDoNotShareBackups(t *testing.T) {
	tier.NotShort(t, "it starts two shards")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 2, keptTopic))
	p.send("admissions", hospital.New(7), 2000, func(int, *kgo.Record) {})
	first, second := p.journaled(0, 2), p.journaled(1, 2)
	second.edit("./copies", first.path("copies"))
	first.once(exitOK)
	have := first.list("copies")
	require.Greater(t, len(have), 2)
	r := second.once(exitConfig)
	require.Contains(t, r.stderr, "has the backups of shard 0 of 2 of the dataset hospital")
	require.Contains(t, r.stderr, "hint: give each shard a directory of its own, such as state.backup.dir: ./backups/${HOSTNAME}")
	require.NoDirExists(t, second.path("releases"))
	d := second.run("doctor")
	require.Equal(t, exitFailed, d.code)
	require.Contains(t, d.stdout, "has the backups of shard 0 of 2")
	require.Equal(t, have, first.list("copies"))
	second.edit(first.path("copies"), first.path("copies")+"/1")
	second.once(exitOK)
	first.once(exitOK)
	stranger := p.journaled(1, 2)
	stranger.edit("./copies", first.path("copies"))
	stranger.edit("dataset: hospital", "dataset: clinic")
	stranger.edit("topic: "+journalTopic, "topic: "+journalTopic+".clinic")
	require.NoError(t, p.cluster.CreateTopic(journalTopic+".clinic", 2, keptTopic))
	stranger.once(exitOK)
	require.Subset(t, first.list("copies"), have)
}

func (s *site) list(dir string) (out []string) {
	s.t.Helper()
	entries, err := os.ReadDir(s.path(dir))
	require.NoError(s.t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// letter is a line of the file of dead letters, without when it was written.
type letter struct {
	Seq       uint64 `json:"seq"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	Reason    string `json:"reason"`
}

func (s *site) letters() (out []letter) {
	s.t.Helper()
	for line := range strings.Lines(s.read("dead-letter/dead-letter.ndjson")) {
		var l letter
		require.NoError(s.t, json.Unmarshal([]byte(line), &l))
		out = append(out, l)
	}
	return out
}

// TestDeadLettersOfATakeover: what a start repeats of dead letters waits in the outbox of the state and is delivered
// behind it, under the numbers that it had. The file of the same host has each once; another host's has those behind its backup.
func TestDeadLettersOfATakeover(t *testing.T) {
	tier.NotShort(t, "it runs a shard on several hosts")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 2, keptTopic))
	stream := hospital.New(5)
	spoil := func(i int, r *kgo.Record) {
		if i%40 == 7 {
			r.Value = []byte("{")
		}
	}
	first := p.journaled(0, 2)
	p.send("admissions", stream, 2000, spoil)
	first.once(exitOK)
	old, before := first.read("state/anond.db"), first.letters()
	p.send("admissions", stream, 2000, spoil)
	first.once(exitOK)
	all := first.letters()
	require.Greater(t, len(before), 10)
	require.Greater(t, len(all), len(before)+10)
	for i, l := range all {
		require.EqualValues(t, i+1, l.Seq, "each once, in order")
	}
	for name, c := range map[string]struct {
		state bool
		files []string
		want  []letter
	}{
		"the same disk, an older state": {true, []string{"dead-letter"}, all},
		"the same disk, the oldest":     {false, []string{"dead-letter"}, all},
		"another host, an older state":  {true, nil, all[len(before):]},
		"another host, the oldest":      {false, nil, all},
	} {
		s := first.elsewhere(append(c.files, "releases")...)
		if c.state {
			s.write("state/anond.db", old)
		} else {
			s.coldFrom(first)
		}
		for range 2 { // a second start has nothing to repeat
			s.once(exitOK)
			require.Equal(t, c.want, s.letters(), name)
			require.EqualValues(t, len(all), s.counts().Counts.DeadLetter, name)
			require.Equal(t, first.counts().Counts.Sent, s.counts().Counts.Sent, name)
		}
	}
}

// TestLargeBatchesAreRepeated: a start that repeats divides its memory among the partitions. A batch that decompresses to more than
// such a share, and that the process before could read, can be read again.
func TestLargeBatchesAreRepeated(t *testing.T) {
	tier.NotShort(t, "it runs a shard on two hosts")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"), kgo.ProducerBatchMaxBytes(8<<20), kgo.ProducerLinger(time.Second),
		kgo.ProducerBatchCompression(kgo.GzipCompression()))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	first := p.journaled(0, 1)
	first.edit("version: 1", "version: 1\nmemory: {max_in_flight: 8MiB}")
	p.send("admissions", hospital.New(9), 3000, func(_ int, r *kgo.Record) {
		r.Value = append([]byte(strings.Repeat(" ", 4000)), r.Value...) // blanks before a JSON object
	})
	first.once(exitOK)
	s := first.elsewhere()
	s.coldFrom(first)
	s.once(exitOK)
	s.sameReleases(first.bytes())
}

// patientOf is the key of a message: its patient, as far as that can be read.
func patientOf(message []byte) string {
	var who hospital.Admission
	_ = json.Unmarshal(message, &who)
	return who.Patient
}

func swapped(digit string) string {
	if digit == "0" {
		return "1"
	}
	return "0"
}

// TestTheOldProcessEnds: a shard is started on a second host while the first one runs. The first one ends, with exit
// code 5, as soon as it has to write something down.
func TestTheOldProcessEnds(t *testing.T) {
	tier.NotShort(t, "it starts two processes")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	stream := hospital.New(4)
	p.send("admissions", stream, 2000, func(int, *kgo.Record) {})
	first := p.journaled(0, 1)
	a := first.start("run")
	a.event("release_published")
	second := first.elsewhere()
	second.coldFrom(first)
	second.edit("release: {dir: ./releases", fmt.Sprintf("release: {dir: %s, ledger: %s", first.path("releases"), first.path("state/ledger")))
	b := second.start("run")
	b.event("started")
	p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
	require.Equal(t, exitBehind, a.wait(), a.stderr.String())
	require.Contains(t, a.stderr.String(), "another process goes on with this state")
	eventually(t, func() bool { return second.status().Counts.Sent == 3000 }, "the second one does not go on: %s", &b.stderr)
	b.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, b.wait(), b.stderr.String())
	second.must("release verify")
	assert.Contains(t, second.must("audit --require-certified"), "CERTIFIED")
}

// TestErasureIsRepeated: a running shard forgets somebody. Whoever takes it over from the oldest backup has forgotten the person at
// the same place: later releases have the same bytes, and a later record of the person is blocked there, too.
func TestErasureIsRepeated(t *testing.T) {
	tier.NotShort(t, "it starts a process")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	stream := hospital.New(6)
	p.send("admissions", stream, 2000, func(int, *kgo.Record) {})
	first := p.journaled(0, 1)
	first.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	a := first.start("run")
	a.event("release_published")
	eventually(t, func() bool { return first.rests(2000) }, "not all is read and published: %s", &a.stderr)
	var somebody string
	for _, who := range p.people {
		somebody = max(somebody, who)
	}
	receipt := first.receipt(somebody)
	require.NotZero(t, receipt.Removed.Published+receipt.Removed.Unpublished)
	a.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, a.wait(), a.stderr.String())
	again := admitted(somebody, 1, "flu")
	message := &kgo.Record{Topic: "admissions", Key: []byte(somebody), Value: []byte(again)}
	require.NoError(t, p.client.ProduceSync(t.Context(), message).FirstErr())
	p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
	first.once(exitOK)
	forgotten := first.addsUp(3001)
	require.NotZero(t, forgotten)
	cold := first.elsewhere()
	cold.coldFrom(first)
	cold.once(exitOK)
	require.Equal(t, forgotten, cold.addsUp(3001))
	cold.sameReleases(first.bytes())
	require.Equal(t, first.read("state/ledger.forgotten"), cold.read("state/ledger.forgotten"))
	cold.must("state check")
	assert.Contains(t, cold.must("audit"), "CERTIFIED")
}

// TestKillJournaled kills the process at random moments and starts it on the same state, on an older one, or on the oldest. What
// is left is what a run without a kill and without a journal makes of the same records.
func TestKillJournaled(t *testing.T) {
	tier.NotShort(t, "it kills processes")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(1, "admissions"), kgo.DefaultProduceTopic("admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	feed := &crashFeed{stream: hospital.New(12), send: func(values [][]byte) error {
		records := make([]*kgo.Record, len(values))
		for i, v := range values {
			records[i] = &kgo.Record{Value: v, Key: []byte(patientOf(v))}
		}
		return p.client.ProduceSync(context.Background(), records...).FirstErr()
	}}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	s := p.journaled(0, 1)
	s.edit("every: 300", fmt.Sprintf("every: %d", crashEvery))
	s.edit("policy:", fmt.Sprintf("initial: {max_records: %d}\npolicy:", crashFirst))
	require.NoError(t, feed.more(crashFirst+500))
	stop := feed.flow(t)
	var backups []string
	for range tier.Of(t, 2, 4, 25) {
		process := s.start("run")
		if rng.IntN(4) > 0 {
			process.event("started")
		}
		time.Sleep(time.Duration(rng.Int64N(int64(crashWorking))))
		require.NoError(t, process.cmd.Process.Kill())
		require.Equal(t, -1, process.wait(), &process.stderr)
		state, err := os.ReadFile(s.path("state/anond.db"))
		if err == nil && rng.IntN(2) == 0 {
			backups = append(backups, string(state))
		}
		switch n := rng.IntN(3); {
		case n == 1 && s.beginning() != "":
			require.NoError(t, os.RemoveAll(s.path("state/anond.db")))
			s.coldFrom(s)
		case n == 2 && len(backups) > 0:
			s.write("state/anond.db", backups[rng.IntN(len(backups))])
		}
	}
	stop()
	require.Equal(t, exitOK, s.run("run --once").code)
	want := map[string]int{}
	for offset := range feed.sent.Load() {
		want[fmt.Sprintf("kafka:admissions:0:%d", offset)] = 1
	}
	calm := p.shard("admissions", 0, 1, "subject")
	calm.edit("every: 300", fmt.Sprintf("every: %d", crashEvery))
	nothingLost(t, s, want, calm)
}
