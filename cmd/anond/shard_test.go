package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
	"anond/shards/keying"
)

const subjectSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// byHand writes records to the partitions that they name.
var byHand = kgo.RecordPartitioner(kgo.ManualPartitioner())

// shardedTopic is a broker with topics, and who is at which place of them.
type shardedTopic struct {
	t       *testing.T
	cluster *kfake.Cluster
	client  *kgo.Client
	people  map[string]string // topic:partition:offset -> patient; empty: a message that is refused
}

func newShardedTopic(t *testing.T, seed kfake.Opt, opts ...kgo.Opt) *shardedTopic {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), seed)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return &shardedTopic{t, cluster, client, map[string]string{}}
}

// send writes messages of the hospital; place may choose key and partition.
func (p *shardedTopic) send(topic string, stream *hospital.Stream, n int, place func(i int, r *kgo.Record)) {
	p.t.Helper()
	var records []*kgo.Record
	people := map[*kgo.Record]string{}
	for i := range n {
		m := stream.NextMessage()
		who := m.Admission
		if m.Malformed {
			_ = json.Unmarshal(m.Value, &who) // its patient is its key as far as that can be read
		}
		r := &kgo.Record{Topic: topic, Value: m.Value, Key: []byte(who.Patient)}
		place(i, r)
		records, people[r] = append(records, r), m.Admission.Patient
	}
	for _, res := range p.client.ProduceSync(p.t.Context(), records...) {
		require.NoError(p.t, res.Err)
		p.people[fmt.Sprintf("%s:%d:%d", topic, res.Record.Partition, res.Record.Offset)] = people[res.Record]
	}
}

// shard is the site of one shard.
func (p *shardedTopic) shard(topic string, index, of int, key string) *site {
	p.t.Helper()
	s := newSite(p.t, fmt.Sprintf("{type: kafka, kafka: {brokers: [%s], topic: %s}}", p.cluster.ListenAddrs()[0], topic),
		"on: records, every: 300", "")
	s.edit("path: ./dead-letter}", "path: ./dead-letter, max_share: 1}") // tests send a few records, all of them rubbish
	s.edit("policy:", fmt.Sprintf("shard: {index: pod-%d, of: %d, key: %s}\nsubject: {key: %s}\npolicy:", index, of, key, subjectSecret))
	return s
}

// once runs a shard to the end of its partitions.
func (s *site) once(code int) result {
	s.t.Helper()
	r := s.run("run --once")
	require.Equal(s.t, code, r.code, r.stderr)
	return r
}

// TestShardsShareATopic: two shards read a topic whose keys are the subjects. Every message is in
// exactly one of them, every person too, and the surfaces tell which shard it is.
func TestShardsShareATopic(t *testing.T) {
	tier.NotShort(t, "it runs two shards")
	t.Parallel()
	const partitions, shards, messages = 6, 2, 3000
	p := newShardedTopic(t, kfake.SeedTopics(partitions, "admissions"))
	stream := hospital.New(3)
	p.send("admissions", stream, messages, func(int, *kgo.Record) {})
	seen, home := map[string]int{}, map[string]int{}
	for i := range shards {
		s := p.shard("admissions", i, shards, "subject")
		s.once(exitOK)
		for at, n := range s.positions() {
			place := strings.TrimPrefix(at, "kafka:")
			seen[place] += n
			who, known := p.people[place]
			require.True(t, known, place)
			if before, some := home[who]; who != "" && some {
				require.Equal(t, before, i, "a person is in two shards")
			}
			home[who] = i
		}
		assert.Contains(t, s.must("status"), fmt.Sprintf("shard           %d of 2", i))
		var status struct{ Shard struct{ Index, Of int } }
		require.NoError(t, json.Unmarshal([]byte(s.must("status --json")), &status))
		assert.Equal(t, i, status.Shard.Index)
		assert.Equal(t, shards, status.Shard.Of)
		assert.Contains(t, s.must("doctor"), fmt.Sprintf("shard %d of 2: the first", i))
		assert.Contains(t, s.must("audit"), "CERTIFIED")
	}
	want := map[string]int{}
	for place := range p.people {
		want[place] = 1
	}
	assert.Equal(t, want, seen)
	assert.Greater(t, len(home), 1000)
}

// TestOtherPartitionersStopAShard: a topic of a client with another partitioner, without keys, or
// whose keys are something else stops the shard at its first record that is wrong. It says where,
// and not whose.
func TestOtherPartitionersStopAShard(t *testing.T) {
	tier.NotShort(t, "it runs five shards")
	t.Parallel()
	const partitions = 4
	p := newShardedTopic(t, kfake.SeedTopics(partitions, "crc32", "fnv", "robin", "none", "other"), byHand)
	hash := fnv.New32a()
	for topic, c := range map[string]struct {
		place func(i int, r *kgo.Record)
		says  string
	}{
		"crc32": {func(_ int, r *kgo.Record) { r.Partition = int32(crc32.ChecksumIEEE(r.Key) % partitions) },
			"has a key that leads to partition"},
		"fnv": {func(_ int, r *kgo.Record) {
			hash.Reset()
			_, _ = hash.Write(r.Key)
			r.Partition = int32(hash.Sum32() % partitions)
		}, "has a key that leads to partition"},
		"robin": {func(i int, r *kgo.Record) { r.Partition = int32(i % partitions) }, "has a key that leads to partition"},
		"none":  {func(i int, r *kgo.Record) { r.Key, r.Partition = nil, int32(i%partitions) }, "has no key"},
		"other": {func(i int, r *kgo.Record) {
			r.Key = fmt.Appendf(nil, "visit-%d", i)
			r.Partition = keying.PartitionOf(r.Key, partitions)
		}, "has a key that is not its subject"},
	} {
		p.send(topic, hospital.New(4), 60, c.place)
		s := p.shard(topic, 1, 2, "subject")
		r := s.once(exitConfig)
		assert.Contains(t, r.stderr, c.says)
		assert.Regexp(t, `kafka:`+topic+` partition [13]: the record at offset \d+`, r.stderr)
		assert.Contains(t, r.stderr, "anond repartition")
		for _, who := range p.people {
			if who != "" {
				require.NotContains(t, r.stderr, who)
			}
		}
		if topic == "none" { // nothing was taken in, so the state may become that of another topic
			s.edit("key: subject", "key: digest")
			assert.Contains(t, s.once(exitConfig).stderr, "has no key")
			s.edit("key: digest", "key: subject")
		}
		d := s.run("doctor")
		assert.Equal(t, exitFailed, d.code)
		assert.Contains(t, d.stdout, "are in the wrong partition or have the wrong key")
	}
}

// TestAShardKeepsItsPlace: a state is of one shard, of one subject key and of as many partitions
// as it has seen first.
func TestAShardKeepsItsPlace(t *testing.T) {
	tier.NotShort(t, "it starts a shard several times")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	stream := hospital.New(5)
	p.send("admissions", stream, 100, func(int, *kgo.Record) {})
	s := p.shard("admissions", 1, 2, "subject")
	s.edit("level: L1", "level: L1, max_hold: 1 releases")
	s.once(exitOK)
	for _, c := range [][3]string{{"index: pod-1", "index: pod-0", "shard.index"}, {"of: 2", "of: 4", "shard.of"},
		{"key: subject", "key: digest", "shard.key"}, {subjectSecret, strings.Repeat("ab", 32), "subject.key"},
		{"shard: {index: pod-1, of: 2, key: subject}\n", "", "shard.index"}} {
		s.edit(c[0], c[1])
		r := s.once(exitConfig)
		assert.Contains(t, r.stderr, c[2])
		if c[1] == "" {
			s.edit("policy:", c[0]+"policy:")
		} else {
			s.edit(c[1], c[0])
		}
	}
	s.once(exitOK)
	admin := kafka.Client{Addr: kafka.TCP(p.cluster.ListenAddrs()...)}
	_, err := admin.CreatePartitions(t.Context(), &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: "admissions", Count: 6}}})
	require.NoError(t, err)
	r := s.once(exitConfig)
	assert.Contains(t, r.stderr, "kafka:admissions has 6 partitions, and had 4 when shard 1 of 2 first read it")
	assert.Contains(t, r.stderr, "anond repartition")
	r = p.shard("admissions", 6, 7, "subject").once(exitConfig)
	assert.Contains(t, r.stderr, "has 6 partitions: shard 6 of 7 would read none")
}

// TestASecondStateOfAShard finds the commits of the group ahead of it, and publishes nothing.
func TestASecondStateOfAShard(t *testing.T) {
	tier.NotShort(t, "it starts a shard twice")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	p.send("admissions", hospital.New(5), 400, func(int, *kgo.Record) {})
	for i, code := range []int{exitOK, exitBehind} {
		s := p.shard("admissions", 1, 2, "subject")
		s.edit("topic: admissions", "topic: admissions, group: hospital")
		s.once(code)
		_, err := os.Stat(s.path("releases/CURRENT"))
		assert.Equal(t, i == 0, err == nil)
	}
}

// TestAShardWithoutARelease: at level L1 the first load of a small shard that is refused waits,
// and the run is no failure; at level L2 its pool is quarantined.
func TestAShardWithoutARelease(t *testing.T) {
	tier.NotShort(t, "it runs two shards")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	p.send("admissions", hospital.New(6), 400, func(_ int, r *kgo.Record) {
		var a hospital.Admission
		if json.Unmarshal(r.Value, &a) == nil {
			a.Diagnosis = "angina"
			r.Value, _ = json.Marshal(a)
		}
	})
	s := p.shard("admissions", 0, 2, "subject")
	r := s.once(exitOK)
	assert.Contains(t, r.stderr, "the first load is refused: it waits and may grow")
	n := s.counts().Counts
	assert.Equal(t, int(n.Sent-n.DeadLetter), n.Pending.Total()+n.Beyond)
	s = p.shard("admissions", 1, 2, "subject")
	s.atLevel("L2", ", max_hold: 1 releases")
	r = s.once(exitPrivacy)
	assert.Contains(t, r.stderr, `"event":"pool_quarantined"`)
	assert.Positive(t, s.counts().Counts.Pending.Quarantined)
}
