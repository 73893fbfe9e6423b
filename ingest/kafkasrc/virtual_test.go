package kafkasrc

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/ingest"
	"anond/internal/retry"
)

// The broker is away for a night: attempts go on with capped waits, and reading
// goes on when it is back. In virtual time, so that leaked goroutines fail the
// test.
func TestLongOutage(t *testing.T) {
	tier.NotShort(t, "it runs through a long outage")
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		cl, err := kgo.NewClient(kgo.SeedBrokers(rig.c.ListenAddrs()...), kgo.Dialer(rig.net.DialContext),
			kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ManualFlushing())
		require.NoError(t, err)
		defer cl.Close()
		write(t, cl, 0, 0, 10)

		log := &events{}
		w := &wire{dial: rig.net.DialContext}
		var dials atomic.Int64
		cfg := config(rig.c, log)
		cfg.Reconnect = retry.Policy{}
		cfg.RefreshInterval, cfg.MaxWait = time.Minute, time.Second
		cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials.Add(1)
			return w.Dial(ctx, network, address)
		}
		s, err := Open(context.Background(), cfg, ingest.Resume{Digest: sum})
		require.NoError(t, err)
		got := newReceived()
		for got.count() < 10 {
			c, err := s.Next(context.Background())
			require.NoError(t, err)
			got.take(t, c)
		}
		w.kill()
		write(t, cl, 0, 10, 20)
		time.Sleep(time.Minute)
		require.False(t, s.Status().Connected)
		before := dials.Load()
		time.Sleep(8 * time.Hour)
		perMinute := float64(dials.Load()-before) / (8 * 60)
		require.Positive(t, perMinute)
		// Metadata every five seconds on average, and each of the three partitions
		// two or three times a minute; each attempt tries three brokers.
		require.Less(t, perMinute, 100.0)
		require.Equal(t, 1, log.count("source_disconnected"))

		w.mu.Lock()
		w.cut = false
		w.mu.Unlock()
		for got.count() < 20 {
			c, err := s.Next(context.Background())
			require.NoError(t, err)
			got.take(t, c)
		}
		require.Equal(t, wantValues(0, [2]int{0, 20}), got.values[0])
		require.NoError(t, s.Close())
		time.Sleep(2 * time.Minute) // idle connections and old metadata loops end
	})
}
