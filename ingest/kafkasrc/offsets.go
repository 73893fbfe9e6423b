package kafkasrc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/listoffsets"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/segmentio/kafka-go/protocol/offsetfetch"
)

// partitions returns the numbers of the topic's partitions, ascending.
func (c *client) partitions(ctx context.Context) ([]int32, error) {
	m, err := c.do(ctx, &metadata.Request{TopicNames: []string{c.cfg.Topic}}, 0)
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
const readUncommitted = 0

// offsetsAtOnce bounds the partitions that are asked for at once: kafka-go makes
// a request of each, and each may take a connection of its own.
const offsetsAtOnce = 8

// listOffsets returns the first (kafka.FirstOffset) or last (kafka.LastOffset)
// offset of each partition. Any partition's failure fails the call.
func (c *client) listOffsets(ctx context.Context, ids []int32, which int64, isolation int8) (map[int32]int64, error) {
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

func (c *client) listSome(ctx context.Context, ids []int32, which int64, isolation int8) (map[int32]int64, error) {
	req := &listoffsets.Request{ReplicaID: -1, IsolationLevel: isolation, Topics: []listoffsets.RequestTopic{{Topic: c.cfg.Topic}}}
	for _, id := range ids {
		req.Topics[0].Partitions = append(req.Topics[0].Partitions,
			listoffsets.RequestPartition{Partition: id, CurrentLeaderEpoch: -1, Timestamp: which})
	}
	m, err := c.do(ctx, req, 0)
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

// extent is what a partition holds: offsets from first up to high, of which
// those below stable are decided (no open transaction).
type extent struct{ first, stable, high int64 }

func (c *client) extent(ctx context.Context, id int32) (e extent, err error) {
	for _, q := range []struct {
		to        *int64
		which     int64
		isolation int8
	}{{&e.first, kafka.FirstOffset, readUncommitted}, {&e.stable, kafka.LastOffset, readCommitted},
		{&e.high, kafka.LastOffset, readUncommitted}} {
		offsets, err := c.listOffsets(ctx, []int32{id}, q.which, q.isolation)
		if err != nil {
			return e, err
		}
		*q.to = offsets[id]
	}
	return e, nil
}

// committed returns the group's committed offsets, of the partitions that have one.
func (c *client) committed(ctx context.Context, group string, ids []int32) (map[int32]int64, error) {
	m, err := c.do(ctx, &offsetfetch.Request{GroupID: group,
		Topics: []offsetfetch.RequestTopic{{Name: c.cfg.Topic, PartitionIndexes: ids}}}, 0)
	if err != nil {
		return nil, err
	}
	res := m.(*offsetfetch.Response)
	if kafka.Error(res.ErrorCode) == kafka.GroupIdNotFound { // a group that never committed
		return map[int32]int64{}, nil
	}
	if res.ErrorCode != 0 {
		return nil, fmt.Errorf("commits of group %s: %w", group, kafka.Error(res.ErrorCode))
	}
	commits := map[int32]int64{}
	for _, t := range res.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return nil, fmt.Errorf("commits of group %s, partition %d: %w", group, p.PartitionIndex, kafka.Error(p.ErrorCode))
			}
			if p.CommittedOffset >= 0 {
				commits[p.PartitionIndex] = p.CommittedOffset
			}
		}
	}
	return commits, nil
}
