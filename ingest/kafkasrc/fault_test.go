package kafkasrc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
)

// Each fault occurs while records are read; in the end each record has come
// once.
func TestFaultsAreRiddenOut(t *testing.T) {
	fetch := []kmsg.Key{kmsg.Fetch}
	cases := map[string]func(c *kfake.Cluster){
		"not leader":           func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: fetch, Err: kerr.NotLeaderForPartition, Count: 3}) },
		"storage error":        func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: fetch, Err: kerr.KafkaStorageError, Count: 3}) },
		"unknown leader epoch": func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: fetch, Err: kerr.UnknownLeaderEpoch, Count: 3}) },
		"corrupt message":      func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: fetch, Err: kerr.CorruptMessage, Count: 3}) },
		"out of range by mistake": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: fetch, Err: kerr.OffsetOutOfRange, Count: 3})
		},
		"offsets unavailable": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: fetch, Err: kerr.NotLeaderForPartition, Count: 1})
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.OffsetNotAvailable, Count: 2})
		},
		"whole answer refused": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: fetch, Err: kerr.UnknownServerError, TopLevel: true, Count: 2})
		},
		"connection dropped": func(c *kfake.Cluster) {
			for range 3 {
				c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("drop"), true })
			}
		},
		"leader moves": func(c *kfake.Cluster) { c.ShufflePartitionLeaders() },
	}
	for name, strike := range cases {
		t.Run(name, func(t *testing.T) {
			c := broker(t, kfake.NumBrokers(3), kfake.SeedTopics(2, topic))
			cl := producer(t, c)
			for p := range int32(2) {
				for i := range 20 {
					write(t, cl, p, 10*i, 10*(i+1))
				}
			}
			log := &events{}
			cfg := config(c, log)
			cfg.MaxBytes = 1
			s := open(t, cfg, ingest.Resume{Once: true})
			got := newReceived()
			got.readN(t, s, 50)
			strike(c)
			got.readEnd(t, s)
			for p := range int32(2) {
				require.Equal(t, wantValues(p, [2]int{0, 200}), got.values[p])
			}
			require.Equal(t, log.count("source_disconnected"), log.count("source_connected")-1, "every loss is followed by a recovery")
		})
	}
}

func TestBrokerRestart(t *testing.T) {
	tier.NotShort(t, "it waits for a broker")
	dir := t.TempDir()
	start := func(port int) *kfake.Cluster {
		var c *kfake.Cluster
		opts := []kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, topic), kfake.DataDir(dir)}
		if port > 0 {
			opts = append(opts, kfake.Ports(port))
		}
		eventually(t, "the port is free", func() (ok bool) {
			var err error
			c, err = kfake.NewCluster(opts...)
			return err == nil
		})
		return c
	}
	c := start(0)
	write(t, producer(t, c), 0, 0, 100)
	log := &events{}
	s := open(t, config(c, log), ingest.Resume{})
	got := newReceived()
	got.readN(t, s, 100)
	_, port, err := net.SplitHostPort(c.ListenAddrs()[0])
	require.NoError(t, err)
	n, err := net.LookupPort("tcp", port)
	require.NoError(t, err)
	c.Close()
	eventually(t, "the loss is noticed", func() bool { return log.count("source_disconnected") > 0 && !s.Status().Connected })

	c = start(n)
	t.Cleanup(c.Close)
	write(t, producer(t, c), 0, 100, 200)
	got.readN(t, s, 200)
	require.Equal(t, wantValues(0, [2]int{0, 200}), got.values[0])
	eventually(t, "it says so", func() bool { return s.Status().Connected })
}

// Fetches get neither an error nor an answer. Only the watchdog helps, long
// before the request would time out.
func TestWatchdogRebuildsConnections(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	log := &events{}
	cfg := config(c, log)
	cfg.RequestTimeout, cfg.StallAfter = time.Minute, 100*time.Millisecond
	s := open(t, cfg, ingest.Resume{})
	got := newReceived()
	got.readN(t, s, 10)

	var swallow atomic.Bool
	swallow.Store(true)
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, nil, swallow.Load()
	})
	write(t, producer(t, c), 0, 10, 20)
	before := log.count("source_stalled") // a slow answer counts as a stall, too
	eventually(t, "the stall is noticed", func() bool { return log.count("source_stalled") > before && s.Status().Stalled })
	swallow.Store(false)
	got.readN(t, s, 20)
	require.Equal(t, wantValues(0, [2]int{0, 20}), got.values[0])
	eventually(t, "it is over", func() bool { return !s.Status().Stalled })
}

// A consumer that is busy is not a stalled source.
func TestBackPressureIsNoStall(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	for i := range 10 {
		write(t, producer(t, c), 0, 10*i, 10*(i+1))
	}
	log := &events{}
	cfg := config(c, log)
	cfg.MaxBytes, cfg.Depth, cfg.StallAfter = 1, 1, time.Hour
	s := open(t, cfg, ingest.Resume{}).(*source)
	eventually(t, "the channel is full and the fetch is paused", func() bool {
		return s.parts[0].fetched.Load() == 20 && s.parts[0].blocked.Load()
	})
	s.checkStall(time.Now().Add(2 * time.Hour)) // the watchdog itself looks too early
	require.Zero(t, log.count("source_stalled"))
	newReceived().readN(t, s, 100)
}

// flip is a connection that turns one bit of the first answer that holds a text.
type flip struct {
	net.Conn
	text    []byte
	flipped *atomic.Bool
}

func (f flip) Read(b []byte) (int, error) {
	n, err := f.Conn.Read(b)
	if i := bytes.Index(b[:n], f.text); i >= 0 && f.flipped.CompareAndSwap(false, true) {
		b[i] ^= 1
	}
	return n, err
}

func TestFlippedBitNeverBecomesARecord(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c, kgo.ProducerBatchCompression(kgo.NoCompression()))
	write(t, cl, 0, 0, 10)
	write(t, cl, 0, 10, 20)
	for _, i := range []int{5, 15} { // in the first batch of an answer, and in the second
		log := &events{}
		cfg := config(c, log)
		var flipped atomic.Bool
		cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			return flip{conn, value(0, i), &flipped}, err
		}
		got := newReceived()
		got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
		require.True(t, flipped.Load())
		require.Equal(t, wantValues(0, [2]int{0, 20}), got.values[0])
		if i == 5 {
			require.Contains(t, log.text("source_disconnected"), "wrong checksum")
		}
	}
}

func TestOldLogFormatIsFinal(t *testing.T) {
	require.True(t, isFinal(fetch.ErrFormat))
	require.False(t, isFinal(fetch.ErrCorrupt))
}

func TestRefusedAtOpenIsFinalAfterOpenTimeout(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	log := &events{}
	_, err := Open(background(t), config(c, log), ingest.Resume{})
	require.Contains(t, fault.Line(err), "grant Read and Describe")
	require.True(t, log.has("hint=grant"))
}

func TestRefusedWhileReadingIsRetried(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	log := &events{}
	s := open(t, config(c, log), ingest.Resume{})
	got := newReceived()
	got.readN(t, s, 10)
	h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	eventually(t, "it is noticed", func() bool { return log.count("source_retry") > 3 })
	require.True(t, log.has("hint=grant"))
	h.Remove()
	write(t, producer(t, c), 0, 10, 20)
	got.readN(t, s, 20)
	require.Equal(t, wantValues(0, [2]int{0, 20}), got.values[0])
}

func TestOpenEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, Config{Config: kafkaclient.Config{Brokers: []string{l.Addr().String()}, Topic: topic}}, ingest.Resume{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestOpeningSaysWhyItFailed: who ends a source that could not be opened is told what was wrong last, not that time is over.
func TestOpeningSaysWhyItFailed(t *testing.T) {
	for want, brokers := range map[string][]string{
		"topic " + topic + ": [3] Unknown Topic Or Partition": broker(t).ListenAddrs(),
		"lookup no-such-host.invalid":                         {"no-such-host.invalid:9092"},
	} {
		log := &events{}
		cfg := config(broker(t), log)
		cfg.Brokers = brokers
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			for log.count("source_disconnected") == 0 {
				time.Sleep(time.Millisecond)
			}
			cancel(ingest.ErrAway)
		}()
		_, err := Open(ctx, cfg, ingest.Resume{})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "context")
	}
}

// No error and no log line quotes a record (rule V: no value is shown).
func TestVErrorsQuoteNoValues(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	pos := state.Position{Next: 10, Last: 9, Digest: sum([]byte("another"))}
	log := &events{}
	_, err := Open(background(t), config(c, log), ingest.Resume{Digest: sum,
		Positions: map[state.Partition]state.Position{{Source: "kafka:" + topic}: pos}})
	require.ErrorIs(t, err, ingest.ErrReplaced)
	require.NotContains(t, err.Error()+log.text("source_replaced"), string(value(0, 9)))
	require.NotContains(t, err.Error()+log.text("source_replaced"), `"i"`)
}
