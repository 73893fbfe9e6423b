package kafkaclient

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/describeconfigs"
)

// Message is one of a topic that is written by key.
type Message struct{ Key, Value []byte }

// ErrTooLarge: a message is larger than a topic takes. Trying again does not help.
var ErrTooLarge = errors.New("the message is too large for the topic")

// ErrNotAllowed: the cluster refuses this client.
var ErrNotAllowed = errors.New("the cluster does not allow it")

// topicWriter writes messages to a topic, by the hash of their keys to its partitions.
//
// Guarantee: Write returns nil once all replicas in sync have each message. After an error
// any of them may be there; the same messages are written again then, so what reads the
// topic must not mind copies. kafka-go numbers no batches (enable.idempotence), so this
// holds for its own attempts as well.
type topicWriter struct {
	cfg    Config
	client *Client
	writer *kafka.Writer
}

// OpenWriter returns a writer to cfg.Topic whose messages have at most so many bytes. It
// does not connect.
func OpenWriter(cfg Config, most int) (*topicWriter, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	c := New(cfg)
	w := &topicWriter{cfg: cfg, client: c}
	w.writer = &kafka.Writer{Addr: c.addr, Topic: cfg.Topic, Balancer: &kafka.Hash{}, RequiredAcks: kafka.RequireAll,
		BatchTimeout: 5 * time.Millisecond, BatchSize: 1000, BatchBytes: int64(most), MaxAttempts: 1, Transport: c.RoundTripper(),
		Compression: kafka.Lz4}
	return w, nil
}

// Write writes messages, in any order.
func (w *topicWriter) Write(ctx context.Context, messages []Message) error {
	out := make([]kafka.Message, len(messages))
	for i, m := range messages {
		out[i] = kafka.Message{Key: m.Key, Value: m.Value}
	}
	err := w.writer.WriteMessages(ctx, out...)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.client.Renew(time.Second, false) // a leader may have moved
	return w.explained(err)
}

func (w *topicWriter) explained(err error) error {
	err = FirstError(err)
	var large kafka.MessageTooLargeError
	if errors.As(err, &large) || errors.Is(err, kafka.MessageSizeTooLarge) {
		return fmt.Errorf("topic %s: %w", w.cfg.Topic, ErrTooLarge)
	}
	explained := w.cfg.Access.Explained(err, ToWrite)
	if IsAuthorization(err) {
		return fmt.Errorf("topic %s: %w: %w", w.cfg.Topic, ErrNotAllowed, explained)
	}
	return fmt.Errorf("topic %s: %w", w.cfg.Topic, explained)
}

// Settings are those of a topic, as the broker gives them. An unknown one is empty.
type Settings map[string]string

// Settings asks for some settings of the topic. A broker may refuse to say (DescribeConfigs).
func (w *topicWriter) Settings(ctx context.Context, names ...string) (Settings, error) {
	out, err := w.client.Settings(ctx, names...)
	if err != nil {
		return nil, w.explained(err)
	}
	return out, nil
}

// Forgets reports that the broker deletes messages after a time or from a size on, whether
// newer ones have their keys or not.
func (s Settings) Forgets() bool {
	policy, told := s["cleanup.policy"]
	if !told || !strings.Contains(policy, "delete") {
		return false
	}
	for _, limit := range []string{"retention.ms", "retention.bytes"} {
		if n, err := strconv.ParseInt(s[limit], 10, 64); err == nil && n >= 0 {
			return true
		}
	}
	return false
}

// Compacts reports whether a topic removes messages that a later one of their key replaces, as far as it is told.
func (s Settings) Compacts() bool {
	policy, told := s["cleanup.policy"]
	return !told || strings.Contains(policy, "compact")
}

// Close ends the writer.
func (w *topicWriter) Close() error {
	w.client.Close() // first: it ends a write that no broker answers
	return w.writer.Close()
}

// FirstError is the first of the errors of a write of several messages.
func FirstError(err error) error {
	var each kafka.WriteErrors
	if errors.As(err, &each) {
		for _, e := range each {
			if e != nil {
				return e
			}
		}
	}
	return err
}

// Settings asks for some settings of the client's topic. A broker may refuse to say (DescribeConfigs).
func (c *Client) Settings(ctx context.Context, names ...string) (Settings, error) {
	const topic = 2 // the kind of resource
	m, err := c.Do(ctx, &describeconfigs.Request{Resources: []describeconfigs.RequestResource{
		{ResourceType: topic, ResourceName: c.cfg.Topic, ConfigNames: names}}}, 0)
	if err != nil {
		return nil, err
	}
	out := Settings{}
	for _, r := range m.(*describeconfigs.Response).Resources {
		if r.ErrorCode != 0 {
			return nil, kafka.Error(r.ErrorCode)
		}
		for _, e := range r.ConfigEntries {
			out[e.ConfigName] = e.ConfigValue
		}
	}
	return out, nil
}
