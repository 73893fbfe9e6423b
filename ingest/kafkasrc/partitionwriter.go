package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/internal/kafkaclient"
)

// PartitionWriter writes messages with a header to partitions that its caller chooses.
type PartitionWriter struct {
	client   *client
	requests kafka.Client
}

// OpenPartitionWriter returns a writer of cfg.Topic. It does not connect.
func OpenPartitionWriter(cfg Config) (*PartitionWriter, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	return &PartitionWriter{client: c,
		requests: kafka.Client{Addr: c.Addr(), Transport: c.RoundTripper(), Timeout: cfg.RequestTimeout}}, nil
}

// Extent asks how many partitions the topic has, and whether it holds anything. A topic that was just
// made, or has lost a broker, has no leader for a while: that is waited for, RequestTimeout at most.
func (r *PartitionWriter) Extent(ctx context.Context) (partitions int, holds bool, err error) {
	attempts, began := r.client.cfg.Reconnect.Attempts(), time.Now()
	for {
		partitions, holds, err = r.extent(ctx)
		if err == nil || !isElecting(err) || time.Since(began) >= r.client.cfg.RequestTimeout {
			return partitions, holds, r.client.cfg.Access.Explained(err, kafkaclient.ToWrite)
		}
		if err := attempts.Wait(ctx); err != nil {
			return 0, false, err
		}
		r.client.Renew(0, false)
	}
}

// isElecting tells what a partition says that has no leader yet, or another one than this client knows.
func isElecting(err error) bool {
	return errors.Is(err, kafka.NotLeaderForPartition) || errors.Is(err, kafka.LeaderNotAvailable) ||
		errors.Is(err, kafka.OffsetNotAvailable)
}

func (r *PartitionWriter) extent(ctx context.Context) (partitions int, holds bool, err error) {
	ids, err := r.client.Partitions(ctx)
	if err != nil {
		return 0, false, err
	}
	ends, err := r.client.ListOffsets(ctx, ids, kafka.LastOffset, kafkaclient.ReadUncommitted)
	if err != nil {
		return 0, false, err
	}
	for _, end := range ends {
		holds = holds || end > 0
	}
	return len(ids), holds, nil
}

// Headed is a message with a header.
type Headed struct {
	kafkaclient.Message
	Header []byte
}

// Write tries once to append messages to a partition, in order and all or none, and returns when all replicas in sync have
// them; each has its header under the name. After an error they may be there or not: kafka-go repeats no request by itself.
func (r *PartitionWriter) Write(ctx context.Context, partition int32, header string, messages []Headed) error {
	records := make([]kafka.Record, len(messages))
	now := time.Now()
	for i := range messages {
		m := &messages[i]
		records[i] = kafka.Record{Time: now, Key: kafka.NewBytes(m.Key), Value: kafka.NewBytes(m.Value),
			Headers: []kafka.Header{{Key: header, Value: m.Header}}}
	}
	res, err := r.requests.Produce(ctx, &kafka.ProduceRequest{Topic: r.client.cfg.Topic, Partition: int(partition),
		RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...)})
	if err == nil {
		err = res.Error
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kafka.MessageSizeTooLarge):
		return fmt.Errorf("topic %s: %w", r.client.cfg.Topic, kafkaclient.ErrTooLarge)
	}
	r.client.Renew(time.Second, false)
	return fmt.Errorf("topic %s: %w", r.client.cfg.Topic, r.client.cfg.Access.Explained(err, kafkaclient.ToWrite))
}

// Close ends all connections.
func (r *PartitionWriter) Close() error {
	r.client.Close()
	return nil
}
