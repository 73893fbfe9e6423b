package kafkasrc

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/ingest"
	"anond/internal/kafkaclient"
)

// The benchmarks read a topic of JSON records of 125 bytes in batches of 1 MB
// from a broker in the same process: this source, and for comparison the raw
// client, kafka.Client.Fetch, which copies nothing out of its pages and ignores
// aborted transactions. Reported: records/s, and CPU of the whole process
// (broker included) per record.

const benchRecords = 500_000

func benchCluster(b *testing.B, partitions int32, codec kgo.CompressionCodec) *kfake.Cluster {
	b.Helper()
	c := broker(b, kfake.SeedTopics(partitions, topic))
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(codec),
		kgo.ProducerLinger(50*time.Millisecond), kgo.MaxBufferedRecords(1<<20), kgo.ProducerBatchMaxBytes(1<<20))
	require.NoError(b, err)
	defer cl.Close()
	var value [125]byte
	for i := range value {
		value[i] = byte('a' + i%23)
	}
	for i := range benchRecords {
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Partition: int32(i) % partitions, Value: value[:]},
			func(_ *kgo.Record, err error) {
				if err != nil {
					b.Error(err)
				}
			})
	}
	require.NoError(b, cl.Flush(context.Background()))
	return c
}

func report(b *testing.B, records int, cpu time.Duration) {
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(records), "cpu-ns/record")
	b.ReportMetric(0, "ns/op")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRead(b *testing.B) {
	for _, bc := range []struct {
		name       string
		partitions int32
		codec      kgo.CompressionCodec
	}{{"plain/partitions=1", 1, kgo.NoCompression()}, {"plain/partitions=4", 4, kgo.NoCompression()},
		{"lz4/partitions=1", 1, kgo.Lz4Compression()}, {"zstd/partitions=1", 1, kgo.ZstdCompression()}} {
		c := benchCluster(b, bc.partitions, bc.codec)
		b.Run("source/"+bc.name, func(b *testing.B) { benchSource(b, c) })
		b.Run("raw/"+bc.name, func(b *testing.B) { benchRaw(b, c, bc.partitions) })
	}
}

func benchSource(b *testing.B, c *kfake.Cluster) {
	runtime.GC()
	start, read, bytes := cpuTime(), 0, 0
	b.ResetTimer()
	for b.Loop() {
		s, err := Open(context.Background(), Config{Config: kafkaclient.Config{Brokers: c.ListenAddrs(), Topic: topic}},
			ingest.Resume{Once: true, Digest: sum})
		require.NoError(b, err)
		for {
			chunk, err := s.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(b, err)
			for i := range chunk.Records {
				bytes += len(chunk.Records[i].Value)
			}
			read += len(chunk.Records)
		}
		require.NoError(b, s.Close())
	}
	require.Equal(b, read*125, bytes)
	require.Equal(b, b.N*benchRecords, read)
	report(b, read, cpuTime()-start)
}

func benchRaw(b *testing.B, c *kfake.Cluster, partitions int32) {
	client := &kafka.Client{Addr: kafka.TCP(c.ListenAddrs()...), Transport: &kafka.Transport{}}
	runtime.GC()
	start, total := cpuTime(), 0
	b.ResetTimer()
	for b.Loop() {
		counts := make([]int, partitions)
		var wg sync.WaitGroup
		for p := range partitions {
			wg.Go(func() { counts[p] = rawPartition(b, client, int(p), benchRecords/int(partitions)) })
		}
		wg.Wait()
		for _, n := range counts {
			total += n
		}
	}
	require.Equal(b, b.N*benchRecords, total)
	report(b, total, cpuTime()-start)
}

// rawPartition reads want records and their values into one buffer.
func rawPartition(b *testing.B, client *kafka.Client, partition, want int) (read int) {
	buf := make([]byte, 1<<10)
	for next := int64(0); read < want; {
		res, err := client.Fetch(context.Background(), &kafka.FetchRequest{Topic: topic, Partition: partition, Offset: next, MinBytes: 1,
			MaxBytes: 1 << 20, MaxWait: 500 * time.Millisecond})
		if err != nil || res.Error != nil {
			b.Error(err, res)
			return read
		}
		for {
			r, err := res.Records.ReadRecord()
			if err != nil {
				break
			}
			if r.Key != nil {
				_ = r.Key.Close()
			}
			if r.Offset < next {
				continue
			}
			n, err := r.Value.Read(buf)
			if err != nil || n != 125 {
				b.Error(n, err)
			}
			_ = r.Value.Close()
			next = r.Offset + 1
			read++
		}
	}
	return read
}
