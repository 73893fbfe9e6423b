package incremental

import (
	"errors"

	"anond/equivclass"
	"anond/equivclass/merge"
)

// Options are what a machine is opened with.
type Options struct {
	Schema *equivclass.Schema
	Policy Policy
	// Settings are digests by configuration key. A difference to those of the
	// state is a SettingsError once a release is decided; before, only if it
	// changes how records are stored (settings.go).
	Settings map[string][32]byte
	// Encoding is the key of Settings whose digest covers how records are stored.
	// Empty: every setting does.
	Encoding string
	// Weaker are keys of Settings that may change after the first pool at level L2 was
	// refused: those of what is asked of its bag.
	Weaker []string
	// Hierarchies are those keys of Settings that are digests of hierarchy files,
	// with the attribute of the schema. They may change where the file only grew.
	Hierarchies map[string]int
	// Seed is used, and stored, only by a fresh state (rule R, randomness).
	Seed   [32]byte
	Seeded bool
	// SubjectKey keys the digests of subjects in place of one of the seed; nil: that one. It is
	// stored nowhere: a digest of it belongs to Settings and to what Encoding covers.
	SubjectKey []byte
	// Interrupted ends long work with ErrInterrupted once it answers true. It is
	// asked by several goroutines. nil: work is never interrupted.
	Interrupted func() bool
	// Progress is told how many of the records that a decision partitions are dealt with, of
	// all. It is called by several goroutines. At level L2 what it is told depends on
	// quasi-identifiers and arrival alone (rule B, buckets): nobody is told how far the work
	// is that looks at values. nil: nobody asks.
	Progress func(done, all int)
	// Orders sees each order that is drawn for Merge at level L2, and returns the one to
	// take: for a replay, which gives the places of classes whose values it exchanges. It
	// is called by several goroutines. nil: the orders of the seed.
	Orders func(merge.Key, []int32) []int32
}

// Errors of the machine.
var (
	// ErrStateFull: state.max_records is reached.
	ErrStateFull = errors.New("the state holds as many records as state.max_records allows")
	// ErrBroken: a commit failed before; the machine must be opened again.
	ErrBroken = errors.New("a commit failed; the state must be opened again")
)

// none marks a record that is in no class.
const none = ^ClassID(0)

// Machine is the state machine: what its host calls. The work is done by parts,
// each of which owns what it changes. Not safe for concurrent use: one goroutine
// owns it; Views may be read by others.
type Machine struct {
	store     Store
	schema    *equivclass.Schema
	policy    Policy // its requirement completed by the references that are fixed
	interrupt interrupt
	progress  progress
	broken    bool
	now       int64

	// durable state and what has changed of it since the last commit
	head    head
	intake  intake
	records columns
	history history
	staged  staged
	first   firstLoad // of this run
	attempt Attempt   // the newest, at level L2
	journal following

	// derived from it
	secrets secrets
	blocked suppression
	barred  barred
	pending pendingSet
	planner planner
	values  published // at level L2
	need    PoolNeed  // of the next pool, at level L2
	// unlinked are the classes of which state does not know who has which value; nil: not
	// looked for yet (forget.go).
	unlinked map[ClassID]bool
	// draws are those of Merge for a key, sizes say how large pools have to be. A test
	// may put others in their place; no configuration does.
	draws func(merge.Key) merge.Draws
	sizes sizes
}

// Open loads the machine from its store. A fresh store gets the options' seed
// and settings with its first commit.
func Open(store Store, o Options) (*Machine, error) {
	if err := o.Policy.Check(); err != nil {
		return nil, err
	}
	m := &Machine{store: store, schema: o.Schema, policy: o.Policy, intake: newIntake(), interrupt: o.Interrupted,
		progress: o.Progress, sizes: usualSizes()}
	if m.policy.Level == L2 {
		m.policy.InitialMin = firstNeed(&m.policy)
	}
	m.policy.Initial, m.policy.Local = m.interrupt.partitioner(o.Policy.Initial), m.interrupt.partitioner(o.Policy.Local)
	m.records = newColumns(o.Schema)
	m.records.interrupt = o.Interrupted
	fresh := true
	if err := store.Load(m.visitor(o, &fresh)); err != nil {
		if err = m.loadElsewhere(store, o, err); err != nil {
			return nil, err
		}
	}
	m.records.loaded()
	if err := m.head.Pools.Open.check(&m.records); err != nil {
		return nil, err
	}
	if fresh {
		m.head.Meta = Meta{Seed: o.Seed, Seeded: o.Seeded}
	}
	a := adoption{Options: o, head: &m.head, records: &m.records, staged: &m.staged, history: &m.history, bound: !m.beforeRelease(),
		refused: m.attempt, sent: m.intake.counters.Sent > 0}
	if err := a.settings(fresh); err != nil {
		return nil, err
	}
	m.policy.Requirement = withReference(m.policy.Requirement, m.schema, m.head.References)
	m.secrets = newSecrets(m.head.Seed, o.SubjectKey)
	m.draws = func(k merge.Key) merge.Draws {
		if d := merge.NewDraws(m.head.Seed, k); o.Orders == nil {
			return d
		} else {
			return d.Through(o.Orders)
		}
	}
	m.staged.from = m.records.len()
	m.now = m.restoredTime()
	m.rebuild()
	return m, m.interrupt.err()
}

// restoredTime is the machine's time after a restart: never before what state
// has seen, even if the host has not given a tick yet or its clock went back.
func (m *Machine) restoredTime() int64 {
	if m.policy.HoldInCuts {
		return m.head.Tick
	}
	now := m.head.CutTick
	if n := len(m.records.arrivals); n > 0 {
		now = max(now, m.records.arrivals[n-1].tick)
	}
	return now
}

// visitor fills the machine from a store, checking what it is handed: first
// that records are stored as these settings have it, without which the rest has
// no meaning.
func (m *Machine) visitor(o Options, fresh *bool) Visitor {
	return Visitor{
		Meta: func(meta Meta) error {
			m.head.Meta, *fresh = meta, false
			return sameEncoding(meta.Settings, o)
		},
		Counters:   func(c Counters) error { m.intake.counters = c.complete(); return nil },
		Dictionary: func(a int, text string) error { return m.records.restore(a, text) },
		Records:    func(b *RecordBlock) error { return errors.Join(m.interrupt.err(), m.records.appendBlock(b)) },
		Class:      func(c *Class) error { return errors.Join(m.interrupt.err(), m.history.loadClass(c, m.records.len())) },
		Intent:     m.history.loadIntent,
		Position: func(p Partition, pos Position) error {
			m.intake.offsets.restore(p, pos)
			return nil
		},
		Attempt: func(a *Attempt) error { m.attempt = *a; return nil },
		Journal: func(mark JournalMark) error { m.journal = following{JournalMark: mark}; return nil },
		Quarantined: func(r []RecordID) error {
			m.pending.quarantine(r)
			return nil
		},
		Barred:     m.barred.load,
		Suppressed: func(s Suppressed) error { m.blocked.add(s.People); m.blocked.due = s.Due; return nil },
		Outbox:     func(last uint64, waiting int) error { m.intake.last, m.intake.waiting = last, waiting; return nil },
	}
}

// Seed returns the state's seed, for keyed digests and draws. It must not be
// shown (rule R).
func (m *Machine) Seed() [32]byte { return m.head.Seed }

// SeedCheck is the same for two states if their seeds are. It is a one-way function of the seed, and of no other use:
// who knows it can compute neither a draw nor a digest (rule R, randomness).
func (m *Machine) SeedCheck() [32]byte { return [32]byte(m.secrets.key("check of the seed")) }

// Positions returns a copy of the positions of all known partitions.
func (m *Machine) Positions() map[Partition]Position {
	return m.intake.offsets.positions()
}

// Next returns the first offset of a partition that is not applied; known is
// false for a partition that was never read.
func (m *Machine) Next(p Partition) (next int64, known bool) {
	pos, known := m.intake.offsets.known(p)
	return pos.Next, known
}

// ReadBefore returns how far partitions had been read before the state was reset.
func (m *Machine) ReadBefore() map[Partition]int64 { return m.head.Read }

// Partitions is the number of partitions that the topic of a shard had when it was first read;
// 0: it was not, or the state is of no shard.
func (m *Machine) Partitions() int { return m.head.Partitions }

// SetPartitions keeps that number, once, with the next commit.
func (m *Machine) SetPartitions(n int) {
	if m.head.Partitions == 0 && n > 0 {
		m.head.Partitions, m.head.changed = n, true
	}
}

// Tick gives the machine the host's time. Without effect where a tick is a cut.
func (m *Machine) Tick(now int64) {
	if !m.policy.HoldInCuts && now > m.now {
		m.staged.closeBlock(&m.records, m.now)
		m.now = now
	}
}

// Latest returns the newest intent, nil before the first release.
func (m *Machine) Latest() *Intent { return m.history.latest() }

// Intents returns all intents, oldest first. The slice must not be changed.
func (m *Machine) Intents() []Intent { return m.history.intents }

// Hierarchies returns the versions of each attribute's hierarchy, oldest first.
func (m *Machine) Hierarchies() map[int][]HierarchyVersion { return m.head.Hierarchies }
