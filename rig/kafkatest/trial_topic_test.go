package kafkatest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/testkit/hospital"
)

// trialTopic is a topic keyed by subject, and what the one who writes it knows of it.
type trialTopic struct {
	t          *trial
	name       string
	partitions int
	who        [][]int32 // by partition and offset: the patient's number; nobody: what no decoder reads
}

// nobody is whose record it is that is refused.
const nobody = 0

// newTopic creates an empty topic under a name that nobody else has, with settings that are -1.
func (t *trial) newTopic(ctx context.Context, name string, partitions int, keeps ...string) (*trialTopic, error) {
	p := &trialTopic{t: t, name: name + "-" + strings.ToLower(rand.Text()[:10]), partitions: partitions, who: make([][]int32, partitions)}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 30_000
	made := kmsg.NewCreateTopicsRequestTopic()
	made.Topic, made.NumPartitions, made.ReplicationFactor = p.name, int32(partitions), -1
	if t.Replicas > 0 {
		made.ReplicationFactor = int16(t.Replicas)
	}
	if t.InSync > 0 {
		n := strconv.Itoa(t.InSync)
		made.Configs = []kmsg.CreateTopicsRequestTopicConfig{{Name: "min.insync.replicas", Value: &n}}
	}
	for _, setting := range keeps {
		never := "-1"
		made.Configs = append(made.Configs, kmsg.CreateTopicsRequestTopicConfig{Name: setting, Value: &never})
	}
	req.Topics = append(req.Topics, made)
	res, err := req.RequestWith(ctx, t.client)
	if err == nil {
		err = kerr.ErrorForCode(res.Topics[0].ErrorCode)
	}
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", p.name, err)
	}
	return p, nil
}

// sent is how many records the topic has.
func (p *trialTopic) sent() (n int) {
	for _, part := range p.who {
		n += len(part)
	}
	return n
}

// of is how many records a shard reads; shards 0: all.
func (p *trialTopic) of(shard, shards int) (n int) {
	for id, part := range p.who {
		if shards == 0 || id%shards == shard {
			n += len(part)
		}
	}
	return n
}

// beat is the time between two writes. What a late beat missed is made up for by the next
// one, so a broker that is away does not change the rate.
const beat = 50 * time.Millisecond

// feed writes n admissions, evenly over a time.
func (p *trialTopic) feed(ctx context.Context, n int, over time.Duration) error {
	stream, began := hospital.New(p.t.Seed), time.Now()
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for sent := 0; sent < n; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
		due := n
		if since := time.Since(began); since < over {
			due = int(float64(n) * since.Seconds() / over.Seconds())
		}
		if err := p.write(ctx, stream, due-sent); err != nil {
			return err
		}
		sent = due
	}
	return nil
}

// write writes messages and waits until the broker has them. The client numbers what it
// writes, so each is in the topic once.
func (p *trialTopic) write(ctx context.Context, stream *hospital.Stream, n int) error {
	records := make([]*kgo.Record, n)
	who := map[*kgo.Record]int32{}
	for i := range records {
		m := stream.NextMessage()
		key := m.Admission.Patient
		if m.Malformed {
			var read hospital.Admission
			_ = json.Unmarshal(m.Value, &read) // its patient is its key as far as that can be read
			key = read.Patient
		}
		records[i] = &kgo.Record{Topic: p.name, Key: []byte(key), Value: m.Value}
		if !m.Malformed {
			number, err := strconv.Atoi(strings.TrimPrefix(key, "P"))
			if err != nil {
				return fmt.Errorf("a patient of the generator has no number: %w", err)
			}
			who[records[i]] = int32(number)
		}
	}
	for _, res := range p.t.client.ProduceSync(ctx, records...) {
		if res.Err != nil {
			return fmt.Errorf("writing the topic: %w", res.Err)
		}
		if err := p.note(res.Record, who[res.Record]); err != nil {
			return err
		}
	}
	return nil
}

// note keeps who is where. A partition's results come in the order of its offsets.
func (p *trialTopic) note(r *kgo.Record, who int32) error {
	part := &p.who[r.Partition]
	if r.Offset != int64(len(*part)) {
		return fmt.Errorf("partition %d: a record was acknowledged at offset %d, the one before at %d", r.Partition, r.Offset, len(*part)-1)
	}
	*part = append(*part, who)
	return nil
}
