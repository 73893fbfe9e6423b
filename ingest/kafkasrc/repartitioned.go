package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/ingest"
	"anond/shards/repartition"
)

// Repartitioned writes a topic of anond repartition. It implements repartition.Target.
type Repartitioned struct {
	client   *client
	requests kafka.Client
}

var _ repartition.Target = (*Repartitioned)(nil)

// toWrite are the rights of whoever writes a topic.
const toWrite = "Write, Read and Describe on the topic"

// OpenRepartitioned returns a writer of cfg.Topic. It does not connect.
func OpenRepartitioned(cfg Config) (*Repartitioned, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	return &Repartitioned{client: c,
		requests: kafka.Client{Addr: c.addr, Transport: transport{c}, Timeout: cfg.RequestTimeout}}, nil
}

// Extent asks how many partitions the topic has, and whether it holds anything. A topic that was just
// made, or has lost a broker, has no leader for a while: that is waited for, RequestTimeout at most.
func (r *Repartitioned) Extent(ctx context.Context) (partitions int, holds bool, err error) {
	attempts, began := r.client.cfg.Reconnect.Attempts(), time.Now()
	for {
		partitions, holds, err = r.extent(ctx)
		if err == nil || !isElecting(err) || time.Since(began) >= r.client.cfg.RequestTimeout {
			return partitions, holds, r.client.cfg.Access.explained(err, toWrite)
		}
		if err := attempts.Wait(ctx); err != nil {
			return 0, false, err
		}
		r.client.renew(0, false)
	}
}

// isElecting tells what a partition says that has no leader yet, or another one than this client knows.
func isElecting(err error) bool {
	return errors.Is(err, kafka.NotLeaderForPartition) || errors.Is(err, kafka.LeaderNotAvailable) ||
		errors.Is(err, kafka.OffsetNotAvailable)
}

func (r *Repartitioned) extent(ctx context.Context) (partitions int, holds bool, err error) {
	ids, err := r.client.partitions(ctx)
	if err != nil {
		return 0, false, err
	}
	ends, err := r.client.listOffsets(ctx, ids, kafka.LastOffset, readUncommitted)
	if err != nil {
		return 0, false, err
	}
	for _, end := range ends {
		holds = holds || end > 0
	}
	return len(ids), holds, nil
}

// Write implements repartition.Target. kafka-go repeats no request by itself.
func (r *Repartitioned) Write(ctx context.Context, partition int32, records []repartition.Record) error {
	messages := make([]kafka.Record, len(records))
	now := time.Now()
	for i := range records {
		m := &records[i]
		messages[i] = kafka.Record{Time: now, Key: kafka.NewBytes(m.Key), Value: kafka.NewBytes(m.Value),
			Headers: []kafka.Header{{Key: ingest.LinkHeader, Value: m.Link.Encode()}}}
	}
	res, err := r.requests.Produce(ctx, &kafka.ProduceRequest{Topic: r.client.cfg.Topic, Partition: int(partition),
		RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(messages...)})
	if err == nil {
		err = res.Error
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kafka.MessageSizeTooLarge):
		return fmt.Errorf("topic %s: %w: raise its max.message.bytes", r.client.cfg.Topic, repartition.ErrTooLarge)
	}
	r.client.renew(time.Second, false)
	return fmt.Errorf("topic %s: %w", r.client.cfg.Topic, r.client.cfg.Access.explained(err, toWrite))
}

// Close ends all connections.
func (r *Repartitioned) Close() error {
	r.client.close()
	return nil
}
