package daemon

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot"
)

// The benchmarks run the whole daemon, durable, from a broker in the same
// process, so that the two cores also do the broker's work: 1e6 records of 7
// quasi-identifiers in 4 partitions, a release at half of them and one at all.
const (
	benchRecords    = 1_000_000
	benchPartitions = 4
)

const benchConfig = `version: 1
dataset: census
source: {type: kafka, kafka: {brokers: [%[1]s], topic: census}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: workclass, role: quasi, type: categorical}
    - {name: education, role: quasi, type: integer}
    - {name: marital, role: quasi, type: categorical}
    - {name: race, role: quasi, type: categorical}
    - {name: sex, role: quasi, type: categorical}
    - {name: country, role: quasi, type: categorical}
    - {name: occupation, role: sensitive, type: categorical}
policy: {k: 10, l: 5, level: %[3]s}
initial: {max_records: %[2]d}
release: {dir: ./releases, trigger: {on: records, every: %[2]d}}
state: {path: ./state/anond.db}
`

// person makes a record of the shape of UCI Adult: skewed, and occupation
// depends on education.
func person(rng *rand.Rand, buf []byte) []byte {
	skewed := func(n int) int { return min(rng.IntN(n), rng.IntN(n), rng.IntN(n)) }
	education := 1 + rng.IntN(16)
	return fmt.Appendf(buf, `{"age":%d,"workclass":"work-%d","education":%d,"marital":"marital-%d",`+
		`"race":"race-%d","sex":"sex-%d","country":"country-%02d","occupation":"occupation-%02d"}`,
		17+skewed(74), skewed(8), education, rng.IntN(7), skewed(5), rng.IntN(2), skewed(41), (education/3+rng.IntN(11))%14)
}

func benchCluster(b *testing.B, records int) *kfake.Cluster {
	b.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(benchPartitions, "census"))
	require.NoError(b, err)
	b.Cleanup(c.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerLinger(50*time.Millisecond), kgo.MaxBufferedRecords(1<<17),
		kgo.ProducerBatchMaxBytes(1<<20))
	require.NoError(b, err)
	defer client.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range records {
		client.Produce(context.Background(), &kgo.Record{Topic: "census", Partition: int32(i % benchPartitions), Value: person(rng, nil)},
			func(_ *kgo.Record, err error) {
				if err != nil {
					b.Error(err)
				}
			})
	}
	require.NoError(b, client.Flush(context.Background()))
	return c
}

func benchLoad(b *testing.B, c *kfake.Cluster, every int, level config.Level) *config.Config {
	b.Helper()
	path := filepath.Join(b.TempDir(), "anond.yaml")
	require.NoError(b, os.WriteFile(path, fmt.Appendf(nil, benchConfig, c.ListenAddrs()[0], every, level), 0o600))
	cfg, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	return cfg
}

// segments are the times in which the daemon did nothing but take records in:
// a release in progress has a time of its own.
type segments struct {
	began    time.Time // of the present segment
	sent     uint64    // at its begin
	reading  time.Duration
	records  uint64
	rates    []float64 // by segment: of the first load, of updates
	releases []ingest.Latest
}

func (s *segments) observe(r ingest.Report, every int) {
	if r.Newest == nil || len(s.releases) == int(r.Newest.Intent.Release) {
		return
	}
	s.releases = append(s.releases, *r.Newest)
	if len(s.releases)*every > benchRecords { // the last, at the end of the source, publishes what waited
		return
	}
	took, records := r.Time.Add(-r.Newest.Took).Sub(s.began), uint64(len(s.releases)*every)-s.sent
	s.reading, s.records = s.reading+took, s.records+records
	s.rates = append(s.rates, float64(records)/took.Seconds())
	s.began, s.sent = r.Time, r.Machine.Sent
}

// BenchmarkEndToEnd reports: whole-s, until the daemon has ended; records/s outside the
// release work; share, that rate against the raw client with decoding on the same topic in
// the same run; the time of each release from decision to mark, the one at the end of the
// source included, which holds nothing back; then, of a daemon started on the state it left,
// start-ms until it reads and heap-B/record. At level L2 merge-s is what Merge takes alone
// on the bags of all releases again, and whole-less-merge-s the rest. Where a release reads
// all that comes after it, update-records/s is 0.
func BenchmarkEndToEnd(b *testing.B) {
	c := benchCluster(b, benchRecords)
	for _, level := range []config.Level{config.L1, config.L2} {
		b.Run(string(level), func(b *testing.B) { benchEndToEnd(b, c, level) })
	}
}

func benchEndToEnd(b *testing.B, c *kfake.Cluster, level config.Level) {
	for b.Loop() {
		cfg := benchLoad(b, c, benchRecords/2, level)
		raw := benchRaw(b, cfg, c)
		s := segments{began: time.Now()}
		began := time.Now()
		require.NoError(b, Run(context.Background(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true,
			Observe: func(r ingest.Report) { s.observe(r, benchRecords/2) }}))
		require.GreaterOrEqual(b, len(s.releases), 2)
		whole := time.Since(began)
		b.ReportMetric(whole.Seconds(), "whole-s")
		if level == config.L2 && flag.Lookup("test.cpuprofile").Value.String() == "" { // a profile has it once
			merging := benchMerge(b, cfg)
			b.ReportMetric(merging.Seconds(), "merge-s")
			b.ReportMetric((whole - merging).Seconds(), "whole-less-merge-s")
		}
		rate := float64(s.records) / s.reading.Seconds()
		b.ReportMetric(rate, "records/s")
		b.ReportMetric(s.rates[0], "first-load-records/s")
		b.ReportMetric(s.rates[1], "update-records/s")
		b.ReportMetric(raw, "raw-records/s")
		b.ReportMetric(rate/raw, "share")
		for i, r := range s.releases {
			b.ReportMetric(float64(r.Took.Milliseconds()), fmt.Sprintf("release%d-ms", i+1))
		}
		b.ReportMetric(float64(s.releases[len(s.releases)-1].Intent.Records), "published")
		benchStart(b, cfg)
	}
	b.ReportMetric(0, "ns/op")
}

// benchMerge is what Merge takes alone on the classes of every release.
func benchMerge(b *testing.B, cfg *config.Config) (all time.Duration) {
	store, err := boltstore.Open(cfg.State.Path, boltstore.Options{})
	require.NoError(b, err)
	machine, err := dataset.OpenMachine(b.Context(), store, cfg, dataset.Options{})
	require.NoError(b, err)
	for _, of := range machine.Releases().Intents() {
		view, err := machine.Releases().Change(of.Release)
		require.NoError(b, err)
		began := time.Now()
		mergeAgain(view)
		all += time.Since(began)
	}
	require.NoError(b, store.Close())
	return all
}

// benchRaw reads and decodes the topic with nothing behind: a goroutine a
// partition, kafka-go's Client.Fetch, the daemon's decoder. Records per second.
func benchRaw(b *testing.B, cfg *config.Config, c *kfake.Cluster) float64 {
	runtime.GC()
	client := &kafka.Client{Addr: kafka.TCP(c.ListenAddrs()...), Transport: &kafka.Transport{}}
	began := time.Now()
	var wg sync.WaitGroup
	for p := range benchPartitions {
		wg.Go(func() { rawPartition(b, cfg, client, p) })
	}
	wg.Wait()
	return benchRecords / time.Since(began).Seconds()
}

func rawPartition(b *testing.B, cfg *config.Config, client *kafka.Client, partition int) {
	decoder, err := dataset.DecoderOf(cfg, nil)()
	if err != nil {
		b.Error(err)
		return
	}
	row := make([][]byte, len(cfg.Schema().Attributes()))
	buf := make([]byte, 1<<10)
	for next := int64(0); next < benchRecords/benchPartitions; {
		res, err := client.Fetch(context.Background(), &kafka.FetchRequest{Topic: "census", Partition: partition, Offset: next, MinBytes: 1,
			MaxBytes: 1 << 20, MaxWait: 500 * time.Millisecond})
		if err != nil || res.Error != nil {
			b.Error(err, res)
			return
		}
		for r, err := res.Records.ReadRecord(); err == nil; r, err = res.Records.ReadRecord() {
			n, err := r.Value.Read(buf)
			if err != nil && err != io.EOF {
				b.Error(err)
				return
			}
			_ = r.Value.Close()
			if r.Offset < next {
				continue
			}
			if o := decoder.Decode(buf[:n], nil, row); !o.Accepted() {
				b.Error(o.Reason)
				return
			}
			next = r.Offset + 1
		}
	}
}

// benchStart opens the state as a start does, up to the first fetch.
func benchStart(b *testing.B, cfg *config.Config) {
	before := heap()
	began := time.Now()
	store, err := boltstore.Open(cfg.State.Path, boltstore.Options{})
	require.NoError(b, err)
	machine, err := dataset.OpenMachine(b.Context(), store, cfg, dataset.Options{})
	require.NoError(b, err)
	opened := time.Since(began)
	publisher, err := newPublisher(b.Context(), cfg, machine, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	b.ReportMetric(float64(opened.Milliseconds()), "open-ms")
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "start-ms")
	<-publisher.standing.done
	require.NoError(b, publisher.standing.err)
	b.ReportMetric(float64(heap()-before)/benchRecords, "heap-B/record")
	runtime.KeepAlive(publisher)
	runtime.KeepAlive(machine)
	require.NoError(b, store.Close())
}

// heap is the memory in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
