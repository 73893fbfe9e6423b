package daemon

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/sealed"
	"anond/internal/upkeep"
	"anond/shards/journal"
	"anond/snapshot/publish"
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

// reconcile holds what was published against the state. A state that may catch up is not refused, and its ledger
// has what the state knows: it is on the state's disk by default, and may be lost with it.
//
// A journal has each cut, also those that found a pool ineligible; any other state must know of the pools that were.
func reconcile(p *publish.Publisher, c *config.Config, m *incremental.Machine) error {
	err := p.Reconcile(m.Releases().Intents())
	if err == nil && !c.Shard.Journal.Set() {
		return p.KeepJudged(m.Judged())
	}
	if err == nil || !dataset.MayCatchUp(c, err) {
		return err
	}
	return publish.CatchUp(p.FS, p.Dir, p.Ledger, m.Releases().Intents())
}

// openLog opens the journal, and reads whose it is. It goes before the machine, which would make a new state.
func (r *once) openLog() error {
	if !r.c.Shard.Journal.Set() {
		return nil
	}
	if err := r.reachLog(); err != nil {
		return err
	}
	first, err := journal.Open(r.log, journalKey(r.c), journalName(r.c), state.JournalMark{}, rand.Reader).First(r.ctx)
	switch {
	case errors.Is(err, journal.ErrHole): // a state that is new enough does not need the beginning
		r.headless = err
	case err != nil:
		return err
	case first == nil:
		return nil
	case first.Genesis == nil:
		return fmt.Errorf("%w: it does not begin with a state", journal.ErrForeign)
	default:
		r.root = first.Genesis
	}
	return r.notNew()
}

// reachLog opens the topic of the journal, or what stands in for it.
func (r *once) reachLog() error {
	if in := r.o.StandIns.Journal; in != nil {
		r.log = in.Log
		return nil
	}
	log, err := kafkasrc.OpenLog(dataset.LogConfig(r.c, r.o), r.c.Shard.Index, r.away())
	if err != nil {
		return err
	}
	r.log = log
	r.closers.Add(log.Close)
	weak, err := dataset.CheckJournal(r.ctx, r.c, log)
	if err == nil && weak != nil {
		r.o.Log.Warn("the topic of the journal may lose entries", "event", "journal_weak", "reason", weak.Error(), "remedy", fault.Hint(weak))
	}
	return err
}

// notNew refuses a new state, before it is made: it would draw a seed, and so decide otherwise than the one whose
// journal there is.
func (r *once) notNew() error {
	state, err := r.file.Forgotten()
	switch {
	case err != nil || !state.Fresh:
		return err
	case r.headless != nil: // and a backup of any age would not do
		return r.headless
	}
	return fmt.Errorf("%s: %w: only a backup of the state has its seed", r.c.State.Path, journal.ErrNoState)
}

// away says, now and then, that the journal takes nothing. Nothing is committed meanwhile.
func (r *once) away() func(error) {
	var mu sync.Mutex
	var said time.Time
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if now := r.o.Clock.Now(); said.IsZero() || now.Sub(said) >= 10*time.Second || now.Before(said) {
			said = now
			r.o.Log.Warn("the journal does not answer: nothing is committed and no release is made until it does", "event", "journal_away",
				"error", fault.Line(err))
		}
	}
}

// openJournal brings the state to where the journal ends: it does again what a process before has decided. From then
// on this process is the one that goes on.
func (r *once) openJournal() error {
	if r.log == nil {
		return nil
	}
	if r.headless != nil && r.machine.Journal().Seq == 0 {
		return r.headless
	}
	r.journal = journal.Open(r.log, journalKey(r.c), journalName(r.c), r.machine.Journal(), rand.Reader)
	began := r.o.Clock.Now()
	var done journal.Repeated
	err := r.publisher.standing.during(r.ctx, func(ctx context.Context) error {
		return r.steps.during(ingest.DoingRepeat, func() (err error) { done, err = r.repeat(ctx); return err })
	})
	if err != nil {
		return err
	}
	fence := r.publisher.inner.Fence // what was repeated needed none: its bytes are those of the other process
	r.publisher.inner.Fence = func() error { return cmp.Or(fence(), r.held()) }
	r.o.Log.Info("the state follows its journal", "event", "journal_followed", "entry", r.machine.Journal().Seq, "entries", done.Entries,
		"records", done.Records, "releases", done.Releases, "ms", r.o.Clock.Now().Sub(began).Milliseconds())
	if err := r.publisher.inner.TakeOver(); err != nil {
		return fmt.Errorf("take the releases over: %w", err)
	}
	return r.publisher.inner.Reconcile(r.machine.Releases().Intents())
}

// errJournalAway: nobody knows whether this process may still publish. It is asked again.
var errJournalAway = errors.New("the journal does not answer")

// held says whether this process is still the one that goes on. A stop does not end the question: a release in
// progress may be finished then.
func (r *once) held() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 10*time.Second)
	defer cancel()
	err := r.journal.Held(ctx)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errJournalAway, err)
	}
	return err
}

func (r *once) repeat(ctx context.Context) (done journal.Repeated, err error) {
	defer r.store.hurry()()
	total, err := r.partitions(ctx)
	if err != nil {
		return done, err
	}
	r.machine.Source().SetPartitions(total)
	host := r.host()
	host.Commands = nil
	dataset.Placed(host, dataset.KeyingOf(r.c, r.machine.Source().Partitions()))
	host.Shares = repeatShares(r.c, total)
	follower := &journal.Follower{Host: host, Entries: r.journal, Open: r.partitionOf(host), Republish: r.publisher.Republish}
	if err := follower.Root(ctx, r.root); err != nil {
		return done, err
	}
	if err := r.backUpBeginning(ctx); err != nil {
		return done, err
	}
	done, err = follower.Repeat(ctx)
	r.machine = host.Machine
	return done, err
}

// leastOfRepeat is the least share of a partition that is read by a source of its own.
const leastOfRepeat = 256 << 10

// repeatShares divides memory.max_in_flight among the partitions of a shard, in a topic that has so many in all. Each is
// read by a source of its own, since the order of the entries decides which one goes on, and none may wait for another. There is
// one transaction, and what one batch may decompress to is what it was for the process before.
func repeatShares(c *config.Config, total int) ingest.Shares {
	mine := max(1, (total-c.Shard.Index+c.Shard.Of-1)/c.Shard.Of)
	whole := dataset.SharesOf(c)
	s := ingest.SharesOf(max(leastOfRepeat, int(c.Memory.MaxInFlight)/mine), int(c.Source.MaxRecordBytes))
	s.Batch, s.Commit, s.Deliver = whole.Batch, whole.Commit, whole.Deliver
	return s
}

// partitions is how many the topic has.
func (r *once) partitions(ctx context.Context) (int, error) {
	if in := r.o.StandIns.Journal; in != nil {
		return in.Partitions, nil
	}
	return kafkasrc.CountPartitions(ctx, dataset.KafkaConfig(r.c, r.o))
}

// partitionOf opens single partitions of the topic, for a host that repeats.
func (r *once) partitionOf(host *ingest.Host) ingest.OpenPartition {
	if in := r.o.StandIns.Journal; in != nil {
		return in.Open
	}
	k := dataset.KafkaConfig(r.c, r.o)
	k.MaxBytes, k.MaxBatch, k.Fetches = host.Shares.Piece, host.Shares.Batch, 1
	return func(ctx context.Context, p state.Partition, at state.Position) (ingest.Source, error) {
		return kafkasrc.OpenPartition(ctx, k, p.ID, r.machine.Source().Partitions(), at, host.Machine.Digest)
	}
}

// backUpBeginning copies a state whose journal has nothing but its beginning, before anything is decided: who loses the
// disk then still has the seed, and everything can be repeated.
func (r *once) backUpBeginning(ctx context.Context) error {
	if r.c.State.Backup.Dir == "" || r.machine.Journal().Seq != 1 {
		return nil
	}
	began := r.o.Clock.Now()
	b := upkeep.NewCopier(ctx, r.c, r.file, r.o)
	defer b.Stop()
	made, err := b.Beginning(began, r.machine)
	if err != nil {
		return fmt.Errorf("state.backup.dir: the backup that a journal begins with: %w", err)
	}
	b.Succeeded(made, began)
	return nil
}
