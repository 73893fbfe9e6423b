package fetch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/retry"
)

// soon is a policy without long waits.
var soon = retry.Policy{Initial: time.Millisecond, Max: 5 * time.Millisecond}

// readTopic reads a topic of a cluster as texts of partition, offset and value; "-" is no value.
func readTopic(t *testing.T, c *kfake.Cluster, most int) (got []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	cfg := kafkaclient.Config{Brokers: c.ListenAddrs(), Topic: "out", Reconnect: soon}
	err = ReadTopic(ctx, cfg, most, time.Hour, func(partition int32, offset int64, _, value []byte) error {
		text := string(value)
		if value == nil {
			text = "-"
		}
		got = append(got, fmt.Sprintf("%d/%d %s", partition, offset, text))
		return nil
	})
	return got, err
}

// outbox is a broker whose topic has two partitions, with a producer of it.
func outbox(t *testing.T, opts ...kgo.Opt) (*kfake.Cluster, *kgo.Client) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "out"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, client(t, c, opts...)
}

func client(t *testing.T, c *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...),
		kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func send(t *testing.T, cl *kgo.Client, partition int32, values ...string) {
	t.Helper()
	for _, v := range values {
		require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: "out", Partition: partition, Value: []byte(v)}).FirstErr())
	}
}

// TestReadTopicGivesEachMessageOnce: in order, whatever a broker answers meanwhile, without what was deleted, aborted or is too
// long, and to the end that the topic had.
func TestReadTopicGivesEachMessageOnce(t *testing.T) {
	for name, disturb := range map[string]func(*kfake.Cluster){
		"nothing": func(*kfake.Cluster) {},
		"not leader": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 3})
		},
		"corrupt": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.CorruptMessage, Count: 3})
		},
		"offsets": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.NotLeaderForPartition, Count: 2})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, cl := outbox(t)
			send(t, cl, 0, "a", "b", strings.Repeat("x", 500), "d")
			send(t, cl, 1, "e")
			aborted := client(t, c, kgo.TransactionalID("t"))
			require.NoError(t, aborted.BeginTransaction())
			send(t, aborted, 1, "never")
			require.NoError(t, aborted.EndTransaction(t.Context(), kgo.TryAbort))
			send(t, cl, 1, "g")
			require.NoError(t, c.DeleteRecords("out", 0, 1))
			disturb(c)
			got, err := readTopic(t, c, 100)
			require.NoError(t, err)
			require.Equal(t, []string{"0/1 b", "0/2 -", "0/3 d", "1/0 e", "1/3 g"}, got)
		})
	}
}

// TestReadTopicGoesOnBehindDeletions: what is deleted while a topic is read is passed over.
func TestReadTopicGoesOnBehindDeletions(t *testing.T) {
	c, cl := outbox(t)
	send(t, cl, 1, "a", "b", "c", "d")
	deleted := false
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		if !deleted {
			deleted = true
			go func() { _ = c.DeleteRecords("out", 1, 3) }()
		}
		return nil, nil, false
	})
	got, err := readTopic(t, c, 100)
	require.NoError(t, err)
	require.Equal(t, "1/3 d", got[len(got)-1])
}

// TestReadTopicEndsBehindAHole: compaction may leave nothing up to the end; an answer without records says so the second time.
func TestReadTopicEndsBehindAHole(t *testing.T) {
	c, cl := outbox(t)
	send(t, cl, 0, "a", "b", "c")
	asked := 0
	c.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked++
		req := r.(*kmsg.FetchRequest)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset, part.RecordBatches = 3, 3, []byte{}
		if req.Topics[0].Partitions[0].FetchOffset == 0 {
			part.RecordBatches = encodeBatch(0, 0, -1, 0, record(0, "a"))
		}
		top := kmsg.NewFetchResponseTopic()
		top.Topic, top.Partitions = "out", []kmsg.FetchResponseTopicPartition{part}
		res := req.ResponseKind().(*kmsg.FetchResponse)
		res.Topics = []kmsg.FetchResponseTopic{top}
		return res, nil, true
	})
	got, err := readTopic(t, c, 100)
	require.NoError(t, err)
	require.Equal(t, []string{"0/0 a"}, got)
	require.Equal(t, 4, asked, "the record, two empty answers, and one at the last offset")
}

// TestReadTopicEnds: with the error of whoever gets the messages, at a stop, and where nobody answers in time.
func TestReadTopicEnds(t *testing.T) {
	c, cl := outbox(t)
	send(t, cl, 0, "a", "b")
	cfg := kafkaclient.Config{Brokers: c.ListenAddrs(), Topic: "out", Reconnect: soon}
	refused, calls := errors.New("refused"), 0
	err := ReadTopic(t.Context(), cfg, 100, time.Hour, func(int32, int64, []byte, []byte) error { calls++; return refused })
	require.ErrorIs(t, err, refused)
	require.Equal(t, 1, calls)

	ctx, stop := context.WithCancel(t.Context())
	err = ReadTopic(ctx, cfg, 100, time.Hour, func(int32, int64, []byte, []byte) error { stop(); return ctx.Err() })
	require.ErrorIs(t, err, context.Canceled)

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	cfg.Reconnect.Sleep = func(context.Context, time.Duration) error { return context.DeadlineExceeded } // the patience is over
	err = ReadTopic(t.Context(), cfg, 100, time.Hour, func(int32, int64, []byte, []byte) error { return nil })
	require.ErrorContains(t, err, "the topic has not answered for 1h0m0s")
	require.Contains(t, fault.Line(err), "grant Read and Describe on the topic")
}
