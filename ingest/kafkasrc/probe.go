package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"

	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
)

// Probed is one thing that a source or a sink needs of a cluster.
type Probed struct {
	What   string
	Detail string
	Err    error // nil: it is there
	// Warning says what is wrong with it, although a run would begin.
	Warning error
}

// Probe asks a cluster for what a source needs: a connection, the topic, and the rights
// to read it and to use the group. It stops at the first thing that is missing, and changes
// nothing.
func Probe(ctx context.Context, cfg Config) []Probed {
	p, err := newProbe(cfg)
	if err != nil {
		return []Probed{{What: "connection", Err: err}}
	}
	defer p.Close()
	ids, err := p.Partitions(ctx)
	if !p.reached(err) {
		return p.done
	}
	if !p.note("topic", fmt.Sprintf("%s has %d partitions", p.cfg.Topic, len(ids)), err) {
		return p.done
	}
	from, err := p.ListOffsets(ctx, ids[:1], kafka.FirstOffset, kafkaclient.ReadUncommitted)
	if err == nil {
		var res *fetch.Response
		if res, err = p.fetch(ctx, ids[0], from[ids[0]], 0, p.cfg.MaxBytes); err == nil {
			err = res.Err()
		}
	}
	p.note("right to read", p.cfg.Topic, err)
	if p.cfg.Group != "" {
		for attempts := p.cfg.Reconnect.Attempts(); ; { // a coordinator that has just moved is there within seconds
			_, err = p.committed(ctx, p.cfg.Group, ids)
			if !kafkaclient.IsStarting(err) || attempts.Wait(ctx) != nil {
				break
			}
		}
		p.note("right to use the group", p.cfg.Group, err)
	}
	return p.done
}

// ProbeWrite asks a cluster once whether dead letters can be written to cfg.Topic. Brokers
// older than Kafka 2.3 do not say.
func ProbeWrite(ctx context.Context, cfg Config) []Probed {
	p, err := newProbe(cfg)
	if err != nil {
		return []Probed{{What: "connection", Err: err}}
	}
	defer p.Close()
	m, err := p.Do(ctx, &metadata.Request{TopicNames: []string{p.cfg.Topic}, IncludeTopicAuthorizedOperations: true}, 0)
	if !p.reached(err) {
		return p.done
	}
	topic := m.(*metadata.Response).Topics[0]
	if topic.ErrorCode != 0 {
		err = fmt.Errorf("topic %s: %w", p.cfg.Topic, kafka.Error(topic.ErrorCode))
	}
	if !p.note("topic of dead letters", p.cfg.Topic, err) {
		return p.done
	}
	const write = 4 // of Kafka's operations
	rights := topic.TopicAuthorizedOperations
	known := rights != math.MinInt32 && rights != 0
	switch {
	case !known:
		p.note("right to write dead letters", "the broker does not say", nil)
	case rights&(1<<write) == 0:
		p.done = append(p.done, Probed{What: "right to write dead letters",
			Err: fault.With(0, "grant Write on the topic", kafka.TopicAuthorizationFailed)})
	default:
		p.note("right to write dead letters", p.cfg.Topic, nil)
	}
	return p.done
}

// probe gathers what was found.
type probe struct {
	*client
	done []Probed
}

func newProbe(cfg Config) (*probe, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &probe{client: newClient(cfg)}, nil
}

// reached notes whether a broker answers; what it answers about the topic comes next.
func (p *probe) reached(err error) bool {
	var code kafka.Error
	if errors.As(err, &code) && !kafkaclient.IsAuthentication(err) || errors.Is(err, protocol.ErrNoTopic) {
		err = nil
	}
	detail := fmt.Sprintf("%v", p.cfg.Brokers)
	if p.cfg.Access.Encrypted() {
		detail += ", TLS"
	}
	if m := p.cfg.Access.Mechanism(); m != "" {
		detail += ", " + m
	}
	return p.note("connection", detail, err)
}

// note notes a finding and reports whether it is a good one.
func (p *probe) note(what, detail string, err error) bool {
	if err = p.cfg.Access.Explained(err, toRead); err != nil && fault.Hint(err) == "" {
		err = fault.With(0, "check source.kafka, and whether the brokers run and can be reached from here", err)
	}
	p.done = append(p.done, Probed{What: what, Detail: detail, Err: err})
	return err == nil
}
