package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/filesrc"
	"anond/ingest/kafkasrc"
	"anond/ingest/registry"
)

// ProbeSource asks the brokers of the source, and those of a journal and of a topic of dead letters,
// for what a run needs of them. Other sources need none. All are asked at the same time: brokers that are
// away cost the time of one.
func ProbeSource(ctx context.Context, c *config.Config) ([]kafkasrc.Probed, error) {
	o, err := Unlogged(ctx, c)
	if err != nil {
		return nil, err
	}
	var source, journal, letters []kafkasrc.Probed
	var asking sync.WaitGroup
	if c.Source.Type == config.FromKafka {
		asking.Go(func() { source = kafkasrc.Probe(ctx, KafkaConfig(c, o)) })
	}
	if c.Shard.Journal.Set() {
		asking.Go(func() { journal = []kafkasrc.Probed{sharding.ProbeJournal(ctx, c, o)} })
	}
	if c.DeadLetter.Type == config.ToTopic {
		k := KafkaConfig(c, o)
		k.Topic = c.DeadLetter.Topic
		asking.Go(func() { letters = kafkasrc.ProbeWrite(ctx, k) })
	}
	asking.Wait()
	return slices.Concat(source, journal, letters), nil
}

// Unlogged are options for what is no run.
func Unlogged(ctx context.Context, c *config.Config) (o Options, err error) {
	if err := shardRefused(c); err != nil {
		return o, err
	}
	o.Log = slog.New(slog.DiscardHandler)
	o.Brokers, err = ReachBrokers(ctx, c, o.Log)
	return o, err
}

// errEnough ends the reading of a topic.
var errEnough = errors.New("enough")

// FirstMessages gives the first messages of a topic, without the empty ones, until take has enough. It joins no group, and knows no
// configuration: brokers are asked without encryption and credentials, and so is the schema registry, if it has an address.
func FirstMessages(ctx context.Context, brokers []string, topic, schemas string, take func(value []byte) bool) error {
	var k kafkasrc.Config
	k.Brokers, k.Topic = brokers, topic
	if schemas != "" {
		asked, err := registry.New(registry.Options{URL: schemas})
		if err != nil {
			return err
		}
		k.Plain = func(ctx context.Context, to, message []byte) ([]byte, bool, error) {
			ctx, stop := context.WithTimeout(ctx, registryPatience)
			defer stop()
			out, other, err := asked.Plain(ctx, to, message)
			if err != nil { // somebody waits at a terminal
				err = fmt.Errorf("%w: %w", ingest.ErrSchema, err)
			}
			return out, other, err
		}
	}
	err := kafkasrc.ReadTopic(ctx, k, 15*time.Second, func(_ int32, r *ingest.Record) error {
		if len(r.Value) > 0 && !r.Cut && !take(r.Value) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// registryPatience is how long a registry is waited for before anything is configured.
const registryPatience = 15 * time.Second

// Sample is what became of some records of the source: counts only. It has nothing about
// the distribution of sensitive values, which nobody may choose a pool by (rule B, buckets).
type Sample struct {
	Records int
	Refused map[Refusal]int
	// Of a shard: how many records are not where the keys of their people lead, and the first.
	Misplaced int
	Keying    error
}

// Refusal is why records would be dead letters. Attribute is empty if the record as a whole
// cannot be read.
type Refusal struct {
	Reason    equivclass.Reason
	Attribute string
}

// ErrNoSample: standard input cannot be read without taking its records away.
var ErrNoSample = errors.New("standard input cannot be sampled")

// TakeSample decodes the first records that the source still holds, and checks them against
// the schema. Nothing is stored or acknowledged. The end of ctx ends it early.
func TakeSample(ctx context.Context, c *config.Config, records int) (*Sample, error) {
	if c.Source.Type == config.FromStdin {
		return nil, ErrNoSample
	}
	source, err := openUnread(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	var keys Keys
	if of, ok := source.(ingest.Partitioned); ok {
		keys = KeyingOf(c, of.Partitions())
	}
	decoder, err := DecoderOf(c, nil)()
	if err != nil {
		return nil, err
	}
	s := &Sample{Refused: map[Refusal]int{}}
	schema := c.Schema()
	table := equivclass.NewTable(schema.Attributes())
	row := make(equivclass.Row, len(schema.Attributes()))
	for s.Records < records {
		chunk, err := source.Next(ctx)
		switch {
		case errors.Is(err, io.EOF), err != nil && ctx.Err() != nil && s.Records > 0:
			return s, nil
		case err != nil:
			return nil, err
		}
		s.take(chunk, decoder, table, row, keys)
	}
	return s, nil
}

// openUnread opens the source as nobody who has read any of it does. It joins no group.
func openUnread(ctx context.Context, c *config.Config) (ingest.Source, error) {
	o, err := Unlogged(ctx, c)
	if err != nil {
		return nil, err
	}
	o.Once = true
	return afterTable(ctx, c, o, fresh(), func(resume ingest.Resume) (ingest.Source, error) {
		if c.Source.Type == config.FromFile {
			f := fileConfig(c, o)
			f.Paths = []string{c.Source.File.Path}
			return filesrc.Open(ctx, f, resume)
		}
		k, err := TopicConfig(c, o)
		if err != nil {
			return nil, err
		}
		k.Group = ""
		return kafkasrc.Open(ctx, k, resume)
	})
}

// fresh tells a source that nothing was read of it, and that its present end is enough.
func fresh() ingest.Resume {
	return ingest.Resume{Once: true, Digest: func(b []byte) (d state.Digest) {
		sum := sha256.Sum256(b)
		copy(d[:], sum[:])
		return d
	}}
}

func (s *Sample) take(chunk *ingest.Chunk, d decode.Decoder, t *equivclass.Table, row equivclass.Row, keys Keys) {
	for i := range chunk.Records {
		r := &chunk.Records[i]
		if r.Passed != "" {
			continue
		}
		s.Records++
		out := d.DecodeKeyed(r.Key, r.Value, chunk.Header, row)
		if keys != nil {
			s.place(keys.Check(chunk.Partition, r, out, row))
		}
		if out.Accepted() {
			out.Reason, out.Attribute = t.Check(row)
		}
		if out.Reason != equivclass.Accepted && !out.Ignored {
			s.Refused[Refusal{out.Reason, out.Attribute}]++
		}
	}
}

func (s *Sample) place(err error) {
	if err == nil {
		return
	}
	if s.Misplaced++; s.Keying == nil {
		s.Keying = err
	}
}
