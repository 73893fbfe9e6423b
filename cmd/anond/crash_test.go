package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
)

// kills is how often each crash test kills the process: 50 times together in the
// full tier.
var kills = flag.Int("kills", 0, "SIGKILLs in each crash test; 0: as the tier says")

// The crash tests kill the real process at random moments, from its first
// instruction on, while records keep coming. After each kill it is started
// again as it is: a start that needs repair would fail. What is left at the end
// must be what a run without any kill makes of the same records.
const (
	crashFirst = 4000 // records of the first load, there before the first start
	crashEvery = 1500 // accepted records between releases

	crashStarting = 150 * time.Millisecond // a quarter of the kills, from the start of the process
	crashWorking  = 400 * time.Millisecond // the others, from when it says that it works
)

var crashTrigger = fmt.Sprintf("on: records, every: %d", crashEvery)

// TestKillKafka reads one partition of a broker that outlives the process.
func TestKillKafka(t *testing.T) {
	tier.Heavy(t, "TestKillFile kills as well, and so does kafkatest")
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "admissions"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("admissions"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	source := fmt.Sprintf("{type: kafka, kafka: {brokers: [%s], topic: admissions}}", cluster.ListenAddrs()[0])

	feed := &crashFeed{stream: hospital.New(11), send: func(values [][]byte) error {
		records := make([]*kgo.Record, len(values))
		for i, v := range values {
			records[i] = &kgo.Record{Value: v}
		}
		return client.ProduceSync(context.Background(), records...).FirstErr()
	}}
	s := newSite(t, source, crashTrigger, "")
	killUnderLoad(t, s, feed)
	want := map[string]int{}
	for offset := range feed.sent.Load() {
		want[fmt.Sprintf("kafka:admissions:0:%d", offset)] = 1
	}
	nothingLost(t, s, want, newSite(t, source, crashTrigger, ""))
}

// TestKillFile follows a file that grows, sometimes by half a line.
func TestKillFile(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	path := t.TempDir() + "/admissions.ndjson"
	f, err := os.Create(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	var offsets []int64
	end := int64(0)
	feed := &crashFeed{stream: hospital.New(12), send: func(values [][]byte) error {
		for _, v := range values {
			offsets = append(offsets, end)
			end += int64(len(v)) + 1
		}
		text := append(bytes.Join(values, []byte("\n")), '\n')
		half := len(text) * 2 / 3
		if _, err := f.Write(text[:half]); err != nil {
			return err
		}
		_, err := f.Write(text[half:])
		return err
	}}
	s := newSite(t, fmt.Sprintf("{type: file, file: {path: %s, follow: true}}", path), crashTrigger, "")
	killUnderLoad(t, s, feed)
	seen := s.positions()
	require.NotEmpty(t, seen)
	// A file is named by a digest under the state's own key.
	some := slices.Collect(maps.Keys(seen))[0]
	name := some[:strings.LastIndexByte(some, ':')]
	want := map[string]int{}
	for _, offset := range offsets {
		want[fmt.Sprintf("%s:%d", name, offset)] = 1
	}
	nothingLost(t, s, want, newSite(t, fmt.Sprintf("{type: file, file: {path: %s}}", path), crashTrigger, ""))
}

// crashFeed sends the hospital stream while a daemon is killed again and again.
type crashFeed struct {
	stream *hospital.Stream
	send   func(values [][]byte) error
	sent   atomic.Int64
}

func (f *crashFeed) more(n int) error {
	values := make([][]byte, n)
	for i := range values {
		values[i] = f.stream.NextMessage().Value
	}
	f.sent.Add(int64(n))
	return f.send(values)
}

// flow sends until the returned function is called, about 4,000 records a second.
func (f *crashFeed) flow(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		beat := time.NewTicker(5 * time.Millisecond)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				done <- nil
				return
			case <-beat.C:
				if err := f.more(20); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	return func() { cancel(); require.NoError(t, <-done) }
}

// killUnderLoad kills the daemon at random moments, and lets it end its work.
func killUnderLoad(t *testing.T, s *site, feed *crashFeed) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	s.edit("policy:", fmt.Sprintf("initial: {max_records: %d}\npolicy:", crashFirst))
	require.NoError(t, feed.more(crashFirst+500))
	stop := feed.flow(t)
	working := 0
	count := *kills
	if count == 0 {
		count = tier.Of(t, 2, 2, 25)
	}
	for range count {
		p := s.start("run")
		limit := crashStarting
		if rng.IntN(4) > 0 {
			p.event("started")
			limit = crashWorking
			working++
		}
		select {
		case <-p.exited:
			t.Fatalf("the daemon ended by itself: %s", &p.stderr)
		case <-time.After(time.Duration(rng.Int64N(int64(limit)))):
		}
		require.NoError(t, p.cmd.Process.Kill())
		require.Equal(t, -1, p.wait(), &p.stderr)
	}
	stop()
	require.NoError(t, feed.more(crashEvery+crashEvery/10)) // a second release is due, however little time the kills took
	t.Logf("%d of %d kills met a daemon at work, %d records sent", working, count, feed.sent.Load())
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
}

// nothingLost compares a site with all that was sent, and with a run without
// kills.
func nothingLost(t *testing.T, s *site, want map[string]int, calm *site) {
	c := s.counts().Counts
	assert.Equal(t, len(want), int(c.Sent))
	assert.EqualValues(t, len(want), c.Accounted())
	assert.NotZero(t, c.DeadLetter)
	assert.Zero(t, c.Outbox)
	assert.True(t, maps.Equal(want, s.positions()), "a record is lost or there twice")
	s.must("state check")
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")

	calm.edit("policy:", fmt.Sprintf("initial: {max_records: %d}\npolicy:", crashFirst))
	calm.must("run --once")
	got, expected := s.releases(), calm.releases()
	assert.Equal(t, slices.Sorted(maps.Keys(expected)), slices.Sorted(maps.Keys(got)))
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		content := expected[name]
		assert.True(t, content == got[name], "%s differs", name)
	}
	assert.Greater(t, len(expected), 2*2, "releases of two files each")
}
