package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/ingest"
	"anond/ingest/deadletter"
	"anond/internal/kafkaclient"
)

// deadLetters writes refused records to a topic. It implements
// ingest.DeadLetters.
//
// Delivery is at least once: a write that the broker answered too late is
// written again. The key, source:partition:offset, lets readers and compaction
// drop the copies.
type deadLetters struct {
	cfg    Config
	client *client
	writer *kafka.Writer
	log    *slog.Logger
	failed int             // attempts since the last success
	there  map[uint64]bool // of the delivery that failed last: the numbers that the topic has
}

var _ ingest.DeadLetters = (*deadLetters)(nil)

// maxLetter is the size from which a dead letter is written without its
// payload; brokers accept 1 MiB by default.
const maxLetter = 900_000

// OpenDeadLetters returns a sink that writes to cfg.Topic. It does not connect.
func OpenDeadLetters(cfg Config) (ingest.DeadLetters, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	d := &deadLetters{cfg: cfg, client: c, log: cfg.Logger.With(slog.String("topic", cfg.Topic))}
	// Every default of the writer that matters here loses data or time: no
	// acknowledgement, a second of batching, attempts that end.
	d.writer = &kafka.Writer{Addr: c.Addr(), Topic: cfg.Topic, Balancer: &kafka.Hash{}, RequiredAcks: kafka.RequireAll,
		BatchTimeout: 5 * time.Millisecond, MaxAttempts: 1, Transport: c.RoundTripper()}
	return d, nil
}

// Deliver implements ingest.DeadLetters. It returns when all dead letters are
// acknowledged by all replicas in sync, or with the error of an attempt that
// failed; the next call after that must begin with the same ones.
func (d *deadLetters) Deliver(ctx context.Context, letters []state.DeadLetter) error {
	var waiting []kafka.Message
	for _, l := range letters {
		if !d.there[l.Seq] {
			waiting = append(waiting, d.message(l))
		}
	}
	for len(waiting) > 0 {
		err := d.writer.WriteMessages(ctx, waiting...)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		again, smaller := d.refused(waiting, err)
		d.note(letters, again)
		if waiting = again; !smaller && len(again) > 0 {
			return d.fails(kafkaclient.FirstError(err))
		}
	}
	d.failed, d.there = 0, nil
	return nil
}

// note remembers which dead letters have reached the topic although others have
// not.
func (d *deadLetters) note(letters []state.DeadLetter, missing []kafka.Message) {
	d.there = make(map[uint64]bool, len(letters))
	for _, l := range letters {
		d.there[l.Seq] = true
	}
	for _, m := range missing {
		if l, ok := m.WriterData.(state.DeadLetter); ok {
			delete(d.there, l.Seq)
		}
	}
}

// fails says what is wrong and what an operator can do, and sees to fresh
// connections after the second failure in a row.
func (d *deadLetters) fails(err error) error {
	if d.failed++; d.failed > 1 {
		d.client.Renew(time.Second, false)
	}
	return fmt.Errorf("topic %s: %w", d.cfg.Topic, d.cfg.Access.Explained(err, "Write and Describe on the topic"))
}

// refused returns the messages that were not written. Those that are too large
// for the broker are written without their payload from now on: a dead letter
// that cannot be delivered would stop all that follow it. smaller: there were
// some, and nothing else was wrong.
func (d *deadLetters) refused(sent []kafka.Message, err error) (again []kafka.Message, smaller bool) {
	var each kafka.WriteErrors
	if !errors.As(err, &each) || len(each) != len(sent) {
		return sent, false
	}
	smaller = true
	for i, m := range sent {
		if each[i] == nil {
			continue
		}
		if l, ok := m.WriterData.(state.DeadLetter); ok && errors.Is(each[i], kafka.MessageSizeTooLarge) && l.Payload != nil {
			m = d.withoutPayload(l)
		} else {
			smaller = false
		}
		again = append(again, m)
	}
	return again, smaller
}

func (d *deadLetters) message(l state.DeadLetter) kafka.Message {
	m := kafka.Message{Key: letterKey(l), Value: deadletter.EncodeDelivered(l, time.Now()), WriterData: l}
	if len(m.Value) > maxLetter && l.Payload != nil {
		return d.withoutPayload(l)
	}
	return m
}

func (d *deadLetters) withoutPayload(l state.DeadLetter) kafka.Message {
	d.log.Warn("a dead letter is too large for the topic and is written without its payload", event("deadletter_payload_dropped"),
		slog.Any("letter", l))
	l.Payload = nil
	return d.message(l)
}

// letterKey is source:partition:offset.
func letterKey(l state.DeadLetter) []byte {
	key := append([]byte(l.Partition.Source), ':')
	key = strconv.AppendInt(key, int64(l.Partition.ID), 10)
	return strconv.AppendInt(append(key, ':'), l.Offset, 10)
}

// Close implements ingest.DeadLetters.
func (d *deadLetters) Close() error {
	d.client.Close() // first: it ends a write that no broker answers, for which the writer would wait
	return d.writer.Close()
}
