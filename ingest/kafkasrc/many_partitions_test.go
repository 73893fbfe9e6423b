package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/ingest"
)

// counted is a connection that is counted while it is open.
type countedConn struct {
	net.Conn
	open  *atomic.Int64
	ended atomic.Bool
}

func (c *countedConn) Close() error {
	if c.ended.CompareAndSwap(false, true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// TestConnectionsDoNotGrowWithPartitions reads 400 partitions of three brokers.
func TestConnectionsDoNotGrowWithPartitions(t *testing.T) {
	const partitions = 400
	c := broker(t, kfake.NumBrokers(3), kfake.SeedTopics(partitions, topic))
	cl := producer(t, c)
	all := func(from int) {
		var records []*kgo.Record
		for p := range int32(partitions) {
			records = append(records, &kgo.Record{Topic: topic, Partition: p, Value: value(p, from)})
		}
		produce(t, cl, records...)
	}
	all(0)
	var now, most atomic.Int64
	cfg := config(c, &events{})
	cfg.Group = "lag"
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		for n := now.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				return &countedConn{Conn: conn, open: &now}, nil
			}
		}
	}
	s := open(t, cfg, ingest.Resume{})
	ends, err := s.Ends(background(t))
	require.NoError(t, err)
	require.Len(t, ends, partitions)
	got := newReceived()
	got.readN(t, s, partitions)
	all(1) // all are idle now
	got.readN(t, s, 2*partitions)
	write(t, cl, 399, 2, 12) // one among many
	got.readN(t, s, 2*partitions+10)
	s.Ack(map[state.Partition]int64{{Source: "kafka:" + topic, ID: 399}: 12})
	t.Logf("%d connections at the most", most.Load())
	// A connection for each turn and broker, and a few for what else is asked.
	require.Less(t, most.Load(), int64(3*(16+12)))
	lag, known := s.Status().Lag(time.Now())
	require.True(t, known)
	require.Zero(t, lag)
}

// Partitions that wait for their turn, since nobody takes what others have, are
// not stalled.
func TestWaitingForATurnIsNoStall(t *testing.T) {
	c := broker(t, kfake.SeedTopics(5, topic))
	cl := producer(t, c)
	for p := range int32(5) {
		for i := range 10 {
			write(t, cl, p, 10*i, 10*(i+1))
		}
	}
	log := &events{}
	cfg := config(c, log)
	cfg.MaxBytes, cfg.Depth, cfg.Fetches, cfg.StallAfter = 1, 1, 1, time.Hour
	s := open(t, cfg, ingest.Resume{}).(*source)
	eventually(t, "one chunk is in the channel, one at its door, and all are held up", func() bool {
		fetched, blocked := int64(0), true
		for _, p := range s.parts {
			fetched += p.fetched.Load()
		}
		for _, p := range s.parts {
			blocked = blocked && p.blocked.Load()
		}
		return fetched == 20 && blocked
	})
	s.checkStall(time.Now().Add(2 * time.Hour)) // the watchdog itself looks too early
	require.Zero(t, log.count("source_stalled"))
	newReceived().readN(t, s, 500)
}

// What the tests of few partitions hold, with more partitions than turns: an
// idle one is found when it has something, whatever happens meanwhile.
func TestCrowdedPartitionsRideOutFaults(t *testing.T) {
	c := broker(t, kfake.NumBrokers(3), kfake.SeedTopics(20, topic))
	cl := producer(t, c)
	log := &events{}
	cfg := config(c, log)
	cfg.Fetches = 2
	s := open(t, cfg, ingest.Resume{})
	got := newReceived()
	for round := range 4 {
		for p := range int32(20) {
			write(t, cl, p, 10*round, 10*round+10)
		}
		got.readN(t, s, 200*(round+1))
		c.ShufflePartitionLeaders()
	}
	for p := range int32(20) {
		require.Equal(t, wantValues(p, [2]int{0, 40}), got.values[p])
	}
	require.NoError(t, s.Close())
	once := newReceived()
	once.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Equal(t, 800, once.count())
}
