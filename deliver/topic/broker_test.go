package topic

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/equivclass/equivtest/tier"
	"anond/internal/kafkaclient"
	"anond/internal/retry"
	"anond/internal/testkit/programtest"
	"anond/snapshot"
)

const topicName = "wards.releases"

// broker starts an in-process cluster that speaks Kafka's protocol on loopback.
func broker(t testing.TB, partitions int, settings map[string]string) (*kfake.Cluster, kafkaclient.Config) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	if partitions > 0 {
		require.NoError(t, c.CreateTopic(topicName, int32(partitions), settings))
	}
	return c, kafkaclient.Config{Brokers: c.ListenAddrs(), Topic: topicName, RefreshInterval: 20 * time.Millisecond,
		Reconnect: retry.Policy{Initial: 5 * time.Millisecond, Max: 20 * time.Millisecond}}
}

func openSink(t testing.TB, brokers kafkaclient.Config) *sink {
	t.Helper()
	s, err := Open(brokers, "wards", 1_000_000)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func patiently(log *slog.Logger, dir string) deliver.Options {
	return deliver.Options{FS: snapshot.OS(), Dir: dir, Now: time.Now, Log: log, Patience: time.Minute, Poll: 5 * time.Millisecond,
		Reconnect: retry.Policy{Initial: 5 * time.Millisecond, Max: 20 * time.Millisecond}}
}

// TestTwoAtOnce: several that deliver to one topic of several partitions, with faults of the
// broker, leave what one would have left; before and after compaction.
func TestTwoAtOnce(t *testing.T) {
	tier.NotShort(t, "it needs a broker")
	t.Parallel()
	chain := delivertest.New(t, delivertest.Find(t, "regrouped"), tier.Of(t, 3, 3, 11))
	c, brokers := broker(t, 3, map[string]string{"cleanup.policy": "compact"})
	produce := []kmsg.Key{kmsg.Produce}
	for _, err := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NotEnoughReplicas} {
		c.Fault(kfake.Fault{Keys: produce, Err: err, Count: 2})
	}
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		s := openSink(t, brokers)
		wg.Go(func() { _, errs[i] = deliver.Run(t.Context(), s, patiently(slog.New(slog.DiscardHandler), chain.Dir)) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	for range 2 {
		all := keeping(t, Collect, brokers)
		require.Zero(t, all.Foreign)
		for _, n := range []uint32{1, 2, chain.Newest()} {
			requireEqual(t, all, n, chain)
		}
		c.Compact()
	}
	s := openSink(t, brokers)
	p, err := s.Position(t.Context())
	require.NoError(t, err)
	require.Equal(t, chain.Newest(), p.Release)
}

// TestAwayAndBack: who follows waits for a topic that is not there and a broker that
// refuses, says so, and delivers what came meanwhile.
func TestAwayAndBack(t *testing.T) {
	tier.NotShort(t, "it needs a broker")
	t.Parallel()
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 2)
	c, brokers := broker(t, 0, nil)
	var text programtest.Text
	o := patiently(slog.New(slog.NewJSONHandler(&text, nil)), chain.Dir)
	o.Follow = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	s := openSink(t, brokers)
	go func() { _, err := deliver.Run(ctx, s, o); ended <- err }()
	logged := func(event string, n int) func() bool {
		return func() bool { return bytes.Count([]byte(text.String()), []byte(`"event":"`+event+`"`)) >= n }
	}
	// The first failures may be the broker's, which has just begun.
	advised := func() bool { return strings.Contains(text.String(), "create the topic") }
	require.Eventually(t, advised, time.Hour, 5*time.Millisecond)
	require.NoError(t, c.CreateTopic(topicName, 1, map[string]string{"cleanup.policy": "compact"}))
	require.Eventually(t, logged("release_delivered", int(chain.Newest())), time.Hour, 5*time.Millisecond)
	assert.Contains(t, text.String(), `"event":"delivery_resumed"`)
	chain.Grow(int(chain.Newest()) + 1)
	require.Eventually(t, logged("release_delivered", int(chain.Newest())), time.Hour, 5*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	requireEqual(t, keeping(t, Collect, brokers), chain.Newest(), chain)
}

// TestForgetfulTopic: a topic that deletes messages by age is refused before anything is
// sent.
func TestForgetfulTopic(t *testing.T) {
	t.Parallel()
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 1)
	for policy, ok := range map[string]bool{"delete": false, "compact": true, "compact,delete": false} {
		_, brokers := broker(t, 1, map[string]string{"cleanup.policy": policy, "retention.ms": "604800000"})
		_, err := deliver.Run(t.Context(), openSink(t, brokers), patiently(slog.New(slog.DiscardHandler), chain.Dir))
		if ok {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, deliver.ErrFinal)
		require.ErrorContains(t, err, "cleanup.policy=compact")
	}
}

// TestNobodyAnswers: without --follow a delivery ends.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 1)
	c, brokers := broker(t, 0, nil)
	c.Close()
	o := patiently(slog.New(slog.DiscardHandler), chain.Dir)
	o.Patience = 0
	_, err := deliver.Run(t.Context(), openSink(t, brokers), o)
	require.Error(t, err)
}
