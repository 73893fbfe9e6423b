// Package topics runs a repartitioning (package repartition) between two topics of Kafka: it reads one, writes the other, and keeps
// the progress and the status in files.
package topics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/shards/keying"
	"anond/shards/repartition"
)

// Topics says which topic is written anew.
type Topics struct {
	From, To string // To empty: From with RepartitionSuffix
	Progress string // file; empty: next to state.path
	// Again begins at the start of the source although the target holds records: the progress was
	// lost. Readers drop what they have had.
	Again bool
	// view is shown how it stands; may be nil.
	View *view
}

// suffix is what the name of a repartitioned topic ends with by default.
const suffix = ".subjects"

// ErrUnknownTarget: the target holds records, and there is no progress that tells of them.
var ErrUnknownTarget = fault.Errorf(fault.Failed, "restore the progress, or write everything again with --again: shards drop what "+
	"they have had. If the source was made again since, write to another topic: --to",
	"the target topic holds records, and there is no progress of writing it")

// fill sets what is not given. The configuration of shards names the topic that they read, which
// is the target.
func (r *Topics) fill(c *config.Config) {
	if r.From == "" {
		r.From = strings.TrimSuffix(c.Source.Kafka.Topic, suffix)
	}
	if r.To == "" {
		r.To = r.From + suffix
	}
	if r.Progress == "" {
		r.Progress = filepath.Join(filepath.Dir(c.State.Path), "repartition-"+r.From+".json")
	}
}

func (r *Topics) check(c *config.Config) error {
	switch {
	case c.Source.Type != config.FromKafka:
		return fault.Errorf(fault.Config, "set source.type: kafka", "source.type is %s, and anond repartition reads a topic", c.Source.Type)
	case c.Schema().SubjectIndex() < 0:
		return fault.Errorf(fault.Config, "give the attribute that names the person role: subject", "no attribute has role "+
			"subject: there is nothing to key records by")
	case c.Deletes == config.ForgetDeletes:
		return fault.Errorf(fault.Config, "remove subject.deletes", "subject.deletes is forget, and what anond repartition writes "+
			"does not say whom a delete names")
	case !c.SubjectKey().Set():
		return fault.Errorf(fault.Config, "set subject.key to that of the shards", "subject.key is missing: the keys are digests "+
			"of the subjects under it")
	case r.From == r.To:
		return fault.Errorf(fault.Config, "name another topic: --to", "topic %s would be written to itself", r.From)
	}
	return nil
}

// Run writes a topic anew, keyed by keyed digests of its subjects, until ctx is done, or with
// Once to the end that it has now (package repartition).
func Run(ctx context.Context, c *config.Config, o dataset.Options, r Topics) (counts repartition.Counts, err error) {
	r.fill(c)
	if err := r.check(c); err != nil {
		return counts, err
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Brokers, err = dataset.ReachBrokers(ctx, c, o.Log); err != nil {
		return counts, err
	}
	k, err := dataset.TopicConfig(c, o)
	if err != nil {
		return counts, err
	}
	k.Group, k.Shard, k.Header, k.Topic, k.Source = "", kafkasrc.Shard{}, kafkasrc.Header{}, r.To, ""
	target, err := kafkasrc.OpenPartitionWriter(k)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	p, err := r.progress(ctx, c, target)
	if err != nil {
		return counts, err
	}
	work := &repartition.Work{Schema: c.Schema(), Key: keying.RecordKey(c), Links: keying.LinkKeyOf(c, r.To),
		Target: targetTopic{target, r.To}, Progress: p, Clock: o.Clock, Log: o.Log,
		Digest: witnessOf(c), Retry: o.StandIns.Retry(), Save: r.save}
	if work.Decoder, err = dataset.DecoderOf(c, nil)(); err != nil {
		return counts, err
	}
	k.Topic = r.From
	bounded, done := dataset.OnceBound(ctx, o)
	defer done()
	work.Source, err = kafkasrc.Open(bounded, k, ingest.Resume{Positions: p.Positions("kafka:" + r.From), Digest: work.Digest, Once: o.Once})
	if err != nil {
		return counts, dataset.AwayError(ctx, bounded, err)
	}
	defer func() { err = errors.Join(err, work.Source.Close()) }()
	if of, ok := work.Source.(ingest.Partitioned); ok {
		if err := fitting(p.Targets, of.Partitions(), c.Shard.Of); err != nil {
			return counts, err
		}
	}
	defer r.View.follow(c, o, &r, work)()
	o.Log.Info("repartitioning begins", "event", "repartition_started", "from", r.From, "to", r.To, "partitions", p.Targets)
	return work.Run(ctx)
}

// fitting refuses a target of which some shard would run out of numbers for its positions, in the
// middle of its work. of 0: it is not known how many shards there will be.
func fitting(targets, sources, of int) error {
	if of == 0 {
		return nil
	}
	each := (targets + of - 1) / of
	if need := each * (1 + sources); need > incremental.MostPartitions {
		return fmt.Errorf("%w: a shard of %d would read %d of %d partitions, with %d partitions of the source each, which takes %d",
			incremental.ErrTooManyPartitions, of, each, targets, sources, need)
	}
	return nil
}

// witnessOf is the keyed digest by which a record is known again.
func witnessOf(c *config.Config) func([]byte) state.Digest {
	key := c.SubjectKey().Derive("anond witness of a repartitioned topic")
	return func(value []byte) state.Digest { return state.KeyedDigest(key, value) }
}

// progress reads how far the work is, or begins it.
func (r *Topics) progress(ctx context.Context, c *config.Config, target *kafkasrc.PartitionWriter) (*repartition.Progress, error) {
	partitions, holds, err := target.Extent(ctx)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", r.To, err)
	}
	want := &repartition.Progress{From: r.From, To: r.To, Targets: partitions, Key: c.SubjectKey().ID(), Again: holds}
	text, err := os.ReadFile(r.Progress)
	switch {
	case errors.Is(err, fs.ErrNotExist) && holds && !r.Again:
		return nil, fmt.Errorf("%w: %s, %s", ErrUnknownTarget, r.To, r.Progress)
	case errors.Is(err, fs.ErrNotExist):
		return want, nil
	case err != nil:
		return nil, err
	}
	have, err := repartition.Decode(text)
	if err == nil {
		err = have.Fits(want)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Progress, err)
	}
	have.Again = holds
	return have, nil
}

func (r *Topics) save(p *repartition.Progress) error {
	text, err := p.Encode()
	if err != nil {
		return err
	}
	return disk.ReplaceDurably(r.Progress, 0o600, append(text, '\n'))
}

// targetTopic is the topic that anond repartition writes (repartition.Target).
type targetTopic struct {
	writer *kafkasrc.PartitionWriter
	name   string
}

func (t targetTopic) Write(ctx context.Context, partition int32, records []repartition.Record) error {
	messages := make([]kafkasrc.Headed, len(records))
	for i := range records {
		r := &records[i]
		messages[i] = kafkasrc.Headed{Message: kafkaclient.Message{Key: r.Key, Value: r.Value}, Header: r.Link.Encode()}
	}
	err := t.writer.Write(ctx, partition, keying.LinkHeader, messages)
	if errors.Is(err, kafkaclient.ErrTooLarge) {
		return fmt.Errorf("topic %s: %w: raise its max.message.bytes", t.name, repartition.ErrTooLarge)
	}
	return err
}
