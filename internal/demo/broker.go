package demo

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/internal/testkit/hospital"
)

// broker is a Kafka-protocol broker inside the process, on loopback.
type broker struct {
	cluster *kfake.Cluster
	address string
}

func startBroker() (*broker, error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic))
	if err != nil {
		return nil, err
	}
	return &broker{c, c.ListenAddrs()[0]}, nil
}

func (b *broker) close() { b.cluster.Close() }

// producer writes the stream with another Kafka library than the daemon's.
type producer struct {
	client     *kgo.Client
	admissions *hospital.Stream
	sent       atomic.Int64
}

func newProducer(address string, stream *hospital.Stream) (*producer, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	if err != nil {
		return nil, err
	}
	return &producer{client: client, admissions: stream}, nil
}

func (p *producer) close()     { p.client.Close() }
func (p *producer) count() int { return int(p.sent.Load()) }

// send produces n messages and waits until the broker has them.
func (p *producer) send(ctx context.Context, n int) error {
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Value: p.admissions.NextMessage().Value}
	}
	if err := p.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	p.sent.Add(int64(n))
	return nil
}

// stream produces n messages at a rate, twenty times a second.
func (p *producer) stream(ctx context.Context, n, rate int) error {
	const beats = 20
	beat := time.NewTicker(time.Second / beats)
	defer beat.Stop()
	for n > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
		}
		now := min(n, max(1, rate/beats))
		if err := p.send(ctx, now); err != nil {
			return err
		}
		n -= now
	}
	return nil
}
