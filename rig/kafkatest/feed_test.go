package kafkatest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// feed writes people, and now and then a record that will be refused, until it
// is stopped. It writes through failures of the broker.
type feed struct {
	t       testing.TB
	topic   *topic
	parts   int32
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	refused atomic.Int64
}

// feedBeat is the time between two writes of feedSize records to each partition.
const (
	feedBeat = 20 * time.Millisecond
	feedSize = 10
)

// startFeed writes feedSize records a beat to each of the partitions. Of each
// bad-th beat one record is broken; 0: never.
func startFeed(t testing.TB, p *topic, partitions int32, bad int) *feed {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{t: t, topic: p, parts: partitions, cancel: cancel}
	c := client(t, kgo.RecordDeliveryTimeout(2*patience)) // longer than any outage
	f.wg.Go(func() {
		beat := time.NewTicker(feedBeat)
		defer beat.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				f.beat(c, n, bad > 0 && n%bad == 0)
			}
		}
	})
	t.Cleanup(func() { cancel(); f.wg.Wait() })
	return f
}

func (f *feed) beat(c *kgo.Client, n int, bad bool) {
	var records []*kgo.Record
	for id := range f.parts {
		for _, v := range people((n*int(f.parts)+int(id))*feedSize, feedSize) {
			records = append(records, &kgo.Record{Topic: f.topic.name, Partition: id, Value: v})
		}
	}
	if bad {
		records = append(records, &kgo.Record{Topic: f.topic.name, Value: broken(1)[0]})
		f.refused.Add(1)
	}
	// Idempotent, and tried again through failures: each is written once.
	for _, r := range c.ProduceSync(context.Background(), records...) {
		if r.Err != nil {
			f.t.Errorf("feed: %v", r.Err)
		}
	}
}

// stop ends the feed and returns how many records the topic holds.
func (f *feed) stop() (sent int) {
	f.t.Helper()
	f.cancel()
	f.wg.Wait()
	for _, end := range f.topic.ends(f.parts) {
		sent += int(end)
	}
	require.Positive(f.t, sent)
	return sent
}
