package kafkasrc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/incremental"
	"anond/ingest"
)

// Message is one of a topic that is written by key.
type Message struct{ Key, Value []byte }

// ErrTooLarge: a message is larger than a topic takes. Trying again does not help.
var ErrTooLarge = errors.New("the message is too large for the topic")

// ErrNotAllowed: the cluster refuses this client.
var ErrNotAllowed = errors.New("the cluster does not allow it")

// TopicWriter writes messages to a topic, by the hash of their keys to its partitions.
//
// Guarantee: Write returns nil once all replicas in sync have each message. After an error
// any of them may be there; the same messages are written again then, so what reads the
// topic must not mind copies. kafka-go numbers no batches (enable.idempotence), so this
// holds for its own attempts as well.
type TopicWriter struct {
	cfg    Config
	client *client
	writer *kafka.Writer
}

// OpenTopic returns a writer to cfg.Topic whose messages have at most so many bytes. It
// does not connect.
func OpenTopic(cfg Config, most int) (*TopicWriter, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	w := &TopicWriter{cfg: cfg, client: c}
	w.writer = &kafka.Writer{Addr: c.addr, Topic: cfg.Topic, Balancer: &kafka.Hash{}, RequiredAcks: kafka.RequireAll,
		BatchTimeout: 5 * time.Millisecond, BatchSize: 1000, BatchBytes: int64(most), MaxAttempts: 1, Transport: transport{c},
		Compression: kafka.Lz4}
	return w, nil
}

// Write writes messages, in any order.
func (w *TopicWriter) Write(ctx context.Context, messages []Message) error {
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
	w.client.renew(time.Second, false) // a leader may have moved
	return w.explained(err)
}

func (w *TopicWriter) explained(err error) error {
	err = firstError(err)
	var large kafka.MessageTooLargeError
	if errors.As(err, &large) || errors.Is(err, kafka.MessageSizeTooLarge) {
		return fmt.Errorf("topic %s: %w", w.cfg.Topic, ErrTooLarge)
	}
	explained := w.cfg.Access.explained(err, toWrite)
	if isAuthorization(err) {
		return fmt.Errorf("topic %s: %w: %w", w.cfg.Topic, ErrNotAllowed, explained)
	}
	return fmt.Errorf("topic %s: %w", w.cfg.Topic, explained)
}

// Settings are those of a topic, as the broker gives them. An unknown one is empty.
type Settings map[string]string

// Settings asks for some settings of the topic. A broker may refuse to say (DescribeConfigs).
func (w *TopicWriter) Settings(ctx context.Context, names ...string) (Settings, error) {
	out, err := settingsOf(ctx, w.client, names)
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

// Close ends the writer.
func (w *TopicWriter) Close() error {
	w.client.close() // first: it ends a write that no broker answers
	return w.writer.Close()
}

// ReadTopic gives every message from the beginning of a topic to the end that it has now,
// partition by partition in order. Of one that is longer than cfg.MaxRecord it has the
// beginning (Cut). Messages that the broker deleted are passed over. The brokers have to
// answer within patience; later failures are tried again without limit.
func ReadTopic(ctx context.Context, cfg Config, patience time.Duration, do func(partition int32, r *ingest.Record) error) error {
	cfg.OnGap = GapContinue
	opening, cancel := context.WithTimeoutCause(ctx, patience, ingest.ErrAway)
	defer cancel()
	s, err := Open(opening, cfg, ingest.Resume{Once: true, Digest: plainDigest})
	if err != nil {
		if cause := context.Cause(opening); cause != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return fmt.Errorf("topic %s: %w", cfg.Topic, err)
	}
	defer func() { _ = s.Close() }() // it was only read
	for {
		chunk, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range chunk.Records {
			if err := do(chunk.Partition.ID, &chunk.Records[i]); err != nil {
				return err
			}
		}
	}
}

// plainDigest is what a source asks of a state, where there is none.
func plainDigest(b []byte) (d incremental.Digest) {
	sum := sha256.Sum256(b)
	copy(d[:], sum[:])
	return d
}
