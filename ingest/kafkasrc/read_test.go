package kafkasrc

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/kafkaclient/fetch"
)

func TestReadsEveryCodec(t *testing.T) {
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			c := broker(t, kfake.SeedTopics(2, topic))
			cl := producer(t, c, kgo.ProducerBatchCompression(codec))
			for p := range int32(2) {
				for i := range 5 {
					write(t, cl, p, 200*i, 200*(i+1))
				}
			}
			got := newReceived()
			got.readEnd(t, open(t, config(c, &events{}), ingest.Resume{Once: true}))
			require.Equal(t, wantValues(0, [2]int{0, 1000}), got.values[0])
			require.Equal(t, wantValues(1, [2]int{0, 1000}), got.values[1])
		})
	}
}

func TestKeysNullsAndHeaders(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	h := []kgo.RecordHeader{{Key: "trace", Value: []byte("x")}, {Key: "empty"}}
	produce(t, cl,
		&kgo.Record{Topic: topic, Key: []byte("k"), Value: []byte("v"), Headers: h},
		&kgo.Record{Topic: topic, Key: []byte("k"), Value: nil},
		&kgo.Record{Topic: topic, Key: nil, Value: []byte{}, Headers: h})
	s := open(t, config(c, &events{}), ingest.Resume{Once: true})
	var records []ingest.Record
	for len(records) < 3 {
		chunk, err := s.Next(background(t))
		require.NoError(t, err)
		records = append(records, chunk.Records...)
	}
	for i := range records {
		require.NotZero(t, records[i].Time, "a record has the time of the log")
		records[i].Time = 0
	}
	require.Equal(t, []ingest.Record{{Offset: 0, Key: []byte("k"), Value: []byte("v")}, {Offset: 1, Key: []byte("k")},
		{Offset: 2, Value: []byte{}}}, records)
	require.Nil(t, records[1].Value, "a tombstone stays nil")
}

func TestResumesWhereStateStands(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic))
	cl := producer(t, c)
	for p := range int32(2) {
		for i := range 10 {
			write(t, cl, p, 10*i, 10*(i+1))
		}
	}
	cfg := config(c, &events{})
	cfg.MaxBytes = 256 // a batch or two a fetch
	got := newReceived()
	for stops := 0; got.count() < 200; stops++ { // a new source after every chunk
		require.Less(t, stops, 200)
		s := open(t, cfg, got.resume(false))
		chunk, err := s.Next(background(t))
		require.NoError(t, err)
		got.take(t, chunk)
		require.NoError(t, s.Close())
	}
	require.Equal(t, wantValues(0, [2]int{0, 100}), got.values[0])
	require.Equal(t, wantValues(1, [2]int{0, 100}), got.values[1])
}

func TestResumesInsideABatch(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 100)
	resume := ingest.Resume{Once: true, Digest: sum, Positions: map[state.Partition]state.Position{
		{Source: "kafka:" + topic}: {Next: 42, Last: 41, Digest: sum(value(0, 41))}}}
	got := newReceived()
	got.readEnd(t, open(t, config(c, &events{}), resume))
	require.Equal(t, wantValues(0, [2]int{42, 100}), got.values[0])
}

func TestOnceEndsWhereTheLogEndedAtOpen(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic)) // partition 1 stays empty
	cl := producer(t, c)
	write(t, cl, 0, 0, 10)
	s := open(t, config(c, &events{}), ingest.Resume{Once: true})
	write(t, cl, 0, 10, 20)
	write(t, cl, 1, 0, 10)
	got := newReceived()
	got.readEnd(t, s)
	require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0])
	require.Empty(t, got.values[1])

	rest := newReceived()
	rest.readEnd(t, open(t, config(c, &events{}), got.resume(true)))
	require.Equal(t, wantValues(0, [2]int{10, 20}), rest.values[0])
	require.Equal(t, wantValues(1, [2]int{0, 10}), rest.values[1])
}

// TestRecordsHaveTheTimeOfTheLog: the one that their producer gave them.
func TestRecordsHaveTheTimeOfTheLog(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	var records []*kgo.Record
	want := []int64{1_700_000_000_000, 1_600_000_000_000, 1_700_000_000_123}
	for _, at := range want {
		records = append(records, &kgo.Record{Topic: topic, Value: []byte("{}"), Timestamp: time.UnixMilli(at)})
	}
	produce(t, producer(t, c), records...)
	chunk, err := open(t, config(c, &events{}), ingest.Resume{}).Next(background(t))
	require.NoError(t, err)
	require.Len(t, chunk.Records, 3)
	for i, r := range chunk.Records {
		require.Equal(t, want[i], r.Time)
	}
}

func TestOnceCutsABatchThatCrossesTheEnd(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 100)
	s := open(t, config(c, &events{}), ingest.Resume{Once: true}).(*source)
	res, err := s.client.fetch(background(t), 0, 0, 0, 1<<20)
	require.NoError(t, err)
	chunk, err := fetch.NewAnswer(res, 0, 30, s.sizes(), func() error { return nil }, s.cfg.Header.take).Piece()
	require.NoError(t, err)
	require.Len(t, chunk.Records, 30)
	require.Equal(t, int64(30), chunk.Next)
}

func TestEndsAndStatus(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic))
	cl := producer(t, c)
	write(t, cl, 0, 0, 10)
	s := open(t, config(c, &events{}), ingest.Resume{})
	ends, err := s.Ends(background(t))
	require.NoError(t, err)
	name := "kafka:" + topic
	require.Equal(t, map[state.Partition]int64{{Source: name, ID: 0}: 10, {Source: name, ID: 1}: 0}, ends)

	before := s.Status()
	require.True(t, before.Connected)
	for i := range before.Partitions {
		require.WithinDuration(t, time.Now(), before.Partitions[i].Heard, time.Minute)
		before.Partitions[i].Heard = time.Time{}
	}
	require.Equal(t, []ingest.PartitionStatus{{Partition: state.Partition{Source: name, ID: 0}, Next: 0, End: 10},
		{Partition: state.Partition{Source: name, ID: 1}, Next: 0, End: 0}}, before.Partitions)
	newReceived().readN(t, s, 10)
	require.Equal(t, int64(10), s.Status().Partitions[0].Next)
	write(t, cl, 1, 0, 5)
	eventually(t, "the end moves", func() bool { return s.Status().Partitions[1].End == 5 })
}

func TestNotCallingNextPausesTheFetch(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	for i := range 50 {
		write(t, cl, 0, 10*i, 10*(i+1))
	}
	cfg := config(c, &events{})
	cfg.MaxBytes, cfg.Depth = 1, 2 // one batch a fetch
	s := open(t, cfg, ingest.Resume{Once: true}).(*source)
	p := s.parts[0]
	eventually(t, "two chunks wait in the channel, one at its door", func() bool {
		return len(s.chunks) == 2 && p.fetched.Load() >= 30 && p.blocked.Load()
	})
	require.Equal(t, int64(30), p.fetched.Load(), "nothing more is fetched")
	write(t, cl, 0, 500, 510)
	got := newReceived()
	got.readEnd(t, s)
	require.Equal(t, wantValues(0, [2]int{0, 500}), got.values[0])
}

func TestNextEndsWithItsContext(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	s := open(t, config(c, &events{}), ingest.Resume{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestOpenWaitsForTheTopic(t *testing.T) {
	c := broker(t)
	log := &events{}
	opened := make(chan ingest.Source)
	go func() {
		s, err := Open(context.Background(), config(c, log), ingest.Resume{})
		if err != nil {
			close(opened)
			return
		}
		opened <- s
	}()
	eventually(t, "it says what is missing", func() bool { return log.has("create the topic") })
	require.NoError(t, c.CreateTopic(topic, 1, nil))
	s, ok := <-opened
	require.True(t, ok)
	require.NoError(t, s.Close())
}
