package kafkasrc

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/ingest"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
	"anond/shards/keying"
)

// TestShardsDivideThePartitions: each partition is of one shard, and the sources know how many
// there are in all.
func TestShardsDivideThePartitions(t *testing.T) {
	c := broker(t, kfake.SeedTopics(5, topic))
	p := producer(t, c)
	for id := range int32(5) {
		write(t, p, id, 0, 3)
	}
	for index, want := range [][]int32{{0, 2, 4}, {1, 3}} {
		cfg := config(c, &events{})
		cfg.Shard = Shard{Index: index, Of: 2}
		s := open(t, cfg, ingest.Resume{Once: true})
		require.Equal(t, 5, s.(ingest.Partitioned).Partitions())
		r := newReceived()
		r.readEnd(t, s)
		for _, id := range want {
			require.Equal(t, wantValues(id, [2]int{0, 3}), r.values[id])
		}
		require.Len(t, r.values, len(want))
		cfg.Shard.Partitions = 5
		open(t, cfg, r.resume(true))
	}
}

// TestOtherPartitionsStopAShard: at the start, and while it reads.
func TestOtherPartitionsStopAShard(t *testing.T) {
	c := broker(t, kfake.SeedTopics(4, topic))
	p := producer(t, c)
	write(t, p, 0, 0, 3)
	cfg := config(c, &events{})
	for _, sh := range []Shard{{Of: 2, Partitions: 3}, {Of: 2, Partitions: 6}, {Index: 4, Of: 5}} {
		cfg.Shard = sh
		_, err := Open(background(t), cfg, ingest.Resume{Digest: sum})
		var moved *ingest.PartitionsChangedError
		require.ErrorAs(t, err, &moved)
		require.Equal(t, 4, moved.Has)
		require.Equal(t, sh.Partitions, moved.Was)
	}
	log := &events{}
	cfg = config(c, log)
	cfg.Shard = Shard{Of: 2, Partitions: 4}
	s := open(t, cfg, ingest.Resume{})
	r := newReceived()
	r.readN(t, s, 3)
	admin := kafka.Client{Addr: kafka.TCP(c.ListenAddrs()...)}
	_, err := admin.CreatePartitions(background(t), &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: topic, Count: 5}}})
	require.NoError(t, err)
	require.ErrorIs(t, r.readError(t, s), ingest.ErrPartitionsChanged)
}

// TestLinksOfRepartitionedRecords: what the writer of repartitioned topics writes is read with its link, in
// batches that are large as well; without being asked for no link is read.
func TestLinksOfRepartitionedRecords(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cfg := config(c, &events{})
	w, err := OpenPartitionWriter(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	n, holds, err := w.Extent(background(t))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.False(t, holds)
	links := []keying.Link{{Source: 1, Offset: 4, Previous: 2, First: true}, {Source: 1, Offset: 5, Previous: 4, Cut: true}}
	require.NoError(t, w.Write(background(t), 0, keying.LinkHeader, []Headed{
		{kafkaclient.Message{Key: []byte("a"), Value: []byte("x")}, links[0].Encode()},
		{kafkaclient.Message{Key: []byte("b")}, links[1].Encode()}}))
	_, holds, err = w.Extent(background(t))
	require.NoError(t, err)
	require.True(t, holds)

	// one batch that is streamed
	p := producer(t, c, kgo.ProducerBatchCompression(kgo.GzipCompression()))
	var many []*kgo.Record
	for i := range 300 {
		l := keying.Link{Source: 2, Offset: int64(i), Previous: int64(i - 1), First: i == 0}
		many = append(many, &kgo.Record{Topic: topic, Value: make([]byte, 1000), Key: []byte("k"),
			Headers: []kgo.RecordHeader{{Key: "other", Value: []byte("x")}, {Key: keying.LinkHeader, Value: l.Encode()}}})
	}
	produce(t, p, many...)

	for _, asked := range []bool{false, true} {
		cfg.MaxBytes = 64 << 10
		if asked {
			cfg.Header = Header{keying.LinkHeader, keying.ReadLink}
		}
		s := open(t, cfg, ingest.Resume{Once: true})
		var got []ingest.Record
		for {
			chunk, err := s.Next(background(t))
			if err != nil {
				break
			}
			got = append(got, chunk.Records...)
		}
		require.Len(t, got, 302)
		if !asked {
			for _, r := range got {
				require.Nil(t, r.Note)
			}
			continue
		}
		require.Equal(t, links[0], *linkOf(got[0]))
		require.Equal(t, "a", string(got[0].Key))
		require.Equal(t, links[1], *linkOf(got[1]))
		require.True(t, got[1].Cut)
		require.Nil(t, got[1].Value)
		for i, r := range got[2:] {
			require.Equal(t, keying.Link{Source: 2, Offset: int64(i), Previous: int64(i - 1), First: i == 0}, *linkOf(r))
		}
	}
}

func linkOf(r ingest.Record) *keying.Link {
	l, _ := r.Note.(*keying.Link)
	return l
}

// TestExtentWaitsForALeader: a topic that was just made has none for a moment.
func TestExtentWaitsForALeader(t *testing.T) {
	for _, code := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.LeaderNotAvailable, kerr.OffsetNotAvailable} {
		c := broker(t, kfake.SeedTopics(2, topic))
		w, err := OpenPartitionWriter(config(c, &events{}))
		require.NoError(t, err)
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: code, Count: 3})
		n, holds, err := w.Extent(background(t))
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.False(t, holds)
		require.NoError(t, w.Close())
	}
}

// plainHeaders reads headers up to the first fault, one after another.
func plainHeaders(b []byte) (out []kgo.RecordHeader) {
	in := bytes.NewReader(b)
	text := func() ([]byte, bool) {
		n, err := binary.ReadVarint(in)
		if err != nil || n > int64(in.Len()) {
			return nil, false
		}
		value := make([]byte, max(0, n))
		_, err = io.ReadFull(in, value)
		return value, err == nil
	}
	count, err := binary.ReadVarint(in)
	for ; err == nil && count > 0; count-- {
		name, whole := text()
		value, also := text()
		if !whole || !also {
			break
		}
		out = append(out, kgo.RecordHeader{Key: string(name), Value: value})
	}
	return out
}

// FuzzHeaders: headers of any bytes give a link or none, and a reader of all headers finds the same.
func FuzzHeaders(f *testing.F) {
	header := func(name string, value []byte) []byte {
		out := binary.AppendVarint(nil, int64(len(name)))
		return append(binary.AppendVarint(append(out, name...), int64(len(value))), value...)
	}
	link := (&keying.Link{Source: 1, Offset: 2, Previous: 1}).Encode()
	f.Add(append(binary.AppendVarint(nil, 2), append(header("x", nil), header(keying.LinkHeader, link)...)...))
	f.Add(binary.AppendVarint(nil, -1))
	f.Add(binary.AppendVarint(nil, 1<<40))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r ingest.Record
		(&Header{keying.LinkHeader, keying.ReadLink}).take(&r, &fetch.Record{Headers: b})
		var want *keying.Link
		for _, h := range plainHeaders(b) {
			if h.Key == keying.LinkHeader { // the first of several
				want, _ = keying.DecodeLink(h.Value)
				break
			}
		}
		require.Equal(t, want, linkOf(r))
	})
}
