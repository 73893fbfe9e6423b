package kafkaclient

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/listoffsets"
	"github.com/segmentio/kafka-go/protocol/metadata"
)

// Partitions returns the numbers of the topic's partitions, ascending.
func (c *Client) Partitions(ctx context.Context) ([]int32, error) {
	m, err := c.Do(ctx, &metadata.Request{TopicNames: []string{c.cfg.Topic}}, 0)
	if err != nil {
		return nil, err
	}
	topic := m.(*metadata.Response).Topics[0]
	if topic.ErrorCode != 0 {
		return nil, fmt.Errorf("topic %s: %w", c.cfg.Topic, kafka.Error(topic.ErrorCode))
	}
	ids := make([]int32, 0, len(topic.Partitions))
	for _, p := range topic.Partitions {
		ids = append(ids, p.PartitionIndex)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("topic %s: %w", c.cfg.Topic, kafka.UnknownTopicOrPartition)
	}
	slices.Sort(ids)
	return ids, nil
}

// Isolation levels of ListOffsets: the last offset is the high watermark or the
// last stable offset.
const (
	ReadUncommitted = 0
	ReadCommitted   = 1 // hides transactions that are open or aborted
)

// offsetsAtOnce bounds the partitions that are asked for at once: kafka-go makes
// a request of each, and each may take a connection of its own.
const offsetsAtOnce = 8

// ListOffsets returns the first (kafka.FirstOffset) or last (kafka.LastOffset)
// offset of each partition. Any partition's failure fails the call.
func (c *Client) ListOffsets(ctx context.Context, ids []int32, which int64, isolation int8) (map[int32]int64, error) {
	all := make(map[int32]int64, len(ids))
	for some := range slices.Chunk(ids, offsetsAtOnce) {
		offsets, err := c.listSome(ctx, some, which, isolation)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, offsets)
	}
	return all, nil
}

func (c *Client) listSome(ctx context.Context, ids []int32, which int64, isolation int8) (map[int32]int64, error) {
	req := &listoffsets.Request{ReplicaID: -1, IsolationLevel: isolation, Topics: []listoffsets.RequestTopic{{Topic: c.cfg.Topic}}}
	for _, id := range ids {
		req.Topics[0].Partitions = append(req.Topics[0].Partitions,
			listoffsets.RequestPartition{Partition: id, CurrentLeaderEpoch: -1, Timestamp: which})
	}
	m, err := c.Do(ctx, req, 0)
	if err != nil {
		return nil, err
	}
	offsets := make(map[int32]int64, len(ids))
	for _, t := range m.(*listoffsets.Response).Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return nil, fmt.Errorf("offsets of partition %d: %w", p.Partition, kafka.Error(p.ErrorCode))
			}
			offsets[p.Partition] = p.Offset
		}
	}
	if len(offsets) != len(ids) {
		return nil, fmt.Errorf("offsets of %d partitions asked for, %d came", len(ids), len(offsets))
	}
	return offsets, nil
}

// Extent is what a partition holds: offsets from first up to high, of which
// those below stable are decided (no open transaction).
type Extent struct{ First, Stable, High int64 }

// Extent asks what a partition holds.
func (c *Client) Extent(ctx context.Context, id int32) (e Extent, err error) {
	for _, q := range []struct {
		to        *int64
		which     int64
		isolation int8
	}{{&e.First, kafka.FirstOffset, ReadUncommitted}, {&e.Stable, kafka.LastOffset, ReadCommitted},
		{&e.High, kafka.LastOffset, ReadUncommitted}} {
		offsets, err := c.ListOffsets(ctx, []int32{id}, q.which, q.isolation)
		if err != nil {
			return e, err
		}
		*q.to = offsets[id]
	}
	return e, nil
}
