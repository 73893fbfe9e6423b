package kafkasrc

import (
	"anond/incremental/state"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/ingest"
)

// epochBatch is a batch of values from..to-1 at these offsets, written by the
// leader of an epoch.
func epochBatch(epoch uint32, offset int64, from, to int) []byte {
	var records []kmsg.Record
	for i := from; i < to; i++ {
		records = append(records, record(int32(i-from), string(value(0, i))))
	}
	b := encodeBatch(offset, 0, -1, int32(to-from-1), records...)
	binary.BigEndian.PutUint32(b[12: /* the epoch */], epoch)
	return b
}

// truncated is what partition 0 holds after an unclean election: five records
// that were read, and fifteen others of a new leader.
type truncated struct{ kept, others []byte }

const truncatedEnd = 20

func newTruncated() *truncated {
	return &truncated{epochBatch(0, 0, 0, 5), epochBatch(1, 5, 1000, 1015)}
}

// fetch answers for all partitions asked for; the others than 0 are empty.
func (l *truncated) fetch(req *kmsg.FetchRequest) *kmsg.FetchResponse {
	res := req.ResponseKind().(*kmsg.FetchResponse)
	top := kmsg.NewFetchResponseTopic()
	top.Topic = topic
	for _, asked := range req.Topics[0].Partitions {
		part := kmsg.NewFetchResponseTopicPartition()
		part.Partition, part.RecordBatches = asked.Partition, []byte{}
		if asked.Partition == 0 {
			part.HighWatermark, part.LastStableOffset = truncatedEnd, truncatedEnd
			if asked.FetchOffset < 5 {
				part.RecordBatches = append(part.RecordBatches, l.kept...)
			}
			if asked.FetchOffset < truncatedEnd {
				part.RecordBatches = append(part.RecordBatches, l.others...)
			}
		}
		top.Partitions = append(top.Partitions, part)
	}
	res.Topics = []kmsg.FetchResponseTopic{top}
	return res
}

// takeOver has the truncated log answer fetches, from the nth on, and questions
// for offsets. No request fails meanwhile.
func takeOver(c *kfake.Cluster, nth int64) {
	l := newTruncated()
	var fetches atomic.Int64
	c.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if fetches.Add(1) < nth {
			return nil, nil, false
		}
		return l.fetch(r.(*kmsg.FetchRequest)), nil, true
	})
	end := int64(truncatedEnd)
	answerEnds(c, func() (int64, bool) { return end, true })
}

// answerEnds has questions for the end of partition 0 answered by f, while that
// wants to.
func answerEnds(c *kfake.Cluster, f func() (end int64, ok bool)) {
	c.ControlKey(int16(kmsg.ListOffsets), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := r.(*kmsg.ListOffsetsRequest)
		asked := req.Topics[0].Partitions[0]
		if asked.Partition != 0 || asked.Timestamp != -1 {
			return nil, nil, false
		}
		end, ok := f()
		if !ok {
			return nil, nil, false
		}
		res := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		part := kmsg.NewListOffsetsResponseTopicPartition()
		part.Offset = end
		top := kmsg.NewListOffsetsResponseTopic()
		top.Topic, top.Partitions = topic, []kmsg.ListOffsetsResponseTopicPartition{part}
		res.Topics = []kmsg.ListOffsetsResponseTopic{top}
		return res, nil, true
	})
}

// An unclean election of which no error tells, since the log has grown beyond the
// place again: nothing of the new log is handed out.
func TestNewLeaderThatLacksRecords(t *testing.T) {
	for name, fetches := range map[string]int{"each partition waits": 16, "one request waits for all": 1} {
		t.Run(name, func(t *testing.T) {
			c := broker(t, kfake.SeedTopics(2, topic))
			write(t, producer(t, c), 0, 0, 10)
			log := &events{}
			cfg := config(c, log)
			cfg.Fetches = fetches
			s := open(t, cfg, ingest.Resume{})
			got := newReceived()
			got.readN(t, s, 10)
			takeOver(c, 1)
			err := got.readError(t, s)
			require.ErrorIs(t, err, ingest.ErrReplaced)
			require.ErrorContains(t, err, "kafka:"+topic+" partition 0: offset 9 holds another record")
			require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0])
			require.Equal(t, 1, log.count("source_replaced"))
		})
	}
}

// The same between the comparison at the start and the first fetch.
func TestNewLeaderWhileTheSourceStarts(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	takeOver(c, 2) // the first fetch is that of the last record
	s := open(t, config(c, &events{}), ingest.Resume{Positions: map[state.Partition]state.Position{
		{Source: "kafka:" + topic}: {Next: 10, Last: 9, Digest: sum(value(0, 9))}}})
	got := newReceived()
	require.ErrorIs(t, got.readError(t, s), ingest.ErrReplaced)
	require.Zero(t, got.count())
}

// A log that many leaders have written is read as any other. It is compared once
// for each of them.
func TestManyLeaders(t *testing.T) {
	const leaders = 5
	for _, maxBytes := range []int{1, 1 << 20} {
		c := broker(t, kfake.NumBrokers(3), kfake.SeedTopics(1, topic))
		for i := range leaders {
			write(t, producer(t, c), 0, 20*i, 20*i+10)
			write(t, producer(t, c), 0, 20*i+10, 20*i+20)
			require.NoError(t, c.MoveTopicPartition(topic, 0, int32(i+1)%3))
		}
		var asked atomic.Int64
		answerEnds(c, func() (int64, bool) { asked.Add(1); return 0, false })
		log := &events{}
		cfg := config(c, log)
		cfg.MaxBytes = maxBytes
		got := newReceived()
		got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
		require.Equal(t, wantValues(0, [2]int{0, 20 * leaders}), got.values[0])
		require.EqualValues(t, 2*leaders, asked.Load(), "both ends at the start, and at each new leader")
		require.Zero(t, log.count("source_disconnected")+log.count("source_unverified"), log.seen)
	}
}

// A broker that is cut off from the others takes itself for the leader and does
// not know the newest records. It is no other log.
func TestBrokerThatIsBehind(t *testing.T) {
	behind := func(c *kfake.Cluster) {
		var asked atomic.Int64
		answerEnds(c, func() (int64, bool) { return 5, asked.Add(1) <= 10 })
	}
	for _, running := range []bool{false, true} {
		c := broker(t, kfake.SeedTopics(1, topic))
		write(t, producer(t, c), 0, 0, 10)
		log := &events{}
		cfg := config(c, log)
		cfg.ConfirmAfter = time.Minute
		cfg.Reconnect.Initial = time.Millisecond
		got := newReceived()
		var s ingest.Source
		if running {
			s = open(t, cfg, ingest.Resume{})
			got.readN(t, s, 10)
			behind(c)
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: topic, Err: kerr.OffsetOutOfRange, Count: 1})
		} else {
			got.readEnd(t, open(t, config(c, &events{}), ingest.Resume{Once: true}))
			behind(c)
			s = open(t, cfg, got.resume(false))
		}
		eventually(t, "it was told", func() bool { return log.count("source_disconnected") > 0 })
		write(t, producer(t, c), 0, 10, 20)
		got.readN(t, s, 20)
		require.Equal(t, wantValues(0, [2]int{0, 20}), got.values[0])
		require.Zero(t, log.count("source_replaced"))
		eventually(t, "it says that it works", func() bool { return s.Status().Connected })
	}
}
