package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/testkit/hospital"
)

const (
	topic      = "admissions"
	delivered  = "releases" // what -month delivers to
	partitions = 4
	// kept is how many records of each partition stay on the broker after the daemon
	// has read them.
	kept = 100_000
)

// feed is a broker with one topic, and who writes it.
type feed struct {
	cluster *kfake.Cluster
	client  *kgo.Client
	stream  *hospital.Stream
	written atomic.Int64
	mu      sync.Mutex
	patient string // of one of the newest messages
}

// someone is a patient of whom a record was just sent.
func (f *feed) someone() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.patient
}

func newFeed(o options) (*feed, error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic))
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DefaultProduceTopic(topic),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	if err != nil {
		c.Close()
		return nil, err
	}
	f := &feed{cluster: c, client: client, stream: hospital.New(o.seed)}
	return f, f.receive()
}

// receive creates the topic of deliveries, from which nothing is deleted.
func (f *feed) receive() error {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = delivered, 1, 1
	policy := kmsg.NewCreateTopicsRequestTopicConfig()
	policy.Name, policy.Value = "cleanup.policy", kmsg.StringPtr("compact")
	t.Configs = append(t.Configs, policy)
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, t)
	answer, err := req.RequestWith(context.Background(), f.client)
	if err == nil && answer.Topics[0].ErrorCode != 0 {
		err = fmt.Errorf("creating topic %s: code %d", delivered, answer.Topics[0].ErrorCode)
	}
	return err
}

func (f *feed) address() string { return f.cluster.ListenAddrs()[0] }
func (f *feed) sent() int64     { return f.written.Load() }

func (f *feed) close() {
	f.client.Close()
	f.cluster.Close()
}

// beat is the time between two writes. What a late beat missed is made up for by
// the next one, so the rate over the whole run is even.
const beat = 50 * time.Millisecond

// send writes messages until n are written, evenly over the given time.
func (f *feed) send(ctx context.Context, n int, over time.Duration) error {
	start, first := time.Now(), f.sent()
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for f.sent() < int64(n) {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		due := int64(n)
		if since := time.Since(start); since < over {
			due = first + int64(float64(int64(n)-first)*since.Seconds()/over.Seconds())
		}
		if err := f.write(ctx, int(due-f.sent())); err != nil {
			return err
		}
	}
	return nil
}

// atOnce bounds the messages that are in memory before the broker has them.
const atOnce = 10_000

// write writes n messages and waits until the broker has them.
func (f *feed) write(ctx context.Context, n int) error {
	for n > 0 {
		records := make([]*kgo.Record, min(n, atOnce))
		for i := range records {
			m := f.stream.NextMessage()
			if records[i] = (&kgo.Record{Key: []byte(m.Admission.Patient), Value: m.Value}); i == 0 && !m.Malformed {
				f.mu.Lock()
				f.patient = m.Admission.Patient
				f.mu.Unlock()
			}
		}
		switch err := f.client.ProduceSync(ctx, records...).FirstErr(); {
		case errors.Is(err, context.Canceled):
			return nil // the run ends
		case err != nil:
			return err
		}
		f.written.Add(int64(len(records)))
		n -= len(records)
	}
	return nil
}

// trim deletes what the daemon has read, but for the newest records, so that the
// topic in this process's memory does not grow.
func (f *feed) trim(ctx context.Context, ends map[int32]int64) error {
	t := kmsg.NewDeleteRecordsRequestTopic()
	t.Topic = topic
	for id, next := range ends {
		if next > kept {
			p := kmsg.NewDeleteRecordsRequestTopicPartition()
			p.Partition, p.Offset = id, next-kept
			t.Partitions = append(t.Partitions, p)
		}
	}
	if len(t.Partitions) == 0 {
		return nil
	}
	req := kmsg.NewPtrDeleteRecordsRequest()
	req.Topics = []kmsg.DeleteRecordsRequestTopic{t}
	answer, err := req.RequestWith(ctx, f.client)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("deleting old records: %w", err)
	}
	for _, topic := range answer.Topics {
		for _, p := range topic.Partitions {
			if p.ErrorCode != 0 {
				return fmt.Errorf("deleting old records of partition %d: code %d", p.Partition, p.ErrorCode)
			}
		}
	}
	return nil
}
