package kafkasrc

import (
	"anond/incremental/state"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/equivclass"
	"anond/ingest"
	"anond/internal/fault"
)

const deadTopic = "admissions-refused"

func deadConfig(c *kfake.Cluster, log *events) Config {
	cfg := config(c, log)
	cfg.Topic = deadTopic
	return cfg
}

func letters(from, to int) (out []state.DeadLetter) {
	for i := from; i < to; i++ {
		out = append(out, state.DeadLetter{Seq: uint64(i), Partition: state.Partition{Source: "kafka:" + topic, ID: 1},
			Offset: int64(10 * i),
			Reason: equivclass.Reason("undecodable"), Attribute: "age", Digest: sum([]byte{byte(i)})})
	}
	return out
}

// delivered reads the topic until n dead letters have come.
func delivered(t *testing.T, c *kfake.Cluster, n int) map[string]map[string]any {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(deadTopic))
	require.NoError(t, err)
	defer cl.Close()
	got := map[string]map[string]any{}
	ctx := background(t)
	for len(got) < n {
		fs := cl.PollFetches(ctx)
		require.NoError(t, fs.Err0())
		fs.EachRecord(func(r *kgo.Record) {
			var m map[string]any
			require.NoError(t, json.Unmarshal(r.Value, &m))
			got[string(r.Key)] = m
		})
	}
	return got
}

func openLetters(t *testing.T, cfg Config) ingest.DeadLetters {
	t.Helper()
	d, err := OpenDeadLetters(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// surely delivers as the host does: again after each failure.
func surely(t *testing.T, d ingest.DeadLetters, sent []state.DeadLetter) {
	t.Helper()
	eventually(t, "delivered", func() bool { return d.Deliver(background(t), sent) == nil })
}

func TestDeadLettersReachTheirTopic(t *testing.T) {
	c := broker(t, kfake.SeedTopics(3, deadTopic))
	d := openLetters(t, deadConfig(c, &events{}))
	sent := letters(1, 101)
	sent[0].Payload = []byte(`{"broken`)
	require.NoError(t, d.Deliver(background(t), sent))
	wait := d.(*deadLetters).writer.BatchTimeout
	require.True(t, 0 < wait && wait < 100*time.Millisecond, "it waits %v; 0 is the writer's default, a second", wait)
	got := delivered(t, c, 100)
	require.Len(t, got, 100)
	first := got["kafka:admissions:1:10"]
	digest := sum([]byte{1})
	require.Equal(t, "kafka:admissions", first["source"])
	require.EqualValues(t, 1, first["partition"])
	require.EqualValues(t, 10, first["offset"])
	require.Equal(t, "undecodable", first["reason"])
	require.Equal(t, "age", first["attribute"])
	require.Equal(t, hex.EncodeToString(digest[:]), first["digest"])
	require.Equal(t, base64.StdEncoding.EncodeToString([]byte(`{"broken`)), first["payload"])
	require.NotContains(t, got["kafka:admissions:1:20"], "payload")
}

func TestDeadLettersSurviveFaults(t *testing.T) {
	produce := []kmsg.Key{kmsg.Produce}
	cases := map[string]func(c *kfake.Cluster){
		"not leader":          func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: produce, Err: kerr.NotLeaderForPartition, Count: 3}) },
		"not enough replicas": func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: produce, Err: kerr.NotEnoughReplicas, Count: 3}) },
		"timed out":           func(c *kfake.Cluster) { c.Fault(kfake.Fault{Keys: produce, Err: kerr.RequestTimedOut, Count: 3}) },
		"no leader": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Err: kerr.LeaderNotAvailable, Count: 2})
		},
	}
	for name, strike := range cases {
		t.Run(name, func(t *testing.T) {
			c := broker(t, kfake.SeedTopics(2, deadTopic))
			strike(c)
			d := openLetters(t, deadConfig(c, &events{}))
			surely(t, d, letters(1, 21))
			require.Len(t, delivered(t, c, 20), 20)
		})
	}
}

func TestDeadLettersWaitForTheTopic(t *testing.T) {
	c := broker(t)
	log := &events{}
	d := openLetters(t, deadConfig(c, log))
	eventually(t, "it says what is missing", func() bool { // a slow broker may fail in another way first
		err := d.Deliver(background(t), letters(1, 3))
		return err != nil && strings.Contains(fault.Hint(err), "create the topic") && strings.Contains(err.Error(), deadTopic)
	})
	require.Zero(t, log.count("source_disconnected"), "reading does not fail")
	require.NoError(t, c.CreateTopic(deadTopic, 1, nil))
	surely(t, d, letters(1, 3))
	require.Len(t, delivered(t, c, 2), 2)
}

// A broker that takes a connection and answers nothing holds up neither the end
// of a delivery nor the end of the sink.
func TestDeadLettersEndWithTheirContext(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	c := broker(t)
	cfg := deadConfig(c, &events{})
	cfg.Brokers = []string{silent.Addr().String()}
	cfg.RequestTimeout = time.Hour
	d, err := OpenDeadLetters(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, d.Deliver(ctx, letters(1, 2)), context.DeadlineExceeded)
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("the sink waits for an answer that never comes")
	}
}

// A record may be as large as the topic allows; its dead letter must not be
// larger.
func TestDeadLetterTooLargeGoesWithoutPayload(t *testing.T) {
	for name, opts := range map[string]struct {
		size int
		opts []kfake.Opt
	}{
		"by default":           {1_000_000, nil},
		"by the broker's word": {50_000, []kfake.Opt{kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000"})}},
	} {
		t.Run(name, func(t *testing.T) {
			c := broker(t, append(opts.opts, kfake.SeedTopics(1, deadTopic))...)
			log := &events{}
			d := openLetters(t, deadConfig(c, log))
			l := letters(1, 2)
			l[0].Payload = bytes.Repeat([]byte("secret"), opts.size/6)
			require.NoError(t, d.Deliver(background(t), l))
			require.NotContains(t, delivered(t, c, 1)["kafka:admissions:1:10"], "payload")
			require.Equal(t, 1, log.count("deadletter_payload_dropped"))
			require.NotContains(t, log.text("deadletter_payload_dropped"), "secret")
		})
	}
}
