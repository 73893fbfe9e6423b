package shards

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/sealed"
	"anond/shards/journal"
	"anond/shards/keying"
)

// The journal of a shard (package shards/journal): partition shard.index of the topic shard.journal.topic.

// journalKey seals the entries. It follows from subject.key, which all shards have. Whoever has it and the topic knows
// order and times of what was decided, and no draw: the seed is in the state alone (rule R, randomness).
func journalKey(c *config.Config) sealed.Key {
	k, err := sealed.ParseKey(hex.EncodeToString(c.SubjectKey().Derive("anond journal of decisions")))
	if err != nil {
		panic("the length of a derived key has changed: " + err.Error())
	}
	return k
}

// journalName binds entries to their shard.
func journalName(c *config.Config) string {
	return fmt.Sprintf("%s\x00%d/%d", c.Dataset, c.Shard.Index, c.Shard.Of)
}

// journaled is the journal of a run (dataset.Journal).
type journaled struct {
	c        *config.Config
	o        dataset.Options
	log      journal.Log
	close    func() error
	journal  *journal.Journal
	root     *journal.Genesis // nil: the journal is empty, or has lost its beginning
	headless error            // the journal has lost its beginning
}

// Journal implements dataset.Sharding: it opens the topic of the journal, or what stands in for it.
func (room) Journal(ctx context.Context, c *config.Config, o dataset.Options) (dataset.Journal, error) {
	if in := o.StandIns.Journal; in != nil {
		return &journaled{c: c, o: o, log: in.Log, close: func() error { return nil }}, nil
	}
	log, err := kafkasrc.OpenLog(logConfig(c, o), c.Shard.Index, away(o))
	if err != nil {
		return nil, err
	}
	weak, err := checkJournal(ctx, c, log)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if weak != nil {
		o.Log.Warn("the topic of the journal may lose entries", "event", "journal_weak", "reason", weak.Error(), "remedy", fault.Hint(weak))
	}
	return &journaled{c: c, o: o, log: log, close: log.Close}, nil
}

func (j *journaled) Close() error { return j.close() }

// open opens the journal behind a mark.
func (j *journaled) open(after state.JournalMark) *journal.Journal {
	return journal.Open(j.log, journalKey(j.c), journalName(j.c), after, rand.Reader)
}

// Begin implements dataset.Journal. A new state would draw a seed, and so decide otherwise than the one whose journal there is.
func (j *journaled) Begin(ctx context.Context, fresh func() (bool, error)) error {
	first, err := j.open(state.JournalMark{}).First(ctx)
	switch {
	case errors.Is(err, journal.ErrHole): // a state that is new enough does not need the beginning
		j.headless = err
	case err != nil:
		return err
	case first == nil:
		return nil
	case first.Genesis == nil:
		return fmt.Errorf("%w: it does not begin with a state", journal.ErrForeign)
	default:
		j.root = first.Genesis
	}
	switch isNew, err := fresh(); {
	case err != nil || !isNew:
		return err
	case j.headless != nil: // and a backup of any age would not do
		return j.headless
	}
	return fmt.Errorf("%s: %w: only a backup of the state has its seed", j.c.State.Path, journal.ErrNoState)
}

// away says, now and then, that the journal takes nothing. Nothing is committed meanwhile.
func away(o dataset.Options) func(error) {
	var mu sync.Mutex
	var said time.Time
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if now := o.Clock.Now(); said.IsZero() || now.Sub(said) >= 10*time.Second || now.Before(said) {
			said = now
			o.Log.Warn("the journal does not answer: nothing is committed and no release is made until it does", "event", "journal_away",
				"error", fault.Line(err))
		}
	}
}

// Held implements dataset.Journal.
func (j *journaled) Held(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := j.journal.Held(ctx)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", dataset.ErrJournalAway, err)
	}
	return err
}

// Steps implements dataset.Journal.
func (j *journaled) Steps(settings [32]byte) ingest.Steps {
	return journal.NewSteps(j.journal, settings)
}

// Follow implements dataset.Journal.
func (j *journaled) Follow(ctx context.Context, f dataset.Following) (*incremental.Machine, error) {
	m := f.Machine
	if j.headless != nil && m.Journal().Seq == 0 {
		return nil, j.headless
	}
	j.journal = j.open(m.Journal())
	began := j.o.Clock.Now()
	total, err := j.partitions(ctx)
	if err != nil {
		return nil, err
	}
	m.Source().SetPartitions(total)
	host := f.Host()
	host.Commands = nil
	dataset.Placed(host, keying.Of(j.c, m.Source().Partitions()))
	host.Shares = repeatShares(j.c, total)
	follower := &journal.Follower{Host: host, Entries: j.journal, Open: j.partitionOf(host), Republish: f.Republish, Beginning: f.Beginning}
	if err := follower.Root(ctx, j.root); err != nil {
		return nil, err
	}
	done, err := follower.Repeat(ctx)
	if err != nil {
		return host.Machine, err
	}
	j.o.Log.Info("the state follows its journal", "event", "journal_followed", "entry", host.Machine.Journal().Seq, "entries", done.Entries,
		"records", done.Records, "releases", done.Releases, "ms", j.o.Clock.Now().Sub(began).Milliseconds())
	return host.Machine, nil
}

// leastOfRepeat is the least share of a partition that is read by a source of its own.
const leastOfRepeat = 256 << 10

// repeatShares divides memory.max_in_flight among the partitions of a shard, in a topic that has so many in all. Each is
// read by a source of its own, since the order of the entries decides which one goes on, and none may wait for another. There is
// one transaction, and what one batch may decompress to is what it was for the process before.
func repeatShares(c *config.Config, total int) ingest.Shares {
	mine := max(1, (total-c.Shard.Index+c.Shard.Of-1)/c.Shard.Of)
	whole := dataset.SharesOf(c)
	s := ingest.SharesOf(max(leastOfRepeat, c.InFlight()/mine), int(c.Source.MaxRecordBytes))
	s.Batch, s.Commit, s.Deliver = whole.Batch, whole.Commit, whole.Deliver
	return s
}

// partitions is how many the topic has.
func (j *journaled) partitions(ctx context.Context) (int, error) {
	if in := j.o.StandIns.Journal; in != nil {
		return in.Partitions, nil
	}
	return kafkasrc.CountPartitions(ctx, dataset.KafkaConfig(j.c, j.o))
}

// partitionOf opens single partitions of the topic, for a host that repeats.
func (j *journaled) partitionOf(host *ingest.Host) ingest.OpenPartition {
	if in := j.o.StandIns.Journal; in != nil {
		return in.Open
	}
	k := dataset.KafkaConfig(j.c, j.o)
	k.MaxBytes, k.MaxBatch, k.Fetches = host.Shares.Piece, host.Shares.Batch, 1
	return func(ctx context.Context, p state.Partition, at state.Position) (ingest.Source, error) {
		return kafkasrc.OpenPartition(ctx, k, p.ID, host.Machine.Source().Partitions(), at, host.Machine.Digest)
	}
}
