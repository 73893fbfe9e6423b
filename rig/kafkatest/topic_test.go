package kafkatest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// patience bounds every wait; no wait should take that long.
const patience = 2 * time.Minute

// minMetadataAge lets clients notice new topics and partitions soon.
const minMetadataAge = 20 * time.Millisecond

// poll is the time between two looks at a condition.
const poll = 20 * time.Millisecond

func wait(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// unique is a name nobody else has: a given broker may hold topics of others.
func unique(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()[:10]) }

// topic is a topic of one test, deleted at its end.
type topic struct {
	t        testing.TB
	name     string
	c        *kgo.Client // may do everything
	replicas [][]int32   // the nodes of each partition; nil: one that the broker chooses
}

func newTopic(t testing.TB, partitions int32, configs ...string) *topic {
	t.Helper()
	return newTopicAs(t, client(t), partitions, configs...)
}

func newTopicAs(t testing.TB, c *kgo.Client, partitions int32, configs ...string) *topic {
	t.Helper()
	p := &topic{t: t, name: unique("anond"), c: c}
	p.create(partitions, configs...)
	t.Cleanup(func() { _ = p.tryDelete() })
	return p
}

// create makes the topic; configs are key=value. A deleted name is free only
// after a moment.
func (p *topic) create(partitions int32, configs ...string) {
	p.t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 10000
	rt := kmsg.NewCreateTopicsRequestTopic()
	rt.Topic, rt.NumPartitions, rt.ReplicationFactor = p.name, partitions, 1
	for id, nodes := range p.replicas {
		rt.NumPartitions, rt.ReplicationFactor = -1, -1
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition, a.Replicas = int32(id), nodes
		rt.ReplicaAssignment = append(rt.ReplicaAssignment, a)
	}
	for _, c := range configs {
		key, value, _ := strings.Cut(c, "=")
		rt.Configs = append(rt.Configs, kmsg.CreateTopicsRequestTopicConfig{Name: key, Value: &value})
	}
	req.Topics = append(req.Topics, rt)
	ctx := wait(p.t)
	var err error
	require.Eventually(p.t, func() bool {
		res, e := req.RequestWith(ctx, p.c)
		if err = e; err == nil {
			err = kerr.ErrorForCode(res.Topics[0].ErrorCode)
		}
		return err == nil
	}, patience, 20*time.Millisecond, "create %s", p.name)
	require.Eventually(p.t, func() bool { return p.exists() }, patience, 10*time.Millisecond)
}

// exists reports whether every partition has a leader.
func (p *topic) exists() bool {
	res, err := p.metadata()
	if err != nil || res.Topics[0].ErrorCode != 0 {
		return false
	}
	for _, part := range res.Topics[0].Partitions {
		if part.ErrorCode != 0 {
			return false
		}
	}
	return true
}

// metadata is what a broker says about the topic.
func (p *topic) metadata() (*kmsg.MetadataResponse, error) {
	req := kmsg.NewPtrMetadataRequest()
	rt := kmsg.NewMetadataRequestTopic()
	rt.Topic = &p.name
	req.Topics = append(req.Topics, rt)
	return req.RequestWith(wait(p.t), p.c)
}

func (p *topic) tryDelete() error {
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TimeoutMillis = 10000
	req.TopicNames = []string{p.name}
	rt := kmsg.NewDeleteTopicsRequestTopic()
	rt.Topic = &p.name
	req.Topics = append(req.Topics, rt)
	res, err := req.RequestWith(wait(p.t), p.c)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(res.Topics[0].ErrorCode)
}

func (p *topic) delete() {
	p.t.Helper()
	require.NoError(p.t, p.tryDelete())
	require.Eventually(p.t, func() bool { return !p.exists() }, patience, 10*time.Millisecond)
	c, err := kgo.NewClient(p.c.Opts()...) // the old client remembers the topic's id
	require.NoError(p.t, err)
	p.t.Cleanup(c.Close)
	p.c = c
}

// grow raises the number of partitions.
func (p *topic) grow(partitions int32) {
	p.t.Helper()
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.TimeoutMillis = 10000
	req.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: p.name, Count: partitions}}
	res, err := req.RequestWith(wait(p.t), p.c)
	require.NoError(p.t, err)
	require.NoError(p.t, kerr.ErrorForCode(res.Topics[0].ErrorCode))
	require.Eventually(p.t, p.exists, patience, 10*time.Millisecond)
}

// write writes values to a partition and waits until the broker has them all.
func (p *topic) write(partition int32, values ...[]byte) {
	p.t.Helper()
	p.writeBy(p.c, partition, values...)
}

func (p *topic) writeBy(c *kgo.Client, partition int32, values ...[]byte) {
	p.t.Helper()
	records := make([]*kgo.Record, len(values))
	for i, v := range values {
		records[i] = &kgo.Record{Topic: p.name, Partition: partition, Value: v}
	}
	require.NoError(p.t, c.ProduceSync(wait(p.t), records...).FirstErr())
}

// writeMarked writes messages with a marker in key and headers, which hold personal data in
// many topics and are no part of a record.
func (p *topic) writeMarked(partition int32, values ...[]byte) {
	p.t.Helper()
	for i, v := range values {
		r := &kgo.Record{Topic: p.name, Partition: partition, Value: v, Key: fmt.Appendf(nil, "CANARYkey-%d", i),
			Headers: []kgo.RecordHeader{{Key: "CANARYheader", Value: []byte("CANARYvalue")}}}
		require.NoError(p.t, p.c.ProduceSync(wait(p.t), r).FirstErr())
	}
}

// deleteRecords deletes what lies below an offset, as retention does; -1 means all.
func (p *topic) deleteRecords(partition int32, below int64) {
	p.t.Helper()
	req := kmsg.NewPtrDeleteRecordsRequest()
	req.TimeoutMillis = 10000
	req.Topics = []kmsg.DeleteRecordsRequestTopic{{Topic: p.name,
		Partitions: []kmsg.DeleteRecordsRequestTopicPartition{{Partition: partition, Offset: below}}}}
	for _, shard := range p.c.RequestSharded(wait(p.t), req) {
		require.NoError(p.t, shard.Err)
		for _, part := range shard.Resp.(*kmsg.DeleteRecordsResponse).Topics[0].Partitions {
			require.NoError(p.t, kerr.ErrorForCode(part.ErrorCode))
		}
	}
}

// ends are the end offsets of all partitions.
func (p *topic) ends(partitions int32) (ends map[int32]int64) {
	p.t.Helper()
	req := kmsg.NewPtrListOffsetsRequest()
	rt := kmsg.NewListOffsetsRequestTopic()
	rt.Topic = p.name
	for id := range partitions {
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = id, -1
		rt.Partitions = append(rt.Partitions, rp)
	}
	req.Topics = append(req.Topics, rt)
	var err error
	require.Eventually(p.t, func() bool { // just after an election not every node knows the leader
		ends, err = p.offsets(req)
		return err == nil || !kerr.IsRetriable(err)
	}, patience, poll)
	require.NoError(p.t, err)
	return ends
}

// offsets are those that a request asks for, by partition.
func (p *topic) offsets(req *kmsg.ListOffsetsRequest) (map[int32]int64, error) {
	found := map[int32]int64{}
	for _, shard := range p.c.RequestSharded(wait(p.t), req) {
		if shard.Err != nil {
			return nil, shard.Err
		}
		for _, part := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics[0].Partitions {
			if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
				return nil, err
			}
			found[part.Partition] = part.Offset
		}
	}
	return found, nil
}

// committed is what a group has committed.
func (p *topic) committed(group string, partitions int32) map[int32]int64 {
	p.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = group
	rg := kmsg.NewOffsetFetchRequestGroup()
	rg.Group = group
	rt, grt := kmsg.NewOffsetFetchRequestTopic(), kmsg.NewOffsetFetchRequestGroupTopic()
	rt.Topic, grt.Topic = p.name, p.name
	for id := range partitions {
		rt.Partitions, grt.Partitions = append(rt.Partitions, id), append(grt.Partitions, id)
	}
	req.Topics, rg.Topics = append(req.Topics, rt), append(rg.Topics, grt)
	req.Groups = append(req.Groups, rg)
	res, err := req.RequestWith(wait(p.t), p.c)
	require.NoError(p.t, err)
	out := map[int32]int64{}
	for _, g := range res.Groups {
		for _, tt := range g.Topics {
			for _, part := range tt.Partitions {
				if part.Offset >= 0 {
					out[part.Partition] = part.Offset
				}
			}
		}
	}
	return out
}

// values are the keys and values that partition 0 holds now. Its last offset
// must be a record.
func (p *topic) values() (keys, values []string) {
	p.t.Helper()
	end := p.ends(1)[0]
	if end == 0 {
		return nil, nil
	}
	c, err := kgo.NewClient(append(p.c.Opts(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{p.name: {0: kgo.NewOffset().AtStart()}}))...)
	require.NoError(p.t, err)
	defer c.Close()
	ctx := wait(p.t)
	for last := int64(-1); last < end-1; {
		fetches := c.PollFetches(ctx)
		require.NoError(p.t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			keys, values, last = append(keys, string(r.Key)), append(values, string(r.Value)), r.Offset
		})
	}
	return keys, values
}

// people are messages of n different people, the first of whom has number from.
func people(from, n int) [][]byte {
	values := make([][]byte, n)
	for i := range values {
		values[i] = person(from+i, 20+(from+i)*7%60)
	}
	return values
}

// person is the message of one person; age marks those who must not be published.
func person(number, age int) []byte {
	diagnoses := []string{"asthma", "fracture", "angina", "migraine", "gastritis", "anaemia"}
	return fmt.Appendf(nil, `{"patient":"P%07d","age":%d,"sex":"%s","diagnosis":"%s"}`, number, age, []string{"F", "M"}[number/3%2],
		diagnoses[number*5/3%len(diagnoses)])
}

// broken are messages that the schema refuses.
func broken(n int) [][]byte {
	values := make([][]byte, n)
	for i := range values {
		values[i] = fmt.Appendf(nil, `{"patient":"B%07d","sex":"F","diagnosis":"asthma"}`, i)
	}
	return values
}
