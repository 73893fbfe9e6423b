package kafkasrc

import (
	"errors"
	"log/slog"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/equivclass/equivtest/tier"
	"anond/ingest"
	"anond/internal/retry"
)

// A broker that is behind the others names fewer partitions for a while.
func TestFewerPartitionsForAWhile(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic))
	cl := producer(t, c)
	write(t, cl, 0, 0, 10)
	write(t, cl, 1, 0, 10)
	first := newReceived()
	first.readN(t, open(t, config(c, &events{}), ingest.Resume{}), 20)
	write(t, cl, 1, 10, 20)

	answers := 3
	c.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if answers--; answers < 0 {
			return nil, nil, false
		}
		return oneFewer(c, r.(*kmsg.MetadataRequest)), nil, true
	})
	log := &events{}
	cfg := config(c, log)
	cfg.ConfirmAfter = time.Minute
	s := open(t, cfg, first.resume(false))
	require.Equal(t, 1, log.count("source_disconnected"))
	require.Zero(t, log.count("source_replaced"))
	got := newReceived()
	got.readN(t, s, 10)
	require.Equal(t, wantValues(1, [2]int{10, 20}), got.values[1])
}

// oneFewer answers as a broker would that knows only the first partition.
func oneFewer(c *kfake.Cluster, req *kmsg.MetadataRequest) *kmsg.MetadataResponse {
	res := req.ResponseKind().(*kmsg.MetadataResponse)
	host := kmsg.NewMetadataResponseBroker()
	addr := c.ListenAddrs()[0]
	host.NodeID, host.Host, host.Port = 0, "127.0.0.1", portOf(addr)
	res.Brokers = []kmsg.MetadataResponseBroker{host}
	part := kmsg.NewMetadataResponseTopicPartition()
	part.Partition, part.Leader = 0, 0
	top := kmsg.NewMetadataResponseTopic()
	top.Topic = kmsg.StringPtr(topic)
	top.Partitions = []kmsg.MetadataResponseTopicPartition{part}
	res.Topics = []kmsg.MetadataResponseTopic{top}
	return res
}

// A first start in a new group finds no coordinator yet. That is no failure.
func TestNewGroupIsNoFailure(t *testing.T) {
	tier.NotShort(t, "it waits for retries")
	for _, code := range []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.CoordinatorLoadInProgress} {
		t.Run(code.Message, func(t *testing.T) { takesTheLeaseAfter(t, code) })
	}
}

// takesTheLeaseAfter opens a source whose coordinator answers with an error first.
func takesTheLeaseAfter(t *testing.T, code *kerr.Error) {
	t.Parallel() // it waits most of the time
	c := broker(t, kfake.SeedTopics(1, topic))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Topic: topic, Err: code, Count: 1})
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "g", Err: code, Count: 1})
	log := &events{}
	cfg := config(c, log)
	cfg.Group = "g"
	l, err := AcquireLease(background(t), cfg)
	require.NoError(t, err)
	cfg.Lease = l
	s, err := Open(background(t), cfg, ingest.Resume{Digest: sum})
	require.NoError(t, err)
	require.Zero(t, log.count("source_disconnected"), log.text("source_disconnected"))
	require.Positive(t, log.count("source_retry"), "the fault has struck")
	require.NoError(t, s.Close())
	require.NoError(t, l.Close())
}

func TestACoordinatorThatStaysAwayIsAFailure(t *testing.T) {
	log := &events{}
	h := &health{log: slog.New(log)}
	start := time.Now()
	h.failsAt(start, noPartition, kafka.GroupCoordinatorNotAvailable)
	h.works(noPartition)
	require.Zero(t, log.count("source_disconnected")+log.count("source_connected"))
	h.failsAt(start, noPartition, kafka.GroupCoordinatorNotAvailable)
	h.failsAt(start.Add(retry.FirstSilence), noPartition, kafka.GroupCoordinatorNotAvailable)
	require.Equal(t, 1, log.count("source_disconnected"))
	h.works(noPartition)
	require.Equal(t, 1, log.count("source_connected"))
	h.failsAt(start, noPartition, errors.New("away"))
	require.Equal(t, 2, log.count("source_disconnected"), "anything else is one at once")
}

func portOf(addr string) int32 {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		panic(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		panic(err)
	}
	return int32(n)
}
