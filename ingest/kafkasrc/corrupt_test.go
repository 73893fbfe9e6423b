package kafkasrc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/kafkaclient/fetch"
	"anond/internal/kafkaclient/fetch/fetchtest"
)

// served is a log of batches that the broker hands out in place of its own.
type served struct {
	mu   sync.Mutex
	last []int64 // true last offset of each batch
	raw  [][]byte
}

// tenEach is a log of batches of ten records.
func tenEach(batches int) *served {
	l := &served{}
	for b := range batches {
		var records []kmsg.Record
		for i := range 10 {
			records = append(records, kmsg.Record{OffsetDelta: int32(i), Value: value(0, 10*b+i)})
		}
		l.raw = append(l.raw, encodeBatch(int64(10*b), 0, -1, 9, records...))
		l.last = append(l.last, int64(10*b+9))
	}
	return l
}

// on makes a broker whose topic has as many records, and answers fetches from the log.
func (l *served) on(t *testing.T) *kfake.Cluster {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	for b := range l.raw {
		write(t, cl, 0, 10*b, 10*(b+1))
	}
	end := l.last[len(l.last)-1] + 1
	c.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := r.(*kmsg.FetchRequest)
		res := req.ResponseKind().(*kmsg.FetchResponse)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset, part.LogStartOffset, part.RecordBatches = end, end, 0, []byte{}
		from := req.Topics[0].Partitions[0].FetchOffset
		if from >= end {
			return nil, nil, false // the broker's own answer: it waits
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, last := range l.last {
			if last >= from {
				part.RecordBatches = append(part.RecordBatches, l.raw[i]...)
			}
		}
		top := kmsg.NewFetchResponseTopic()
		top.Topic, top.Partitions = topic, []kmsg.FetchResponseTopicPartition{part}
		res.Topics = []kmsg.FetchResponseTopic{top}
		return res, nil, true
	})
	return c
}

// spoilings are ways in which a batch can be spoiled.
func spoilings(t *testing.T) map[string]func(batch []byte) []byte {
	put := func(at int, v ...byte) func([]byte) []byte {
		return func(b []byte) []byte {
			b = bytes.Clone(b)
			copy(b[at:], v)
			return b
		}
	}
	return map[string]func([]byte) []byte{
		"content":                put(80, 0xff, 0xff),
		"checksum":               put(fetchtest.CrcAt, 1, 2, 3, 4),
		"a last offset far away": put(23, 0, 0, 4, 0),
		"a length far too long":  put(fetchtest.LengthAt, 0x7f, 0, 0, 0),
		"a negative length":      put(fetchtest.LengthAt, 0xff, 0, 0, 0),
		"format":                 put(fetchtest.MagicAt, 9),
		"garbage compressed":     func(b []byte) []byte { return sealed(b, 4, []byte("this is no zstd")) },
		"unknown compression":    func(b []byte) []byte { return sealed(b, 7, b[fetchtest.HeaderSize:]) },
		"decompresses too far": func(b []byte) []byte {
			return recompress(t, b, 1, bytes.Repeat([]byte{0}, 70_000))
		},
	}
}

func TestSpoiledBatchIsPassedIfToldSo(t *testing.T) {
	for name, spoil := range spoilings(t) {
		for _, which := range []int{0, 1, 3} { // the first, in the middle, the last
			t.Run(fmt.Sprintf("%s/%d", name, which), func(t *testing.T) {
				t.Parallel()
				l := tenEach(4)
				l.raw[which] = spoil(l.raw[which])
				log := &events{}
				cfg := config(l.on(t), log)
				cfg.OnCorrupt, cfg.MaxBatch, cfg.ConfirmAfter = corruptSkip, 60_000, 10*time.Millisecond
				s := open(t, cfg, ingest.Resume{Once: true})
				var missing []int64
				got := newReceived()
				for ctx := background(t); ; {
					c, err := s.Next(ctx)
					if err != nil {
						require.ErrorContains(t, err, "EOF")
						break
					}
					if c.Missing.Below > 0 {
						require.Equal(t, decode.ReasonCorruptBatch, c.Missing.Reason)
						missing = append(missing, c.From, c.Missing.Below)
					}
					got.take(t, c)
				}
				require.Equal(t, []int64{int64(10 * which), int64(10*which + 10)}, missing, "these offsets and no others")
				require.Equal(t, wantValues(0, [2]int{0, 10 * which}, [2]int{10*which + 10, 40}), got.values[0])
				require.Equal(t, 1, log.count("source_corrupt"))
			})
		}
	}
}

func TestSpoiledBatchStopsTheSource(t *testing.T) {
	l := tenEach(3)
	l.raw[1] = spoilings(t)["checksum"](l.raw[1])
	log := &events{}
	cfg := config(l.on(t), log)
	got := newReceived()
	err := got.readError(t, open(t, cfg, ingest.Resume{}))
	require.ErrorIs(t, err, ingest.ErrCorrupt)
	require.ErrorContains(t, err, "kafka:admissions partition 0: offsets 10 to 19 cannot be read: corrupt record batch at offset 10: "+
		"wrong checksum")
	require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0], "what comes before is read")
	require.GreaterOrEqual(t, log.count("source_disconnected")+log.count("source_retry"), spoiledTries)
}

// A batch that can be read again after a while, as from another replica, ends
// nothing.
func TestSpoiledForAWhile(t *testing.T) {
	l := tenEach(3)
	good := l.raw[1]
	l.raw[1] = spoilings(t)["checksum"](good)
	cfg := config(l.on(t), &events{})
	cfg.ConfirmAfter = time.Hour
	s := open(t, cfg, ingest.Resume{Once: true}).(*source)
	got := newReceived()
	got.readN(t, s, 10)
	eventually(t, "it is tried often", func() bool {
		s.health.mu.Lock()
		defer s.health.mu.Unlock()
		f := s.health.down[0]
		return f != nil && f.tries > 5
	})
	l.mu.Lock()
	l.raw[1] = good
	l.mu.Unlock()
	got.readEnd(t, s)
	require.Equal(t, wantValues(0, [2]int{0, 30}), got.values[0])
}

// A partition that is tried repeatedly is reported as stalled nevertheless.
func TestSpoiledBatchIsAStall(t *testing.T) {
	l := tenEach(3)
	l.raw[1] = spoilings(t)["checksum"](l.raw[1])
	log := &events{}
	cfg := config(l.on(t), log)
	cfg.ConfirmAfter, cfg.StallAfter = time.Hour, 100*time.Millisecond
	s := open(t, cfg, ingest.Resume{})
	newReceived().readN(t, s, 10)
	eventually(t, "the stall is told again and again", func() bool {
		now := s.Status()
		return log.count("source_stalled") > 1 && now.Stalled && !now.Connected
	})
	require.Contains(t, log.text("source_stalled"), "partition=0")
}

// TestDisconnectedIsNoStall: that a broker is away is one fault, and told as such.
func TestDisconnectedIsNoStall(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	log := &events{}
	cfg := config(c, log)
	cfg.StallAfter = time.Hour
	s := open(t, cfg, ingest.Resume{}).(*source)
	for away, stalled := range map[error]bool{nil: true, io.ErrUnexpectedEOF: false} {
		s.mu.Lock()
		p := s.parts[0]
		s.mu.Unlock()
		p.end.Store(1 << 40)
		p.progress.Store(0)
		if away != nil {
			s.health.fails(noPartition, away)
		}
		before := log.count("source_stalled")
		s.checkStall(time.Now())
		require.Equal(t, stalled, s.Status().Stalled)
		require.Equal(t, stalled, log.count("source_stalled") > before)
		s.health.works(noPartition)
		s.checkStall(time.Unix(0, 0))
	}
}

// Each failing partition is named repeatedly, but one broker that is away does
// not cause a line for each partition.
func TestHealthNamesEachFailingPartition(t *testing.T) {
	log := &events{}
	h := &health{log: slog.New(log)}
	warned := func() (n int) {
		log.mu.Lock()
		defer log.mu.Unlock()
		for _, e := range log.seen {
			if e.name == "source_disconnected" || bytes.Contains([]byte(e.text), []byte("tries=")) {
				n++
			}
		}
		return n
	}
	start := time.Now()
	h.failsAt(start, 3, fetch.Corrupt(17, "wrong checksum"))
	h.failsAt(start.Add(time.Second), 5, kafka.KafkaStorageError)
	h.failsAt(start.Add(time.Second), 6, fetch.Corrupt(99, "wrong checksum"))
	require.Equal(t, 3, warned(), "faults of different partitions")
	for id := range int32(400) {
		h.failsAt(start.Add(2*time.Second), 1000+id, fmt.Errorf("dial tcp 10.0.0.1:%d: connection refused", 9000+id))
	}
	require.Equal(t, 4, warned(), "one fault of many partitions")
	require.Contains(t, log.text("source_retry"), "connection refused")

	before := warned()
	for at := 10 * time.Second; at < 4*time.Hour; at += 30 * time.Second {
		h.failsAt(start.Add(at), 3, fetch.Corrupt(17, "wrong checksum"))
		h.failsAt(start.Add(at), 5, kafka.KafkaStorageError)
		for id := range int32(400) {
			h.failsAt(start.Add(at), 1000+id, fmt.Errorf("dial tcp 10.0.0.1:%d: connection refused", 9000+id))
		}
	}
	lines := warned() - before
	require.Greater(t, lines, 3*4*6-10, "each fault every ten minutes")
	require.Less(t, lines, 3*4*6+50)
	require.NotEmpty(t, h.trouble())
	for _, id := range []int32{3, 5, 6} {
		h.works(id)
	}
	for id := range int32(400) {
		h.works(1000 + id)
	}
	require.Empty(t, h.trouble())
	require.Equal(t, 1, log.count("source_connected"))
}

func TestEndOfASpoiledBatchIsNotBelievedFromAWrongHeader(t *testing.T) {
	b := tenEach(1).raw[0]
	binary.BigEndian.PutUint32(b[23:], 1000)
	_, _, err := (&fetch.Response{Batches: b}).First()
	var c *fetch.CorruptBatch
	require.True(t, errors.As(err, &c))
	require.Equal(t, int64(-1), c.Last)
}
