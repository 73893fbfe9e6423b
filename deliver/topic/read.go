package topic

import (
	"context"
	"fmt"

	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
)

// largestMessage bounds the messages that are read.
const largestMessage = 48 << 20

// Collect gives a collector every message of a topic.
func Collect(ctx context.Context, brokers kafkaclient.Config, c *Collector) error {
	return fetch.ReadTopic(ctx, brokers, largestMessage, patience, func(partition int32, offset int64, key, value []byte) error {
		if err := c.Add(key, value); err != nil { // without a value it is foreign
			return fmt.Errorf("partition %d, offset %d: %w", partition, offset, err)
		}
		return nil
	})
}
