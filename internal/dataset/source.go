package dataset

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/deadletter"
	"anond/ingest/decode"
	"anond/ingest/filesrc"
	"anond/ingest/kafkasrc"
	"anond/ingest/pgsrc"
	"anond/ingest/registry"
	"anond/internal/brokeraccess"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/sealed"
)

func DecoderOf(c *config.Config, log *slog.Logger) func() (decode.Decoder, error) {
	opts := decode.Options{MaxBytes: int(c.Source.MaxRecordBytes), Multiline: c.Source.CSV.Multiline, Form: c.Source.CSV.Form,
		Paths:      c.Paths(),
		DropOthers: c.Others == config.DropOthers, Dates: c.Dates(), Ignore: reasonsOf(c.DeadLetter.Ignore),
		Deletes: c.Deletes == config.ForgetDeletes, Kinds: c.Settle.On(), Updates: c.Updates == config.ApplyUpdates}
	if once := new(sync.Once); log != nil {
		opts.Suspect = func(member string) {
			once.Do(func() {
				log.Warn("records look like change events: updates and deletes count as records of their own; set source.format to debezium, "+
					"or, if they are flat, to debezium-flat", "event", "change_events", "member", member)
			})
		}
	}
	return func() (decode.Decoder, error) {
		return decode.New(decode.Format(c.Source.Format), c.Schema(), opts)
	}
}

// firstPatience is how long a source may be away at a start before the log asks whether it is the right one.
const firstPatience = 30 * time.Second

// askForType names the key that chose the source, if it is not there for firstPatience: whoever begins may have kept
// that of an example.
func askForType(c *config.Config, o Options) (there func()) {
	over, stop := o.Clock.Ticker(firstPatience)
	found := make(chan struct{})
	go func() {
		defer stop()
		select {
		case <-found:
		case <-over:
			o.Log.Warn("the source has not answered since the start; it is tried again without limit", "event", "source_unreached",
				"source_type", string(c.Source.Type), "hint", fmt.Sprintf("source.type is %s: are the records there? "+
					"source.type file or stdin reads them from a file or a pipe", c.Source.Type))
		}
	}()
	return func() { close(found) }
}

// ReachSource opens the source. A run with --once waits for a limited time.
func ReachSource(ctx context.Context, c *config.Config, m *incremental.Machine, o Options, lease Lease) (ingest.Source, error) {
	defer askForType(c, o)()
	bounded, done := OnceBound(ctx, o)
	defer done()
	s, err := Opened(bounded, o.Clock, func() (ingest.Source, error) { return o.StandIns.source(bounded, c, m, o, lease) })
	return s, AwayError(ctx, bounded, err)
}

func openSource(ctx context.Context, c *config.Config, m *incremental.Machine, o Options, lease Lease) (ingest.Source, error) {
	return afterTable(ctx, c, o, resumeOf(m, o), func(resume ingest.Resume) (ingest.Source, error) {
		return openFeed(ctx, c, m, o, lease, resume)
	})
}

// afterTable opens a source that comes after the table that a configuration names, or has named.
func afterTable(ctx context.Context, c *config.Config, o Options, resume ingest.Resume,
	feed func(ingest.Resume) (ingest.Source, error)) (ingest.Source, error) {
	if c.Initial.Source.Set() {
		return pgsrc.Open(ctx, tableConfig(c, o), resume, feed)
	}
	if err := pgsrc.Check(resume.Positions); err != nil {
		return nil, err
	}
	return feed(resume)
}

// tableConfig says which rows are read before the source.
func tableConfig(c *config.Config, o Options) pgsrc.Config {
	s := &c.Initial.Source
	return pgsrc.Config{URL: s.URL.Reveal(), Query: s.Query, OrderBy: s.OrderBy, Format: decode.Format(c.Source.Format),
		MaxBytes: int(c.Source.MaxRecordBytes), Piece: SharesOf(c).Piece, Log: o.Log, Retry: o.StandIns.Retry()}
}

func openFeed(ctx context.Context, c *config.Config, m *incremental.Machine, o Options, lease Lease, resume ingest.Resume) (ingest.Source,
	error) {
	if c.Source.Type == config.FromKafka {
		k, err := TopicConfig(c, o)
		if err != nil {
			return nil, err
		}
		k.Lease = lease.kafka()
		k.Shard.Partitions = m.Source().Partitions()
		return kafkasrc.Open(ctx, k, resume)
	}
	f := fileConfig(c, o)
	if c.Source.Type == config.FromStdin {
		f.Stdin, f.Again = o.Stdin, o.Again
	} else {
		f.Paths, f.Follow = []string{c.Source.File.Path}, c.Source.File.Follow && !o.Once
	}
	return filesrc.Open(ctx, f, resume)
}

// resumeOf tells a source where the state stands.
func resumeOf(m *incremental.Machine, o Options) ingest.Resume {
	return ingest.Resume{Positions: m.Intake().Positions(), Read: m.Source().ReadBefore(), Digest: m.Digest, Once: o.Once, Ordered: true}
}

// fileConfig says how files and standard input are read.
func fileConfig(c *config.Config, o Options) filesrc.Config {
	f := filesrc.Config{Layout: filesrc.NDJSON, MaxBytes: int(c.Source.MaxRecordBytes), Complete: c.Source.File.Complete, Log: o.Log,
		Apart: c.Schema().SubjectIndex() >= 0}
	if c.Source.Format == config.CSV {
		f.Layout, f.Multiline, f.Form = filesrc.CSV, c.Source.CSV.Multiline, c.Source.CSV.Form
		f.CheckHeader = func(header []string) error {
			return decode.CheckHeader(c.Schema(), header, c.Others == config.DropOthers)
		}
	}
	return f
}

// RereadOf reads single records of the source again; nil for standard input, which
// cannot be read again.
func RereadOf(c *config.Config, m *incremental.Machine, o Options) (ingest.Reread, error) {
	feed, err := rereadFeed(c, m, o)
	if err != nil || feed == nil || !c.Initial.Source.Set() {
		return feed, err
	}
	table := pgsrc.Reread(tableConfig(c, o))
	return func(ctx context.Context, wanted map[state.Partition][]int64, take ingest.Taken) error {
		if err := table(ctx, wanted, take); err != nil {
			return err
		}
		wanted = maps.Clone(wanted)
		delete(wanted, pgsrc.Partition)
		return feed(ctx, wanted, take)
	}, nil
}

func rereadFeed(c *config.Config, m *incremental.Machine, o Options) (ingest.Reread, error) {
	switch c.Source.Type {
	case config.FromKafka:
		k, err := TopicConfig(c, o)
		return kafkasrc.Reread(k), err
	case config.FromStdin:
		return nil, nil
	}
	f := fileConfig(c, o)
	f.Paths = []string{c.Source.File.Path}
	return filesrc.Reread(f, m.Digest), nil
}

// SharesOf divides memory.max_in_flight.
func SharesOf(c *config.Config) ingest.Shares {
	return ingest.SharesOf(c.InFlight(), int(c.Source.MaxRecordBytes))
}

// TopicConfig is KafkaConfig for the messages of the source, which a schema registry may have to read.
func TopicConfig(c *config.Config, o Options) (kafkasrc.Config, error) {
	k, g := KafkaConfig(c, o), &c.Source.Registry
	if g.URL == "" {
		return k, nil
	}
	files, err := brokeraccess.Files(brokeraccess.Block{Key: "source.registry", TLS: g.TLS})
	if err != nil {
		return k, err
	}
	certificates, err := files.TLS.Config()
	if err != nil {
		return k, fault.Errorf(fault.Config, "correct the files of source.registry", "source.registry: %w", err)
	}
	plain := func(of decode.Format, mayLack bool) (kafkasrc.Plain, error) {
		places, err := registry.PlacesOf(of, c.Schema(), c.Paths())
		if err != nil {
			return nil, err
		}
		asked, err := registry.New(registry.Options{URL: g.URL, Username: g.Username, Password: g.Password.Reveal(), Token: g.Token.Reveal(),
			TLS: certificates, Places: places, MayLack: mayLack, Clock: o.Clock})
		return asked.Plain, err
	}
	if k.Plain, err = plain(decode.Format(c.Source.Format), g.MayLack); err != nil || c.Shard.Of > 1 {
		return k, err // the keys of shards are compared as they are
	}
	k.PlainKey, err = plain(decode.JSON, true)
	return k, err
}

func KafkaConfig(c *config.Config, o Options) kafkasrc.Config {
	k, shares := c.Source.Kafka, SharesOf(c)
	return kafkasrc.Config{Config: kafkaclient.Config{Brokers: k.Brokers, Topic: k.Topic, ClientID: k.ClientID,
		Access: o.Brokers.access, Logger: o.Log, Reconnect: reconnect()},
		Group: k.Group, OnGap: kafkasrc.OnGap(k.OnGap), OnCorrupt: kafkasrc.OnCorrupt(k.OnCorrupt),
		Shard: kafkasrc.Shard{Index: c.Shard.Index, Of: c.Shard.Of}, Header: headerOf(c),
		MaxBytes: shares.Piece, MaxBatch: shares.Batch, MaxRecord: int(c.Source.MaxRecordBytes), Fetches: shares.Fetches,
		StallAfter: k.StallAfter, Membership: kafkasrc.Membership{SessionTimeout: k.SessionTimeout}}
}

// OpenDeadLetters opens the sink; with a key, what it gets is encrypted.
func OpenDeadLetters(c *config.Config, o Options, key sealed.Key) (ingest.DeadLetters, error) {
	sink, err := openSink(c, o)
	if err == nil && key.Set() {
		sink = deadletter.Seal(sink, key)
	}
	return sink, err
}

func openSink(c *config.Config, o Options) (ingest.DeadLetters, error) {
	if c.DeadLetter.Type == config.ToFile {
		file, err := deadletter.OpenFile(c.DeadLetter.Path)
		if err != nil {
			return nil, err
		}
		return file.Stamp(o.Clock.Now), nil
	}
	k := KafkaConfig(c, o)
	k.Topic = c.DeadLetter.Topic
	return kafkasrc.OpenDeadLetters(k)
}
