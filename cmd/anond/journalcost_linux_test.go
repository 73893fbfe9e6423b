package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/internal/testkit/hospital"
)

// The figures of rig/docs/BENCHMARKS.md: go test ./cmd/anond -run JournalCost -journal-cost 200000 -v
var journalCost = flag.Int("journal-cost", 0, "records of a shard with and without a journal that are measured; 0: none are")

// TestJournalCost: shards that have published a first tenth of a topic read the rest and publish ten releases, without a
// journal and with one, in turns. The broker is in the same process, and its processor time is in that of both.
func TestJournalCost(t *testing.T) {
	if *journalCost == 0 {
		t.Skip("measures: -journal-cost 100000")
	}
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	stream := hospital.New(5)
	send := func(n int) {
		for ; n > 0; n -= 20_000 {
			var records []*kgo.Record
			for range min(n, 20_000) {
				v := stream.NextMessage().Value
				records = append(records, &kgo.Record{Topic: "admissions", Value: v, Key: []byte(patientOf(v))})
			}
			require.NoError(t, p.client.ProduceSync(t.Context(), records...).FirstErr())
		}
	}
	rest := *journalCost - *journalCost/10
	send(*journalCost / 10)
	var sites []*site
	for i := range 6 {
		s := p.shard("admissions", 0, 1, "subject")
		s.edit("every: 300", fmt.Sprintf("every: %d", rest/10))
		if i%2 == 1 {
			topic := fmt.Sprintf("%s-%d", journalTopic, i)
			require.NoError(t, p.cluster.CreateTopic(topic, 1, keptTopic))
			s.edit("key: subject}", "key: subject, journal: {topic: "+topic+"}}")
		}
		s.once(exitOK)
		sites = append(sites, s)
	}
	send(rest)
	for i, s := range sites {
		before := p.written(i)
		began, used := time.Now(), processorTime()
		r := s.once(exitOK)
		took, cost := time.Since(began), processorTime()-used
		t.Logf("journal %-5v: %d records, %d releases, %.0f records/s, %.1f us of processor time a record, %d entries", i%2 == 1, rest,
			strings.Count(r.stderr, `"event":"release_published"`), float64(rest)/took.Seconds(), float64(cost.Microseconds())/float64(rest),
			p.written(i)-before)
	}
}

// written is how many entries the journal of a site has.
func (p *shardedTopic) written(i int) int64 {
	var n int64
	if info := p.cluster.PartitionInfo(fmt.Sprintf("%s-%d", journalTopic, i), 0); info != nil {
		n = info.HighWatermark
	}
	return n
}
