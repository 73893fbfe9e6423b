package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
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

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/testkit/dutytest"
	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/hospital"
	"anond/internal/testkit/programtest"
)

// several is a host whose file is of several shards of the topic. Releases and backups are where all hosts have them.
func (p *shardedTopic) several(of int, which string) *site {
	p.t.Helper()
	s := p.shard("admissions", 0, of, "subject")
	shared := programtest.TempDir(p.t)
	s.edit("index: pod-0", which)
	s.edit("release: {dir: ./releases", fmt.Sprintf("http: {listen: \"127.0.0.1:0\"}\nrelease: {dir: \"%s/releases/shards/${SHARD}\"", shared))
	s.edit("path: ./dead-letter", `path: "./dead-letter/${SHARD}"`)
	s.edit("path: ./state/anond.db", fmt.Sprintf(`path: "./state/${SHARD}/anond.db", backup: {dir: "%s/backups/${SHARD}"}`, shared))
	return s
}

// grouped is a host of a group.
func (p *shardedTopic) grouped(of int) *site {
	p.t.Helper()
	require.NoError(p.t, p.cluster.CreateTopic(journalTopic, int32(of), keptTopic))
	s := p.several(of, "group: hosts, journal: {topic: "+journalTopic+"}")
	s.edit("topic: admissions}", "topic: admissions, session_timeout: 6s}")
	return s
}

// ofShard runs a command for one shard of the file.
func (s *site) ofShard(shard int, command string, more ...string) string {
	s.t.Helper()
	var out, err bytes.Buffer
	args := append(append(strings.Fields(command), "-c", s.config), more...)
	code := run(s.t.Context(), args, cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
		Lookup: config.ForShard(os.LookupEnv, shard)})
	require.Equal(s.t, exitOK, code, "anond %s of shard %d: %s%s", command, shard, &out, &err)
	return out.String()
}

// shared is where the hosts of a topic have their releases.
func (s *site) shared() string {
	s.t.Helper()
	dir, _, found := strings.Cut(s.read("anond.yaml"), "/releases/shards/")
	require.True(s.t, found)
	return dir[strings.LastIndexByte(dir, '"')+1:]
}

// judged holds what several shards have together against the topic, as a host sees it that nobody has used before: each record is in
// its shard once, and the union is certified.
func (p *shardedTopic) judge(s *site, of int) {
	p.t.Helper()
	judge := s.elsewhere()
	seen, sums := map[string]int{}, dataset.Status{}
	exports := programtest.TempDir(p.t)
	for i := range of {
		if s.journaled() {
			judge.ofShard(i, "state restore --missing")
			judge.ofShard(i, "run --once")
		} else {
			judge = s
		}
		to := filepath.Join(exports, fmt.Sprintf("shard-%d", i))
		require.NoError(p.t, os.MkdirAll(to, 0o700))
		judge.ofShard(i, "state records", "--out", filepath.Join(to, "records.csv"))
		judge.ofShard(i, "state members", "--out", filepath.Join(to, "members.csv"))
		f, err := os.Open(filepath.Join(to, "records.csv"))
		require.NoError(p.t, err)
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(p.t, err)
		for _, row := range rows[1:] {
			seen[strings.TrimPrefix(row[0], "kafka:")]++
		}
		var info struct{ Status dataset.Status }
		require.NoError(p.t, json.Unmarshal([]byte(judge.ofShard(i, "state info --json")), &info))
		c := info.Status.Counts
		require.EqualValues(p.t, c.Sent, uint64(c.Published+c.Pending.Total()+c.Beyond)+c.DeadLetter, "shard %d", i)
		sums.Counts.Sent += c.Sent
		sums.Counts.DeadLetter += c.DeadLetter
	}
	require.EqualValues(p.t, len(p.people), sums.Counts.Sent, "nothing is lost or counted twice")
	require.Len(p.t, seen, len(p.people)-int(sums.Counts.DeadLetter))
	for at, n := range seen {
		require.Equal(p.t, 1, n, at)
		require.Contains(p.t, p.people, at)
	}
	dir, ledger := s.shared()+"/releases", s.shared()+"/union.ledger"
	united := anond(p.t, "union", "--dir", dir, "--shards", fmt.Sprint(of), "--ledger", ledger, "--once", "--log-format", "json")
	require.Equal(p.t, exitOK, united.code, united.stderr)
	audited := anond(p.t, "audit", "--releases", dir, "--ledger", ledger, "--exports", exports, "--require-certified")
	require.Equal(p.t, exitOK, audited.code, audited.stdout)
}

// journaled reports whether another host can go on with the shards of the site.
func (s *site) journaled() bool { return strings.Contains(s.read("anond.yaml"), "journal:") }

// TestOneProcessRunsSeveralShards: each is a shard of its own, and the process shows all: status, health, metrics, pages and log.
func TestOneProcessRunsSeveralShards(t *testing.T) {
	tier.NotShort(t, "it runs several shards")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(6, "admissions"))
	p.send("admissions", hospital.New(3), 3000, func(int, *kgo.Record) {})
	s := p.several(3, "run: [0, 2]")
	other := s.elsewhere()
	other.edit("run: [0, 2]", "run: [1]")
	require.Equal(t, exitOK, other.run("run --once").code)
	require.Equal(t, exitConfig, s.run("state info").code, "of which shard")

	w := dutytest.Start(t, run, nil, "run", "-c", s.config)
	read := func() (sent uint64) {
		var list []dataset.Status
		if r := s.run("status --json"); r.code == exitOK && json.Unmarshal([]byte(r.stdout), &list) == nil {
			for _, one := range list {
				if one.Doing == "" && one.Releasing == 0 && one.Counts.Public > 0 {
					sent += one.Counts.Sent
				}
			}
		}
		return sent
	}
	rest := uint64(0)
	for at := range p.people {
		if partition := at[len("admissions:")] - '0'; partition%3 != 1 {
			rest++
		}
	}
	eventually(t, func() bool { return read() == rest }, "not all is read and published: %s", &w.Log)
	assert.Regexp(t, `(?m)^ +0 .*\n +2 .*pid`, s.must("status"))
	assert.Contains(t, s.ofShard(2, "status"), "shard           2 of 3")
	metrics := fetch(t, w.Address+"/metrics", "", 200)
	for _, shard := range []string{"0", "2"} {
		assert.Positive(t, scraped(t, metrics, `anond_ingest_records_total{dataset="hospital",outcome="accepted",shard="`+shard+`"}`))
		assert.Contains(t, fetch(t, w.Address+"/shards/"+shard, "", 200), "hospital, shard "+shard)
	}
	assert.Contains(t, fetch(t, w.Address+"/", "", 200), `href="/shards/2"`)
	fetch(t, w.Address+"/shards/1", "", 404)
	assert.Contains(t, fetch(t, w.Address+"/readyz", "", 200), "shard 2: source")
	assert.Contains(t, fetch(t, w.Address+"/healthz", "", 200), `"ok": true`)
	w.Ends(exitOK)
	for line := range strings.Lines(w.Log.String()) {
		require.NoError(t, eventtest.Check([]byte(line)), line)
	}
	for _, shard := range []string{"0", "2"} {
		assert.Contains(t, w.Log.String(), `"shard":`+shard+`,"event":"started"`)
	}
	require.NoError(t, os.CopyFS(s.path("state/1"), os.DirFS(other.path("state/1"))))
	require.NoError(t, os.CopyFS(s.path("dead-letter/1"), os.DirFS(other.path("dead-letter/1"))))
	s.edit("run: [0, 2]", "run: [0, 1, 2]")
	p.judge(s, 3)
}

// TestAShardFailsAlone: a record without a key stops its shard, and the others run on; the process says so, and ends with what
// it was when it is stopped.
func TestAShardFailsAlone(t *testing.T) {
	tier.NotShort(t, "it runs several shards")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	s := p.several(2, "run: [0, 1]")
	stream := hospital.New(3)
	p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
	w := dutytest.Start(t, run, nil, "run", "-c", s.config)
	eventually(t, func() bool { return strings.Count(w.Log.String(), `"event":"release_published"`) >= 2 }, "%s", &w.Log)
	byHand, err := kgo.NewClient(kgo.SeedBrokers(p.cluster.ListenAddrs()...), byHand)
	require.NoError(t, err)
	defer byHand.Close()
	message := stream.NextMessage().Value
	require.NoError(t, byHand.ProduceSync(t.Context(), &kgo.Record{Topic: "admissions", Partition: 1, Value: message}).FirstErr())
	eventually(t, func() bool { return strings.Contains(w.Log.String(), `"event":"shard_failed"`) }, "%s", &w.Log)
	assert.Regexp(t, `"shard":1,"event":"shard_failed","code":78,.*has no key.*"again":false`, w.Log.String())
	assert.Contains(t, fetch(t, w.Address+"/readyz", "", 503), "has ended with an error")
	fetch(t, w.Address+"/healthz", "", 200)
	p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
	there := uint64(0)
	for at := range p.people {
		if strings.HasPrefix(at, "admissions:0:") {
			there++
		}
	}
	eventually(t, func() bool {
		var now dataset.Status
		return json.Unmarshal([]byte(s.read("state/0/status.json")), &now) == nil && now.Counts.Sent == there
	}, "the other shard does not read on: %s", &w.Log)
	w.Ends(exitConfig)
}

// lookEvery keeps whoever waits for hosts from taking their processor.
const lookEvery = 200 * time.Millisecond

// host is a process of a group.
type host struct {
	*site
	*process
}

func startHost(s *site) *host {
	return &host{s, s.start("run")}
}

// has are the shards that the log of a host names last.
func (h *host) has() (shards []int) {
	log := h.stderr.String()
	_, list, found := strings.Cut(log[max(0, strings.LastIndex(log, `"event":"shards_assigned"`)):], `"shards":`)
	if list, _, _ = strings.Cut(list, "]"); found {
		require.NoError(h.site.t, json.Unmarshal([]byte(list+"]"), &shards))
	}
	return shards
}

// divided waits until the hosts together have all shards, each its share.
func divided(t *testing.T, of int, hosts ...*host) {
	t.Helper()
	eventually(t, func() bool {
		time.Sleep(lookEvery)
		all := map[int]bool{}
		for _, h := range hosts {
			n := len(h.has())
			if n < of/len(hosts) || n > (of+len(hosts)-1)/len(hosts) {
				return false
			}
			for _, shard := range h.has() {
				all[shard] = true
			}
		}
		return len(all) == of
	}, "the shards are not divided: %v", func() (logs []string) {
		for _, h := range hosts {
			logs = append(logs, h.stderr.String())
		}
		return logs
	}())
}

// sent is what the newest status of each shard counts, on whatever host.
func sent(hosts ...*host) (sum uint64) {
	time.Sleep(lookEvery)
	newest := map[int]dataset.Status{}
	for _, h := range hosts {
		found, _ := filepath.Glob(h.path("state/*/status.json"))
		for _, path := range found {
			if s, err := dataset.ReadStatus(path); err == nil && s != nil && s.Time.After(newest[s.Shard.Index].Time) {
				newest[s.Shard.Index] = *s
			}
		}
	}
	for s := range maps.Values(newest) {
		sum += s.Counts.Sent
	}
	return sum
}

// TestAGroupTakesOver: hosts come, are killed, are suspended and come back, and are restarted one after the other. The shards of a host
// that is away go to the others without an operator; one that comes back while others have its shards publishes nothing. Nothing
// is lost or doubled, and the union is certified.
func TestAGroupTakesOver(t *testing.T) {
	tier.Heavy(t, "it runs and kills hosts of a group")
	t.Parallel()
	const of = 4
	p := newShardedTopic(t, kfake.SeedTopics(8, "admissions"))
	first := p.grouped(of)
	stream := hospital.New(8)
	first.edit("every: 300", "every: 700")
	feed := func() { p.send("admissions", stream, 1000, func(int, *kgo.Record) {}) }
	feed()
	var hosts []*host
	all := func() bool { return sent(hosts...) == uint64(len(p.people)) }
	logs := func() (out string) {
		for _, h := range hosts {
			out += h.stderr.String()
		}
		return out
	}
	hosts = append(hosts, startHost(first))
	divided(t, of, hosts[0])
	eventually(t, all, "one host reads all: %s", &hosts[0].stderr)
	hosts = append(hosts, startHost(first.elsewhere()))
	divided(t, of, hosts...)
	require.Equal(t, 0, strings.Count(logs(), `"event":"shard_failed"`), "an order makes no two run one shard: %s", logs())
	feed()
	eventually(t, all, "%s", logs())

	a, b := hosts[0], hosts[1]
	require.NoError(t, a.cmd.Process.Kill()) // and its disk is lost
	a.wait()
	feed()
	divided(t, of, b)
	hosts = hosts[1:]
	eventually(t, all, "the shards of the dead host are not taken over: %s", &b.stderr)
	require.Contains(t, b.stderr.String(), `"event":"backup_taken"`)

	c := startHost(first.elsewhere())
	hosts = append(hosts, c)
	divided(t, of, hosts...)
	lost := c.has()
	eventually(t, func() bool { return strings.Count(c.stderr.String(), `"event":"started"`) >= 2 }, "%s", &c.stderr)
	c.signal(syscall.SIGSTOP)
	feed()
	eventually(t, func() bool { return len(b.has()) == of }, "nobody takes the shards of a suspended host: %s", &b.stderr)
	hosts = []*host{b}
	eventually(t, all, "%s", &b.stderr)
	c.signal(syscall.SIGCONT)
	feed()
	hosts = append(hosts, c)
	divided(t, of, hosts...)
	eventually(t, all, "%s", logs())
	require.NotEmpty(t, lost)

	for i, h := range slices.Clone(hosts) { // a rolling restart
		h.signal(syscall.SIGTERM)
		require.Equal(t, exitOK, h.wait(), &h.stderr)
		feed()
		other := hosts[1-i]
		eventually(t, func() bool { return sent(other) == uint64(len(p.people)) }, "%s", &other.stderr)
		hosts[i] = startHost(h.site)
		divided(t, of, hosts...)
		eventually(t, func() bool { return strings.Contains(hosts[i].stderr.String(), `"event":"backup_taken"`) },
			"a host does not begin with the newer state of the other: %s", &hosts[i].stderr)
	}
	eventually(t, all, "%s", logs())
	for _, h := range hosts {
		h.signal(syscall.SIGTERM)
		require.Equal(t, exitOK, h.wait(), &h.stderr)
	}
	p.judge(first, of)
}
