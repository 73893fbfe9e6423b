package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/metadata"

	"anond/ingest"
	"anond/internal/kafkaclient"
)

// Log is one partition of a topic as a replicated log. shards/journal is written to one.
//
// A message is in the log once all replicas in sync have it. One request is under way at a time, and the
// same request is sent again until it is acknowledged, so that a message may be there more
// than once; kafka-go numbers no batches.
type Log struct {
	cfg       Config
	partition int32
	client    *client
	requests  kafka.Client
	away      func(error) // is told each attempt that failed

	// reading is the source of Next, and the messages that it has handed out.
	reading ingest.Source
	chunk   []ingest.Record
	next    int64 // the offset that reading hands out next
}

// OpenLog returns the log in a partition of cfg.Topic. It does not connect. away is told each attempt that
// failed and is made again.
func OpenLog(cfg Config, partition int, away func(error)) (*Log, error) {
	cfg.Group, cfg.Lease, cfg.Shard, cfg.Header, cfg.Source, cfg.OnGap, cfg.OnCorrupt = "", nil, Shard{}, Header{}, "", gapStop, corruptStop
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	return &Log{cfg: cfg, partition: int32(partition), client: c, away: away,
		requests: kafka.Client{Addr: c.Addr(), Transport: c.RoundTripper(), Timeout: cfg.RequestTimeout}}, nil
}

// Append appends a message; it tries until all replicas in sync have it, or trying again cannot help.
func (l *Log) Append(ctx context.Context, message []byte) error {
	attempts := l.cfg.Reconnect.Attempts()
	for {
		err := l.append(ctx, message)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, kafka.MessageSizeTooLarge), kafkaclient.IsAuthorization(err):
			return l.explained(err)
		}
		l.away(l.explained(err))
		if err := attempts.Wait(ctx); err != nil {
			return err
		}
		l.client.Renew(time.Second, false)
	}
}

func (l *Log) append(ctx context.Context, message []byte) error {
	res, err := l.requests.Produce(ctx, &kafka.ProduceRequest{Topic: l.cfg.Topic, Partition: int(l.partition), RequiredAcks: kafka.RequireAll,
		Records: kafka.NewRecordReader(kafka.Record{Time: time.Now(), Value: kafka.NewBytes(message)})})
	if err == nil {
		err = res.Error
	}
	return err
}

// Next returns the first message at or behind an offset. It waits for one.
func (l *Log) Next(ctx context.Context, from int64) (int64, []byte, error) {
	if l.reading == nil || from < l.next {
		if err := l.reopen(ctx, from); err != nil {
			return 0, nil, err
		}
	}
	for {
		for len(l.chunk) > 0 {
			r := l.chunk[0]
			l.chunk, l.next = l.chunk[1:], r.Offset+1
			if r.Offset >= from {
				return r.Offset, r.Value, nil
			}
		}
		chunk, err := l.reading.Next(ctx)
		if err != nil {
			return 0, nil, fmt.Errorf("topic %s: %w", l.cfg.Topic, err)
		}
		l.chunk = chunk.Records
	}
}

// reopen begins to read at an offset.
func (l *Log) reopen(ctx context.Context, from int64) error {
	l.stopReading()
	total, err := l.Partitions(ctx)
	if err != nil {
		return err
	}
	l.reading, err = OpenPartition(ctx, l.cfg, l.partition, total, state.Position{Next: from, Last: -1}, plainDigest)
	l.next = from
	return err
}

func (l *Log) stopReading() {
	if l.reading != nil {
		_ = l.reading.Close() // it was only read
		l.reading, l.chunk = nil, nil
	}
}

// Extent is the offset of the oldest message, and the one behind the newest.
func (l *Log) Extent(ctx context.Context) (first, end int64, err error) {
	attempts := l.cfg.Reconnect.Attempts()
	for {
		var e kafkaclient.Extent
		if e, err = l.client.Extent(ctx, l.partition); err == nil {
			return e.First, e.High, nil
		}
		if ctx.Err() != nil || kafkaclient.IsPermanent(err) {
			return 0, 0, l.explained(err)
		}
		l.away(l.explained(err))
		if err := attempts.Wait(ctx); err != nil {
			return 0, 0, err
		}
		l.client.Renew(0, false)
	}
}

// Partitions is how many partitions the topic has. It waits for a broker without limit.
func (l *Log) Partitions(ctx context.Context) (int, error) {
	return countPartitions(ctx, l.client, l.away)
}

// Replicas is how many brokers have the log.
func (l *Log) Replicas(ctx context.Context) (int, error) {
	m, err := l.client.Do(ctx, &metadata.Request{TopicNames: []string{l.cfg.Topic}}, 0)
	if err != nil {
		return 0, l.explained(err)
	}
	for _, p := range m.(*metadata.Response).Topics[0].Partitions {
		if p.PartitionIndex == l.partition {
			return len(p.ReplicaNodes), nil
		}
	}
	return 0, l.explained(kafka.UnknownTopicOrPartition)
}

func (l *Log) explained(err error) error {
	return fmt.Errorf("topic %s: %w", l.cfg.Topic, l.cfg.Access.Explained(err, "Read, Write and Describe on the topic"))
}

// Settings asks for some settings of the topic. A broker may refuse to say (DescribeConfigs).
func (l *Log) Settings(ctx context.Context, names ...string) (kafkaclient.Settings, error) {
	return l.client.Settings(ctx, names...)
}

// Close ends all connections.
func (l *Log) Close() error {
	l.client.Close() // first: it ends a request that no broker answers
	l.stopReading()
	return nil
}

// OpenPartition reads a single partition of a topic that has so many, from a position on, and goes on with
// what comes.
func OpenPartition(ctx context.Context, cfg Config, id int32, of int, at state.Position,
	digest func([]byte) state.Digest) (ingest.Source, error) {
	cfg.Group, cfg.Lease = "", nil
	cfg.Shard = Shard{Index: int(id), Of: of, Partitions: of}
	if cfg.Source == "" {
		cfg.Source = "kafka:" + cfg.Topic
	}
	known := map[state.Partition]state.Position{}
	if at.Next > 0 {
		known[cfg.partition(id)] = at
	}
	return Open(ctx, cfg, ingest.Resume{Positions: known, Digest: digest})
}

// CountPartitions is how many partitions a topic has. It waits for a broker without limit.
func CountPartitions(ctx context.Context, cfg Config) (int, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return 0, err
	}
	c := newClient(cfg)
	defer c.Close()
	return countPartitions(ctx, c, func(error) {})
}

// countPartitions tells away each attempt that failed.
func countPartitions(ctx context.Context, c *client, away func(error)) (int, error) {
	attempts := c.cfg.Reconnect.Attempts()
	for {
		ids, err := c.Partitions(ctx)
		switch {
		case err == nil:
			return len(ids), nil
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case kafkaclient.IsPermanent(err):
			return 0, fmt.Errorf("topic %s: %w", c.cfg.Topic, err)
		}
		away(err)
		if err := attempts.Wait(ctx); err != nil {
			return 0, err
		}
		c.Renew(0, false)
	}
}
