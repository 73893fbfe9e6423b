package kafkatest

import (
	"anond/incremental/state"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/kafkaclient"
)

var benchRecords = flag.Int("records", 1_000_000, "records of the throughput benchmark")

const benchPartitions = 4

// BenchmarkThroughput reads the same topic, JSON of 125 bytes in 4 partitions,
// with the raw client (franz-go), with anond's source alone, and with the whole
// of anond: decoding, placing, state with fsync. Broker, writer and reader share
// the machine. Run it with -benchtime 1x.
func BenchmarkThroughput(b *testing.B) {
	p := newTopic(b, benchPartitions)
	b.Run("write/franz-go", func(b *testing.B) { benchWrite(b, p) })
	b.Run("read/franz-go", func(b *testing.B) { benchRaw(b, p) })
	b.Run("read/source", func(b *testing.B) { benchSource(b, p) })
	b.Run("anond", func(b *testing.B) { benchAnond(b, p) })
}

func rate(b *testing.B, n int, took time.Duration) {
	b.ReportMetric(float64(n)/took.Seconds(), "records/s")
	b.ReportMetric(0, "ns/op")
}

func benchWrite(b *testing.B, p *topic) {
	for b.Loop() {
		c := client(b, kgo.ProducerLinger(20*time.Millisecond), kgo.MaxBufferedRecords(1<<18), kgo.ProducerBatchMaxBytes(1_000_000))
		start := time.Now()
		for i := range *benchRecords {
			v := person(i, 20+i*7%60)
			v = fmt.Appendf(v[:len(v)-1], `,"note":"%*d"}`, 125-len(v)-len(`,"note":""}`)+1, i)
			c.Produce(context.Background(), &kgo.Record{Topic: p.name, Partition: int32(i % benchPartitions), Value: v},
				func(_ *kgo.Record, err error) {
					if err != nil {
						b.Error(err)
					}
				})
		}
		require.NoError(b, c.Flush(context.Background()))
		rate(b, *benchRecords, time.Since(start))
	}
}

func benchRaw(b *testing.B, p *topic) {
	for b.Loop() {
		start := map[int32]kgo.Offset{}
		for id := range int32(benchPartitions) {
			start[id] = kgo.NewOffset().AtStart()
		}
		began := time.Now()
		c := client(b, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{p.name: start}), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
		for n := 0; n < *benchRecords; {
			fetches := c.PollFetches(context.Background())
			require.NoError(b, fetches.Err())
			n += fetches.NumRecords()
		}
		rate(b, *benchRecords, time.Since(began))
	}
}

func benchSource(b *testing.B, p *topic) {
	for b.Loop() {
		began, n := time.Now(), 0
		s, err := kafkasrc.Open(context.Background(), kafkasrc.Config{Config: kafkaclient.Config{Brokers: broker.Addrs(), Topic: p.name}},
			ingest.Resume{Once: true, Digest: func([]byte) (d state.Digest) { return d }})
		require.NoError(b, err)
		for {
			c, err := s.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(b, err)
			n += len(c.Records)
		}
		require.NoError(b, s.Close())
		require.Equal(b, *benchRecords, n)
		rate(b, n, time.Since(began))
	}
}

// benchAnond measures between the first and the last report of a running anond:
// it reports once a second. A small first load and no release meanwhile, so that
// it is reading which is measured.
func benchAnond(b *testing.B, p *topic) {
	for b.Loop() {
		s := newSite(b, p).set("release", section{"trigger": section{"on": "interval", "every": "24h"}})
		s.config["initial"] = section{"max_records": 1000}
		s.save()
		run := s.start()
		var first, last report
		require.Eventually(b, func() bool {
			r, ok := s.report()
			if ok && first.Counts.Sent == 0 {
				first = r
			}
			if ok && r.Counts.Sent > last.Counts.Sent {
				last = r
			}
			return last.Counts.Sent >= *benchRecords
		}, 5*time.Minute, 10*time.Millisecond)
		run.stop()
		rate(b, last.Counts.Sent-first.Counts.Sent, last.Time.Sub(first.Time))
	}
}

// report is a status.json with its time.
type report struct {
	Time   time.Time `json:"time"`
	Counts counts    `json:"counts"`
}

func (s *site) report() (r report, ok bool) {
	text, err := os.ReadFile(filepath.Join(s.dir, "state", "status.json"))
	return r, err == nil && json.Unmarshal(text, &r) == nil && r.Counts.Sent > 0
}
