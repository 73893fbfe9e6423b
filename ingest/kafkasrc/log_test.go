package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/ingest"
	"anond/ingest/decode"
)

// transact writes values in one transaction and ends it.
func transact(t *testing.T, cl *kgo.Client, end kgo.TransactionEndTry, partition int32, from, to int) {
	t.Helper()
	require.NoError(t, cl.BeginTransaction())
	write(t, cl, partition, from, to)
	require.NoError(t, cl.EndTransaction(background(t), end))
}

func TestAbortedTransactionsNeverBecomeRecords(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	plain := producer(t, c)
	tx := producer(t, c, kgo.TransactionalID("a"))
	other := producer(t, c, kgo.TransactionalID("b"))

	write(t, plain, 0, 0, 5)                                              // offsets 0-4
	transact(t, tx, kgo.TryAbort, 0, 100, 110)                            // 5-14, marker 15
	transact(t, tx, kgo.TryCommit, 0, 5, 10)                              // 16-20, marker 21
	require.NoError(t, other.BeginTransaction())                          //
	write(t, other, 0, 200, 205)                                          // 22-26, of an aborted transaction
	transact(t, tx, kgo.TryCommit, 0, 10, 15)                             // 27-31, marker 32, committed amid the other
	write(t, plain, 0, 15, 20)                                            // 33-37
	write(t, other, 0, 205, 207)                                          // 38-39
	require.NoError(t, other.EndTransaction(background(t), kgo.TryAbort)) // 40
	transact(t, other, kgo.TryCommit, 0, 20, 25)                          // 41-45, marker 46, same producer as the aborted
	transact(t, tx, kgo.TryAbort, 0, 300, 310)                            // 47-56, marker 57: aborted tail

	for _, maxBytes := range []int{1, 300, 1 << 20} { // every batch alone, some, all at once
		t.Run(fmt.Sprint(maxBytes), func(t *testing.T) {
			cfg := config(c, &events{})
			cfg.MaxBytes = maxBytes
			got := newReceived()
			got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
			require.Equal(t, wantValues(0, [2]int{0, 25}), got.values[0])
			require.Equal(t, int64(58), got.next[0], "aborted records and markers are covered")

			again := newReceived()
			again.readEnd(t, open(t, cfg, got.resume(true)))
			require.Zero(t, again.count())
		})
	}
}

// Whatever offset a state stopped at, what it has and what is read on are all.
func TestResumeAmidTransactions(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	tx := producer(t, c, kgo.TransactionalID("a"))
	transact(t, tx, kgo.TryCommit, 0, 0, 5)  // 0-4, 5
	transact(t, tx, kgo.TryAbort, 0, 90, 95) // 6-10, 11
	transact(t, tx, kgo.TryCommit, 0, 5, 10) // 12-16, 17
	want := map[int64]int{}                  // records left by offset
	for next := int64(0); next <= 18; next++ {
		left := 0
		for _, committed := range []int64{0, 1, 2, 3, 4, 12, 13, 14, 15, 16} {
			if committed >= next {
				left++
			}
		}
		want[next] = left
	}
	for next, left := range want {
		got := newReceived()
		got.readEnd(t, open(t, config(c, &events{}), ingest.Resume{Once: true, Positions: map[state.Partition]state.Position{
			{Source: "kafka:" + topic}: {Next: next, Last: -1}}}))
		require.Equal(t, left, got.count(), "from offset %d", next)
	}
}

func TestOpenTransactionIsWaitedFor(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	plain, tx := producer(t, c), producer(t, c, kgo.TransactionalID("a"))
	write(t, plain, 0, 0, 5)
	require.NoError(t, tx.BeginTransaction())
	write(t, tx, 0, 5, 10)
	write(t, plain, 0, 10, 15)

	got := newReceived()
	got.readEnd(t, open(t, config(c, &events{}), ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{0, 5}), got.values[0], "the end is the last stable offset")

	s := open(t, config(c, &events{}), got.resume(false))
	require.NoError(t, tx.EndTransaction(background(t), kgo.TryCommit))
	got.readN(t, s, 15)
	require.Equal(t, wantValues(0, [2]int{0, 15}), got.values[0])
}

// writeKeyed writes one batch: a record per key, valued as write does.
func writeKeyed(t *testing.T, cl *kgo.Client, from int, keys ...string) {
	t.Helper()
	var records []*kgo.Record
	for i, k := range keys {
		records = append(records, &kgo.Record{Topic: topic, Key: []byte(k), Value: value(0, from+i)})
	}
	produce(t, cl, records...)
}

func TestCompactionHolesAreCovered(t *testing.T) {
	c := broker(t)
	require.NoError(t, c.CreateTopic(topic, 1, map[string]string{"cleanup.policy": "compact"}))
	cl := producer(t, c)
	writeKeyed(t, cl, 0, "first", "a", "b")      // 0-2: 0 stays
	writeKeyed(t, cl, 3, "a", "b", "c")          // 3-5: nothing stays, the batch goes
	writeKeyed(t, cl, 6, "a", "b", "stays", "c") // 6-9: 8 stays
	writeKeyed(t, cl, 10, "a", "b", "c")         // 10-12
	writeKeyed(t, cl, 13, "z")                   // 13: the active segment
	before := newReceived()
	before.readEnd(t, open(t, config(c, &events{}), ingest.Resume{Once: true}))
	require.Equal(t, 14, before.count())
	c.Compact()

	for _, maxBytes := range []int{1, 1 << 20} {
		cfg := config(c, &events{})
		cfg.MaxBytes = maxBytes
		got := newReceived()
		got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
		require.Equal(t, wantValues(0, [2]int{0, 1}, [2]int{8, 9}, [2]int{10, 14}), got.values[0])
		require.Equal(t, int64(14), got.next[0])
	}
	for next := int64(1); next <= 14; next++ { // into every hole, and the last record read may be gone
		log := &events{}
		got := newReceived()
		got.readEnd(t, open(t, config(c, log), ingest.Resume{Once: true, Positions: map[state.Partition]state.Position{
			{Source: "kafka:" + topic}: {Next: next, Last: next - 1, Digest: sum(value(0, int(next-1)))}}}))
		gone := next-1 >= 1 && next-1 < 8 || next-1 == 9
		require.Equal(t, gone, log.count("source_unverified") == 1, "offset %d", next-1)
	}
}

func TestHoleUpToTheEndOfTheLog(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 5)
	write(t, producer(t, c), 0, 5, 10)
	// As after a compaction that left nothing behind offset 5.
	c.ControlKey(int16(kmsg.Fetch), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := k.(*kmsg.FetchRequest)
		if req.Topics[0].Partitions[0].FetchOffset < 5 {
			return nil, nil, false
		}
		res := req.ResponseKind().(*kmsg.FetchResponse)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset, part.RecordBatches = 10, 10, []byte{}
		top := kmsg.NewFetchResponseTopic()
		top.Topic, top.Partitions = topic, []kmsg.FetchResponseTopicPartition{part}
		res.Topics = []kmsg.FetchResponseTopic{top}
		return res, nil, true
	})
	cfg := config(c, &events{})
	cfg.MaxBytes = 1
	got := newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{0, 5}), got.values[0])
	require.Equal(t, int64(10), got.next[0])
}

// An empty answer that is not a hole (a slow remote tier) must skip nothing.
func TestEmptyAnswersAreNoHoleWhileTheTailIsThere(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	for i := range 3 {
		write(t, producer(t, c), 0, 5*i, 5*(i+1))
	}
	var refused atomic.Int64
	c.ControlKey(int16(kmsg.Fetch), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := k.(*kmsg.FetchRequest)
		if req.Topics[0].Partitions[0].FetchOffset != 5 || refused.Add(1) > 7 {
			return nil, nil, false
		}
		res := req.ResponseKind().(*kmsg.FetchResponse)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset, part.RecordBatches = 15, 15, []byte{}
		top := kmsg.NewFetchResponseTopic()
		top.Topic, top.Partitions = topic, []kmsg.FetchResponseTopicPartition{part}
		res.Topics = []kmsg.FetchResponseTopic{top}
		return res, nil, true
	})
	cfg := config(c, &events{})
	cfg.MaxBytes = 1
	got := newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{0, 15}), got.values[0])
}

func TestGapStopsAtOpen(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 100)
	require.NoError(t, c.DeleteRecords(topic, 0, 50))
	log := &events{}
	cfg := config(c, log)
	resume := ingest.Resume{Once: true, Digest: sum, Positions: map[state.Partition]state.Position{
		{Source: "kafka:" + topic}: {Next: 42, Last: 41, Digest: sum(value(0, 41))}}}
	_, err := Open(background(t), cfg, resume)
	var gap *ingest.GapError
	require.ErrorAs(t, err, &gap)
	require.ErrorIs(t, err, ingest.ErrGap)
	require.Equal(t, ingest.GapError{Partition: state.Partition{Source: "kafka:" + topic}, Want: 42, Have: 50}, *gap)
	require.Contains(t, log.text("source_gap"), "want=42 have=50 on_gap=stop")

	cfg.OnGap = gapContinue
	got := newReceived()
	got.next[0] = 42 // the chunk behind the gap covers it
	got.readEnd(t, open(t, cfg, resume))
	require.Equal(t, wantValues(0, [2]int{50, 100}), got.values[0])
	require.Equal(t, 2, log.count("source_gap"))
}

// Deletion of what state already has is no gap, and a fresh state starts where
// the log starts.
func TestDeletionBelowThePositionIsNoGap(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 100)
	require.NoError(t, c.DeleteRecords(topic, 0, 50))
	log := &events{}
	got := newReceived()
	got.readEnd(t, open(t, config(c, log), ingest.Resume{Once: true, Digest: sum, Positions: map[state.Partition]state.Position{
		{Source: "kafka:" + topic}: {Next: 50, Last: 49, Digest: sum(value(0, 49))}}}))
	require.Equal(t, wantValues(0, [2]int{50, 100}), got.values[0])
	require.Equal(t, 1, log.count("source_unverified"))

	fresh := newReceived()
	fresh.readEnd(t, open(t, config(c, log), ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{50, 100}), fresh.values[0])
	require.Zero(t, log.count("source_gap"))
}

func TestGapWhileReading(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	for i := range 20 {
		write(t, cl, 0, 10*i, 10*(i+1))
	}
	for _, onGap := range []OnGap{gapStop, gapContinue} {
		t.Run(string(onGap), func(t *testing.T) {
			cfg := config(c, &events{})
			cfg.MaxBytes, cfg.Depth, cfg.OnGap = 1, 1, onGap
			s := open(t, cfg, ingest.Resume{Once: true})
			p := s.(*source).parts[0]
			eventually(t, "the fetch is paused", func() bool { return len(s.(*source).chunks) == 1 && p.blocked.Load() })
			fetched, start := int(p.fetched.Load()), int(p.handed.Load())
			cut := fetched + 30
			require.NoError(t, c.DeleteRecords(topic, 0, int64(cut)))
			got := newReceived()
			if onGap == gapContinue {
				var missing []ingest.Missing
				for ctx := background(t); got.count() < fetched-start+200-cut; {
					chunk, err := s.Next(ctx)
					require.NoError(t, err)
					if got.take(t, chunk); chunk.Missing.Below > 0 {
						require.Equal(t, int64(fetched), chunk.From)
						missing = append(missing, chunk.Missing)
					}
				}
				require.Equal(t, wantValues(0, [2]int{start, fetched}, [2]int{cut, 200}), got.values[0])
				require.Equal(t, []ingest.Missing{{Below: int64(cut), Reason: decode.ReasonGap}}, missing,
					"the gap is handed out to be counted")
				return
			}
			var gap *ingest.GapError
			require.ErrorAs(t, got.readError(t, s), &gap)
			require.Equal(t, int64(fetched), gap.Want)
			require.Equal(t, int64(cut), gap.Have)
			require.Equal(t, wantValues(0, [2]int{start, fetched}), got.values[0], "what came before the gap is handed out first")
		})
	}
}

func TestTopicReplaced(t *testing.T) {
	read := func(t *testing.T, c *kfake.Cluster) *received {
		got := newReceived()
		got.readEnd(t, open(t, config(c, &events{}), ingest.Resume{Once: true}))
		return got
	}
	recreate := func(t *testing.T, c *kfake.Cluster, partitions int32) {
		require.NoError(t, c.DeleteTopic(topic))
		require.NoError(t, c.CreateTopic(topic, partitions, nil))
	}
	cases := map[string]struct {
		change func(t *testing.T, c *kfake.Cluster)
		why    string
	}{
		"shorter": {func(t *testing.T, c *kfake.Cluster) {
			recreate(t, c, 2)
			write(t, producer(t, c), 0, 0, 5)
		}, "the log ends at 5"},
		"longer, other records": {func(t *testing.T, c *kfake.Cluster) {
			recreate(t, c, 2)
			write(t, producer(t, c), 0, 1000, 1100)
		}, "offset 9 holds another record"},
		"a marker where the last record was": {func(t *testing.T, c *kfake.Cluster) {
			recreate(t, c, 2)
			write(t, producer(t, c), 0, 0, 4)
			transact(t, producer(t, c, kgo.TransactionalID("x")), kgo.TryCommit, 0, 4, 9) // marker at 9
			write(t, producer(t, c), 0, 50, 60)
		}, "offset 9 held a record"},
		"an aborted record where the last record was": {func(t *testing.T, c *kfake.Cluster) {
			recreate(t, c, 2)
			transact(t, producer(t, c, kgo.TransactionalID("x")), kgo.TryAbort, 0, 0, 20)
			write(t, producer(t, c), 0, 50, 60)
		}, "offset 9 held a record"},
		"fewer partitions": {func(t *testing.T, c *kfake.Cluster) { recreate(t, c, 1) }, "partition 1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := broker(t, kfake.SeedTopics(2, topic))
			write(t, producer(t, c), 0, 0, 10)
			write(t, producer(t, c), 1, 0, 10)
			got := read(t, c)
			tc.change(t, c)
			_, err := Open(background(t), config(c, &events{}), got.resume(false))
			require.ErrorIs(t, err, ingest.ErrReplaced)
			require.ErrorContains(t, err, tc.why)
		})
	}
}

func TestTopicReplacedWhileReading(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	log := &events{}
	s := open(t, config(c, log), ingest.Resume{})
	got := newReceived()
	got.readN(t, s, 10)
	require.NoError(t, c.DeleteTopic(topic))
	eventually(t, "the loss is noticed", func() bool { return log.count("source_disconnected") > 0 })
	require.NoError(t, c.CreateTopic(topic, 1, nil))
	write(t, producer(t, c), 0, 1000, 1100) // longer than what was read
	require.ErrorIs(t, got.readError(t, s), ingest.ErrReplaced)
	require.Equal(t, 10, got.count())
	require.Equal(t, 1, log.count("source_replaced"))
}

func TestPartitionsAddedLater(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	write(t, cl, 0, 0, 10)
	log := &events{}
	s := open(t, config(c, log), ingest.Resume{})
	got := newReceived()
	got.readN(t, s, 10)
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.TimeoutMillis = 1000
	more := kmsg.NewCreatePartitionsRequestTopic()
	more.Topic, more.Count = topic, 3
	req.Topics = append(req.Topics, more)
	res, err := req.RequestWith(background(t), cl)
	require.NoError(t, err)
	require.Zero(t, res.Topics[0].ErrorCode)
	cl2 := producer(t, c)
	write(t, cl2, 1, 0, 10)
	write(t, cl2, 2, 0, 10)
	got.readN(t, s, 30)
	for p := range int32(3) {
		require.Equal(t, wantValues(p, [2]int{0, 10}), got.values[p])
	}
	require.Equal(t, 2, log.count("source_partition_added"))
}

// TestMissingLogIsSaid: whoever waits for a topic that nobody has created is told what it waits for.
func TestMissingLogIsSaid(t *testing.T) {
	cfg := config(broker(t, kfake.SeedTopics(1, topic)), &events{})
	cfg.Topic = "nobody-made-it"
	ctx, cancel := context.WithCancel(background(t))
	var said []error
	log, err := OpenLog(cfg, 0, func(err error) { said = append(said, err); cancel() })
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	_, err = log.Partitions(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, said, 1)
	require.ErrorIs(t, said[0], kafka.UnknownTopicOrPartition)
	require.ErrorContains(t, said[0], "nobody-made-it")
}
