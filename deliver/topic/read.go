package topic

import (
	"context"
	"fmt"
	"time"

	"anond/internal/kafkaclient"
)

// largestMessage bounds the messages that are read.
const largestMessage = 48 << 20

// Reader gives do every message from the beginning of a topic to the end that it has now, partition by partition in order;
// one that is longer than most has no value. The brokers have to answer within patience.
type Reader func(ctx context.Context, brokers kafkaclient.Config, most int, patience time.Duration,
	do func(partition int32, offset int64, key, value []byte) error) error

// Collect gives a collector every message of a topic.
func (read Reader) Collect(ctx context.Context, brokers kafkaclient.Config, c *Collector) error {
	return read(ctx, brokers, largestMessage, patience, func(partition int32, offset int64, key, value []byte) error {
		if err := c.Add(key, value); err != nil { // without a value it is foreign
			return fmt.Errorf("topic %s, partition %d, offset %d: %w", brokers.Topic, partition, offset, err)
		}
		return nil
	})
}
