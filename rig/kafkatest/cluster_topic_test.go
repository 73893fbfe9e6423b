package kafkatest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// newTopicOn makes a topic whose partitions have their replicas on the nodes
// named, the preferred leader first.
func newTopicOn(t testing.TB, replicas [][]int32, configs ...string) *topic {
	t.Helper()
	p := &topic{t: t, name: unique("anond"), c: client(t), replicas: replicas}
	p.create(int32(len(replicas)), configs...)
	t.Cleanup(func() { _ = p.tryDelete() })
	for id := range replicas {
		p.inSync(int32(id), replicas[id]...)
	}
	return p
}

// describe is what the cluster says about a partition; nil: nothing at present.
func (p *topic) describe(partition int32) *kmsg.MetadataResponseTopicPartition {
	res, err := p.metadata()
	if err != nil || len(res.Topics) == 0 {
		return nil
	}
	for _, part := range res.Topics[0].Partitions {
		if part.Partition == partition {
			return &part
		}
	}
	return nil
}

// inSync waits until exactly these nodes are in the set of replicas in sync.
func (p *topic) inSync(partition int32, ids ...int32) {
	p.t.Helper()
	want := slices.Sorted(slices.Values(ids))
	var part *kmsg.MetadataResponseTopicPartition
	require.Eventually(p.t, func() bool {
		part = p.describe(partition)
		return part != nil && slices.Equal(want, slices.Sorted(slices.Values(part.ISR)))
	}, patience, poll, "in sync: %v", ids)
}

// ledBy waits until a partition has a leader that fits.
func (p *topic) ledBy(partition int32, fits func(leader int32) bool) (leader int32) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		part := p.describe(partition)
		if part == nil || part.ErrorCode != 0 || part.Leader < 0 {
			return false
		}
		leader = part.Leader
		return fits(leader)
	}, patience, poll, "a leader of partition %d", partition)
	return leader
}

func anyone(int32) bool { return true }

// not fits every leader but one.
func not(id int32) func(int32) bool { return func(leader int32) bool { return leader != id } }

// Kinds of elections: of the preferred leader, and of one that may lack records.
const (
	preferred = 0
	unclean   = 1
)

// elect holds an election until a node leads the partition.
func (p *topic) elect(partition int32, kind int8, leader int32) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		req := kmsg.NewPtrElectLeadersRequest()
		req.ElectionType = kind
		req.TimeoutMillis = 2000
		rt := kmsg.NewElectLeadersRequestTopic()
		rt.Topic, rt.Partitions = p.name, []int32{partition}
		req.Topics = append(req.Topics, rt)
		_, _ = req.RequestWith(wait(p.t), p.c) // refused while the node is not there yet
		part := p.describe(partition)
		return part != nil && part.ErrorCode == 0 && part.Leader == leader
	}, patience, 10*poll, "node %d leads", leader)
}

// reassign moves the replicas of a partition and waits until they are in sync.
func (p *topic) reassign(partition int32, ids ...int32) {
	p.t.Helper()
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = 10000
	rt := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	rt.Topic = p.name
	rp := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	rp.Partition, rp.Replicas = partition, ids
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	res, err := req.RequestWith(wait(p.t), p.c)
	require.NoError(p.t, err)
	require.NoError(p.t, kerr.ErrorForCode(res.ErrorCode))
	require.NoError(p.t, kerr.ErrorForCode(res.Topics[0].Partitions[0].ErrorCode))
	p.inSync(partition, ids...)
	p.ledBy(partition, func(leader int32) bool { return slices.Contains(ids, leader) })
}

// configure changes a setting of the topic.
func (p *topic) configure(key, value string) {
	p.t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	rr := kmsg.NewIncrementalAlterConfigsRequestResource()
	rr.ResourceType, rr.ResourceName = kmsg.ConfigResourceTypeTopic, p.name
	rc := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	rc.Name, rc.Value = key, &value
	rr.Configs = append(rr.Configs, rc)
	req.Resources = append(req.Resources, rr)
	res, err := req.RequestWith(wait(p.t), p.c)
	require.NoError(p.t, err)
	require.NoError(p.t, kerr.ErrorForCode(res.Resources[0].ErrorCode))
}

// firstOffset is where the log of partition 0 begins now.
func (p *topic) firstOffset() int64 {
	p.t.Helper()
	req := kmsg.NewPtrListOffsetsRequest()
	rt := kmsg.NewListOffsetsRequestTopic()
	rp := kmsg.NewListOffsetsRequestTopicPartition()
	rp.Timestamp = -2
	rt.Topic, rt.Partitions = p.name, []kmsg.ListOffsetsRequestTopicPartition{rp}
	req.Topics = append(req.Topics, rt)
	found, err := p.offsets(req)
	if err != nil && kerr.IsRetriable(err) {
		return -1 // not every node knows the leader yet
	}
	require.NoError(p.t, err)
	return found[0]
}

// copyFrom writes what partition 0 of a topic holds from an offset on to partition
// 0 of this one.
func (p *topic) copyFrom(old *topic, offset int64) {
	p.t.Helper()
	c, err := kgo.NewClient(append(old.c.Opts(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{old.name: {0: kgo.NewOffset().At(offset)}}))...)
	require.NoError(p.t, err)
	defer c.Close()
	for end := old.ends(1)[0]; offset < end; {
		fetches := c.PollFetches(wait(p.t))
		require.NoError(p.t, fetches.Err())
		var values [][]byte
		fetches.EachRecord(func(r *kgo.Record) { values, offset = append(values, r.Value), r.Offset+1 })
		p.write(0, values...)
	}
}
