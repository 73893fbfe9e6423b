package fetch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/internal/fault"
	"anond/internal/kafkaclient"
)

// Bounds of what ReadTopic holds at a time.
const (
	topicBytes = 4 << 20  // of an answer
	topicBatch = 64 << 20 // that a batch may decompress to, and of the largest answer
)

// topicWait is how long a broker may wait for records that should be there.
const topicWait = 100 * time.Millisecond

// A batch that cannot be read is fetched so often, and for so long, before it counts as spoiled.
const (
	spoiledTries = 4
	spoiledAfter = 30 * time.Second
)

var (
	errTopicAway = fault.Errorf(fault.Failed, "make sure that the brokers can be reached, then run it again; nothing was lost",
		"the topic has not answered")
	errSpoiled = fault.Errorf(fault.Failed, "check the partition and its producers", "a part of the topic cannot be read")
	errNothing = errors.New("the broker answers without records")
)

// toReadTopic are the rights of ReadTopic.
const toReadTopic = "Read and Describe on the topic"

// ReadTopic gives do every committed message from the beginning of a topic to the end that it has now, partition by partition in
// order. One that is longer than most has no value. Messages that the broker has deleted are passed over. The brokers have to
// answer within patience; later failures are tried again until ctx ends, and a batch that stays corrupt is an error. A message
// is given once.
func ReadTopic(ctx context.Context, cfg kafkaclient.Config, most int, patience time.Duration,
	do func(partition int32, offset int64, key, value []byte) error) error {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return err
	}
	t := &topic{cfg: cfg, client: kafkaclient.New(cfg), most: most, do: do}
	defer t.client.Close()
	parts, err := t.open(ctx, patience)
	for i := 0; err == nil && i < len(parts); i++ {
		err = t.partition(ctx, parts[i].id, parts[i].Extent)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("topic %s: %w", cfg.Topic, err)
	}
	return err
}

// topic is one that is read.
type topic struct {
	cfg    kafkaclient.Config
	client *kafkaclient.Client
	most   int
	do     func(partition int32, offset int64, key, value []byte) error
}

// part is a partition, and what it holds.
type part struct {
	kafkaclient.Extent
	id int32
}

// open asks what the partitions hold, until somebody answers.
func (t *topic) open(ctx context.Context, patience time.Duration) (parts []part, err error) {
	opening, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var why error // the newest that is not that the time is over
	for attempts := t.cfg.Reconnect.Attempts(); ; t.client.Renew(0, false) {
		parts, err = t.parts(opening)
		if err == nil {
			return parts, nil
		}
		if opening.Err() == nil || why == nil {
			why = t.cfg.Access.Explained(err, toReadTopic)
		}
		switch ended := attempts.Wait(opening); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case ended != nil:
			return nil, fault.With(0, fault.Hint(why), fmt.Errorf("%w for %s: %w", errTopicAway, patience, why))
		}
	}
}

func (t *topic) parts(ctx context.Context) ([]part, error) {
	ids, err := t.client.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]part, len(ids))
	for i, id := range ids {
		e, err := t.client.Extent(ctx, id)
		if err != nil {
			return nil, err
		}
		out[i] = part{e, id}
	}
	return out, nil
}

// partition reads one.
func (t *topic) partition(ctx context.Context, id int32, e kafkaclient.Extent) error {
	attempts := t.cfg.Reconnect.Attempts()
	var spoiled time.Time // since when a batch is
	empty := false        // the newest answer was
	for at := e.First; at < e.Stable; {
		next, err := t.read(ctx, id, at, e.Stable)
		if empty && errors.Is(err, errNothing) {
			next, err = t.pastHole(ctx, id, at, e.Stable)
		}
		empty = errors.Is(err, errNothing)
		var ended doError
		switch {
		case errors.As(err, &ended):
			return ended.error
		case errors.Is(err, ErrFormat):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case next > at:
			at, spoiled = next, time.Time{} // what else went wrong is met at its beginning
			attempts.Succeeded()
			continue
		case IsCorrupt(err):
			if spoiled.IsZero() {
				spoiled = time.Now()
			}
			if attempts.Failed() >= spoiledTries && time.Since(spoiled) >= spoiledAfter {
				return fmt.Errorf("%w: partition %d: %w", errSpoiled, id, err)
			}
		}
		if err := attempts.Wait(ctx); err != nil {
			return err
		}
		if !empty && attempts.Failed() > 1 {
			t.client.Renew(time.Second, false)
		}
	}
	return nil
}

// doError is of whoever gets the messages.
type doError struct{ error }

// read fetches once, and hands out what came. It returns the offset up to which it has read.
func (t *topic) read(ctx context.Context, id int32, at, end int64) (next int64, err error) {
	res, err := t.fetch(ctx, id, at)
	if errors.Is(err, kafka.OffsetOutOfRange) { // deleted since
		e, gone := t.client.Extent(ctx, id)
		if gone == nil && e.First > at {
			return min(e.First, end), nil
		}
	}
	if err != nil {
		return at, err
	}
	s := Sizes{Piece: topicBytes, Record: t.most, Batch: topicBatch}
	a := NewAnswer(res, at, end, s, func() error { return nil },
		func(to, r *Record) int { *to = *r; return len(r.Key) + len(r.Value) + 64 })
	defer a.Close()
	for next = at; ; {
		p, err := a.Piece()
		if err != nil {
			return next, err
		}
		for i := range p.Records {
			r := &p.Records[i]
			if r.Short {
				r.Value = nil
			}
			if err := t.do(id, r.Offset, r.Key, r.Value); err != nil {
				return next, doError{err}
			}
		}
		if p.Next == p.From {
			break
		}
		next = p.Next
	}
	if next == at && res.Present && !res.Throttled {
		return at, errNothing
	}
	return next, nil
}

// fetch asks for records. An answer that is larger than asked for, since its first batch is, is asked for again.
func (t *topic) fetch(ctx context.Context, id int32, at int64) (*Response, error) {
	a := Ask{Topic: t.cfg.Topic, ClientID: t.cfg.ClientID, Partition: id, Offset: at, Wait: topicWait, MaxBytes: topicBytes,
		Most: topicBytes + AnswerOverhead}
	res, err := a.Do(ctx, t.client)
	if errors.Is(err, ErrLargeAnswer) {
		a.Most = topicBatch + AnswerOverhead
		if res, err = a.Do(ctx, t.client); errors.Is(err, ErrLargeAnswer) {
			err = Corrupt(at, "it is larger than %d bytes", topicBatch)
		}
	}
	return res, res.OrErr(err)
}

// pastHole goes on behind what compaction has removed up to the end: a fetch returns the first batch at or behind its offset, so
// a second empty answer, and one at the last offset, say that nothing is left.
func (t *topic) pastHole(ctx context.Context, id int32, at, end int64) (int64, error) {
	res, err := t.fetch(ctx, id, end-1)
	if err != nil || !res.Present || res.Throttled || len(res.Batches) > 0 {
		return at, errors.Join(errNothing, err)
	}
	return end, nil
}
