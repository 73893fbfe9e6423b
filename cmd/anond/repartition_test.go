package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/ingest/decode"
	"anond/internal/sealed"
	"anond/internal/testkit/hospital"
	"anond/shards/keying"
)

// repartitioned reads what a repartitioned topic holds: how often each record of the source is there, and
// which place of the target was the first of it.
func (p *shardedTopic) repartitioned(topic string, partitions int32) (times map[string]int, first map[string]string) {
	p.t.Helper()
	admin := kafka.Client{Addr: kafka.TCP(p.cluster.ListenAddrs()...)}
	var ask []kafka.OffsetRequest
	from := map[int32]kgo.Offset{}
	for id := range partitions {
		ask = append(ask, kafka.LastOffsetOf(int(id)))
		from[id] = kgo.NewOffset().AtStart()
	}
	ends, err := admin.ListOffsets(p.t.Context(), &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: ask}})
	require.NoError(p.t, err)
	left := int64(0)
	for _, e := range ends.Topics[topic] {
		left += e.LastOffset
	}
	reader, err := kgo.NewClient(kgo.SeedBrokers(p.cluster.ListenAddrs()...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}))
	require.NoError(p.t, err)
	defer reader.Close()
	times, first = map[string]int{}, map[string]string{}
	ctx, stop := context.WithTimeout(p.t.Context(), patience)
	defer stop()
	for left > 0 {
		fetches := reader.PollFetches(ctx)
		require.NoError(p.t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			left--
			require.Len(p.t, r.Headers, 1)
			l, err := keying.DecodeLink(r.Headers[0].Value)
			require.NoError(p.t, err)
			at := fmt.Sprintf("%s:%d:%d", strings.TrimSuffix(topic, ".subjects"), l.Source, l.Offset)
			if times[at]++; times[at] == 1 {
				first[fmt.Sprintf("%s:%d:%d", topic, r.Partition, r.Offset)] = at
			}
			require.NotContains(p.t, string(r.Key), "P", "no patient's number is a key")
		})
	}
	return times, first
}

// shared checks that shards of a repartitioned topic have each record of its source once, and each
// person in one of them.
func (p *shardedTopic) shared(topic string, partitions int32, sites []*site) {
	p.t.Helper()
	_, first := p.repartitioned(topic, partitions)
	had, home := map[string]int{}, map[string]int{}
	for i, s := range sites {
		for at, n := range s.positions() {
			source, known := first[strings.TrimPrefix(at, "kafka:")]
			require.True(p.t, known, "%s is not the first of its record", at)
			had[source] += n
			who := p.people[source]
			if before, some := home[who]; who != "" && some {
				require.Equal(p.t, before, i)
			}
			home[who] = i
		}
	}
	want := map[string]int{}
	for place := range p.people {
		want[place] = 1
	}
	require.Equal(p.t, want, had)
}

// TestRepartition: a topic without keys is written anew, and two shards read it. Written a second time
// from its beginning, nothing changes for them.
func TestRepartition(t *testing.T) {
	tier.NotShort(t, "it runs two shards")
	t.Parallel()
	const partitions = 4
	p := newShardedTopic(t, kfake.SeedTopics(partitions, "admissions", "admissions.subjects"), byHand)
	stream := hospital.New(7)
	scatter := func(i int, r *kgo.Record) { r.Key, r.Partition = nil, int32(i%3) }
	p.send("admissions", stream, 1500, scatter)
	sites := []*site{p.shard("admissions.subjects", 0, 2, "digest"), p.shard("admissions.subjects", 1, 2, "digest")}
	out := sites[0].must("repartition --once")
	assert.Regexp(t, `^14\d\d records keyed by subject\n`, out)
	assert.Contains(t, out, "passed on without: ")
	sites[1].atLevel("L2", ", max_hold: 1 releases")
	for _, s := range sites {
		said := s.once(exitOK).stderr
		for _, who := range p.people {
			require.False(t, who != "" && strings.Contains(said, `"`+who+`"`), "%s is in the log", who)
		}
	}
	assert.Contains(t, sites[1].must("audit --replay 2 --require-certified"), "CERTIFIED")
	p.shared("admissions.subjects", partitions, sites)

	p.send("admissions", stream, 500, scatter)
	require.NoError(t, os.Rename(sites[0].path("state/repartition-admissions.json"), sites[0].path("old.json")))
	r := sites[0].run("repartition --once")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "there is no progress of writing it")
	sites[0].must("repartition --once --again")
	sites[0].must("repartition --once --progress " + sites[0].path("old.json")) // a second one that is behind
	rewritten := uint64(0)
	for _, s := range sites {
		s.once(exitOK)
		rewritten += s.counts().Counts.Ignored[decode.ReasonRewritten]
	}
	times, _ := p.repartitioned("admissions.subjects", partitions)
	for at, n := range times {
		assert.GreaterOrEqual(t, n, 2, at)
	}
	assert.EqualValues(t, 1500+500, rewritten)
	p.shared("admissions.subjects", partitions, sites)
	text := sites[0].read("state/repartition-admissions.json")
	assert.NotContains(t, text, subjectSecret)

	// another number of partitions, another key, and what is no topic of repartition
	r = sites[0].run("repartition --once --from admissions --to admissions")
	assert.Equal(t, exitConfig, r.code)
	sites[0].edit(subjectSecret, strings.Repeat("ab", 32))
	r = sites[0].run("repartition --once")
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "another subject.key")
	r = p.shard("admissions", 0, 2, "digest").once(exitConfig)
	assert.Contains(t, r.stderr, "has no key")
	assert.Contains(t, r.stderr, "hint: with shard.key: digest, name a topic that anond repartition has written")
}

// TestAHoleStopsAShard: a repartitioned topic that has lost a record stops its reader, who has
// committed what was before.
func TestAHoleStopsAShard(t *testing.T) {
	tier.NotShort(t, "it runs a shard")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions.subjects"), byHand)
	s := p.shard("admissions.subjects", 0, 2, "digest")
	send := func(l keying.Link) { p.put(linked(l, sealedLink)) }
	send(keying.Link{Offset: 3, Previous: -1, First: true})
	send(keying.Link{Offset: 5, Previous: 3})
	s.once(exitOK)
	send(keying.Link{Offset: 9, Previous: 7})
	r := s.once(exitConfig)
	assert.Contains(t, r.stderr, "kafka:admissions.subjects partition 0: the record at offset 2 follows offset 7 of source partition 0, "+
		"which is not here: offset 5 of it was the last before")
	assert.EqualValues(t, 2, s.counts().Counts.Sent)
}

// linked is a record of partition 0 of a repartitioned topic of two partitions.
func linked(l keying.Link, seal func(l *keying.Link, key, value []byte)) *kgo.Record {
	key := []byte("unreadable")
	for i := 0; keying.PartitionOf(key, 2) != 0; i++ {
		key = fmt.Appendf(nil, "unreadable%d", i)
	}
	r := &kgo.Record{Topic: "admissions.subjects", Key: key, Value: []byte("{")}
	seal(&l, r.Key, r.Value)
	r.Headers = []kgo.RecordHeader{{Key: keying.LinkHeader, Value: l.Encode()}}
	return r
}

// sealedLink seals as anond repartition does. The purpose is part of the format.
func sealedLink(l *keying.Link, key, value []byte) { sealedIn("admissions.subjects", 0)(l, key, value) }

func sealedIn(topic string, partition int32) func(*keying.Link, []byte, []byte) {
	secret, err := sealed.ParseKey(subjectSecret)
	if err != nil {
		panic(err)
	}
	return func(l *keying.Link, key, value []byte) {
		keying.NewLinkKey(secret.Derive("anond link of a repartitioned record"), topic).Seal(l, partition, key, value)
	}
}

func (p *shardedTopic) put(r *kgo.Record) {
	p.t.Helper()
	require.NoError(p.t, p.client.ProduceSync(p.t.Context(), r).FirstErr())
}

// TestAForgedLinkStopsAShard: who may write to a repartitioned topic, and has not subject.key, cannot
// have a shard skip records: the first record of theirs stops it, with the place and a way out.
func TestAForgedLinkStopsAShard(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	t.Parallel()
	first, next := keying.Link{Offset: 3, Previous: -1, First: true}, keying.Link{Offset: 1 << 40, Previous: 3}
	truncated := linked(next, sealedLink)
	truncated.Headers[0].Value = truncated.Headers[0].Value[:30]
	raised := linked(keying.Link{Offset: 5, Previous: 3}, sealedLink)
	raised.Headers[0].Value[6] = 1 // the highest byte of the offset
	for says, forged := range map[string]*kgo.Record{
		"has a link with a wrong MAC":        raised,
		"with a wrong MAC: it was not":       linked(next, sealedIn("admissions.subjects", 1)),
		"written there by anond repartition": linked(next, sealedIn("other.subjects", 0)),
		"it does not say which record it ":   truncated,
	} {
		t.Run(says, func(t *testing.T) {
			p := newShardedTopic(t, kfake.SeedTopics(2, "admissions.subjects"), byHand)
			s := p.shard("admissions.subjects", 0, 2, "digest")
			p.put(linked(first, sealedLink))
			s.once(exitOK)
			p.put(forged)
			r := s.once(exitConfig)
			assert.Contains(t, r.stderr, "kafka:admissions.subjects partition 0: the record at offset 1 ")
			assert.Contains(t, r.stderr, says)
			assert.EqualValues(t, 1, s.counts().Counts.Sent)
			if says == "has a link with a wrong MAC" {
				assert.Contains(t, r.stderr, "hint: nobody but anond repartition")
			}
		})
	}
}

// TestKillRepartition kills repartitions, of which two run at once, and shards, while records keep coming.
func TestKillRepartition(t *testing.T) {
	tier.Heavy(t, "TestNothingIsLostInSilence crashes as well, in a model")
	t.Parallel()
	const partitions = 4
	p := newShardedTopic(t, kfake.SeedTopics(partitions, "admissions", "admissions.subjects"), byHand)
	stream := hospital.New(8)
	p.send("admissions", stream, 3000, func(i int, r *kgo.Record) { r.Key, r.Partition = nil, int32(i%3) })
	sites := []*site{p.shard("admissions.subjects", 0, 2, "digest"), p.shard("admissions.subjects", 1, 2, "digest")}
	for round := range 12 {
		one, other := sites[0].start("repartition --again"), sites[1].start("repartition --again")
		shard := sites[round%2].start("run")
		time.Sleep(time.Duration(100+round*37) * time.Millisecond)
		p.send("admissions", stream, 300, func(i int, r *kgo.Record) { r.Key, r.Partition = nil, int32((i+round)%3) })
		one.signal(syscall.SIGKILL)
		time.Sleep(time.Duration(50+round*13) * time.Millisecond)
		shard.signal(syscall.SIGKILL)
		other.signal(syscall.SIGKILL)
		for _, x := range []*process{one, other, shard} {
			x.wait()
		}
	}
	sites[0].must("repartition --once --again")
	for _, s := range sites {
		s.once(exitOK)
	}
	p.shared("admissions.subjects", partitions, sites)
	times, _ := p.repartitioned("admissions.subjects", partitions)
	assert.Greater(t, slices.Max(slices.Collect(maps.Values(times))), 1, "nothing was written twice")
}
