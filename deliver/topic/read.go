package topic

import (
	"context"
	"fmt"

	"anond/ingest"
	"anond/ingest/kafkasrc"
)

// largestMessage bounds the messages that are read.
const largestMessage = 48 << 20

// Read gives a collector every message from the beginning of a topic to the end that it has
// now.
func Read(ctx context.Context, brokers kafkasrc.Config, c *Collector) error {
	brokers.MaxRecord = largestMessage
	return kafkasrc.ReadTopic(ctx, brokers, patience, func(partition int32, r *ingest.Record) error {
		value := r.Value
		if r.Cut {
			value = nil // foreign
		}
		if err := c.Add(r.Key, value); err != nil {
			return fmt.Errorf("topic %s, partition %d, offset %d: %w", brokers.Topic, partition, r.Offset, err)
		}
		return nil
	})
}
