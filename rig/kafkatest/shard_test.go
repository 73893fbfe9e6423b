package kafkatest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const subjectSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// shardOf is a site that is one of two shards of a topic.
func shardOf(t testing.TB, p *topic, index int, key string) *site {
	t.Helper()
	s := newSite(t, p)
	s.config["shard"] = section{"index": index, "of": 2, "key": key}
	s.config["subject"] = section{"key": subjectSecret}
	s.save()
	return s
}

// keyed writes people by librdkafka, keyed by their numbers.
func keyed(t testing.TB, p *topic, people [][]byte, more ...string) {
	t.Helper()
	var lines [][]byte
	for _, value := range people {
		var who struct{ Patient string }
		require.NoError(t, json.Unmarshal(value, &who))
		lines = append(lines, append([]byte(who.Patient+"|"), value...))
	}
	kcat(t, bytes.Join(lines, []byte("\n")), append([]string{"-P", "-t", p.name, "-K", "|"}, more...)...)
}

// TestShards: two shards divide a topic that librdkafka has keyed with the partitioner of Kafka's
// Java client, and stop where it gets another partition. A topic that it has keyed with its own
// default stops a shard.
func TestShards(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p, other := newTopic(t, 5), newTopic(t, 5)
	keyed(t, p, people(0, 300), "-X", "topic.partitioner=murmur2_random")
	keyed(t, other, people(0, 300))
	shardOf(t, other, 1, "subject").once().ends(78).says("has a key that leads to partition")
	sites := []*site{shardOf(t, p, 0, "subject"), shardOf(t, p, 1, "subject")}
	sent := 0
	for _, s := range sites {
		s.once().ends(0)
		n := s.counts()
		require.Equal(t, n.Sent, n.Published+n.pending())
		sent += n.Sent
	}
	require.Equal(t, 300, sent)
	p.grow(6)
	stopped := sites[1].once().ends(78)
	require.NotEmpty(t, stopped.events("source_partitions_changed"))
	stopped.says("has 6 partitions, and had 5")
}

// TestRepartition: a topic without keys is written anew, twice, and two shards have each record once.
func TestRepartition(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 3)
	for id := range int32(3) {
		p.write(id, people(int(id)*200, 200)...)
		p.write(id, []byte("no record"))
	}
	to := &topic{t: t, name: p.name + ".subjects", c: p.c}
	to.create(4)
	t.Cleanup(func() { _ = to.tryDelete() })
	sites := []*site{shardOf(t, to, 0, "digest"), shardOf(t, to, 1, "digest")}
	says := sites[0].command("repartition", "--once")
	require.True(t, strings.HasPrefix(says, "600 records keyed by subject\n3 records passed on without: "), says)
	sites[1].command("repartition", "--once", "--again")
	sent, refused, rewritten := 0, 0, 0
	for _, s := range sites {
		s.once().ends(0)
		n := s.counts()
		require.Equal(t, n.Sent, n.Published+n.pending()+n.DeadLetter)
		sent, refused, rewritten = sent+n.Sent, refused+n.DeadLetter, rewritten+n.Ignored["rewritten"]
	}
	require.Equal(t, []int{603, 3, 603}, []int{sent, refused, rewritten})
}
