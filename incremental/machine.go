package incremental

import (
	"errors"
	"fmt"

	"anond/equivclass"
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
	// Retired are settings that earlier versions had, with the digest of the value
	// by which this version acts. A state made under it goes on as if it had no
	// such setting; one made under another value is a RetiredError.
	Retired map[string][32]byte
	// Hierarchies are those keys of Settings that are digests of hierarchy files,
	// with the attribute of the schema. They may change where the file only grew.
	Hierarchies map[string]int
	// Seed is used, and stored, only by a fresh state (rule R).
	Seed   [32]byte
	Seeded bool
	// Interrupted ends long work with ErrInterrupted once it answers true. It is
	// asked by several goroutines. nil: work is never interrupted.
	Interrupted func() bool
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

// Machine is the state machine. Not safe for concurrent use: one goroutine owns
// it; Views may be read by others.
type Machine struct {
	store  Store
	schema *equivclass.Schema
	policy Policy
	meta   Meta
	keys   keys
	broken bool
	// flushing: the cut at hand is the last of its source (Flush).
	flushing  bool
	interrupt interrupt
	// growing: the first load was cut in vain since the machine was opened, and
	// takes in what comes until a cut finds something to publish (first.go).
	growing bool
	refused *InfeasibleError // why the newest such cut was in vain; nil: too few records

	records   columns
	classes   []*Class             // by ID, dead ones included
	died      map[uint32][]ClassID // by release, ascending
	positions map[Partition]Position
	counters  Counters
	intents   []Intent // by release - 1
	outbox    outboxState
	staged    staged
	now       int64

	pending pendingSet
	planner planner
	local   localBuckets
}

type outboxState struct {
	last    uint64 // newest Seq given
	waiting int    // letters not delivered
}

// staged is what has changed since the last commit.
type staged struct {
	delta     Delta
	from      RecordID // first record that is in no block yet
	origins   []uint16 // of the records from there on
	offsets   []int64
	counters  bool
	positions map[Partition]bool
}

// Open loads the machine from its store. A fresh store gets the options' seed
// and settings with its first commit.
func Open(store Store, o Options) (*Machine, error) {
	if err := o.Policy.Check(); err != nil {
		return nil, err
	}
	if err := checkSemi(o.Schema, o.Policy); err != nil {
		return nil, err
	}
	m := &Machine{store: store, schema: o.Schema, policy: o.Policy, positions: map[Partition]Position{}, died: map[uint32][]ClassID{},
		counters: newCounters(), interrupt: o.Interrupted}
	m.policy.Initial, m.policy.Local = m.interrupt.partitioner(o.Policy.Initial), m.interrupt.partitioner(o.Policy.Local)
	m.records = newColumns(o.Schema, o.Policy.Repeat)
	m.records.interrupt = o.Interrupted
	m.staged.positions = map[Partition]bool{}
	fresh := true
	if err := store.Load(m.visitor(o, &fresh)); err != nil {
		return nil, err
	}
	if fresh {
		m.meta = Meta{Seed: o.Seed, Seeded: o.Seeded}
	}
	if err := m.adoptSettings(o, fresh); err != nil {
		return nil, err
	}
	m.useReferences()
	m.deriveKeys()
	m.staged.from = m.records.len()
	m.now = m.restoredTime()
	m.rebuild()
	return m, m.interrupt.err()
}

// restoredTime is the machine's time after a restart: never before what state
// has seen, even if the host has not given a tick yet or its clock went back.
func (m *Machine) restoredTime() int64 {
	if m.policy.HoldInCuts {
		return m.meta.Tick
	}
	now := m.meta.CutTick
	if n := len(m.records.arrivals); n > 0 {
		now = max(now, m.records.arrivals[n-1].tick)
	}
	return now
}

func newCounters() Counters {
	return Counters{Refused: map[equivclass.Reason]uint64{}, Ignored: map[equivclass.Reason]uint64{}}
}

// visitor fills the machine from a store, checking what it is handed: first
// that records are stored as these settings have it, without which the rest has
// no meaning.
func (m *Machine) visitor(o Options, fresh *bool) Visitor {
	return Visitor{
		Meta: func(meta Meta) error {
			var err error
			if meta.Settings, err = dropRetired(meta.Settings, o.Retired); err != nil {
				return err
			}
			m.meta, *fresh = meta, false
			return sameEncoding(meta.Settings, o)
		},
		Counters:   func(c Counters) error { m.counters = c; return m.counters.init() },
		Dictionary: func(a int, text string) error { return m.records.restore(a, text) },
		Records:    func(b *RecordBlock) error { return errors.Join(m.interrupt.err(), m.records.appendBlock(b)) },
		Class:      func(c *Class) error { return errors.Join(m.interrupt.err(), m.loadClass(c)) },
		Intent:     m.loadIntent,
		Position: func(p Partition, pos Position) error {
			m.positions[p] = pos
			return nil
		},
		Quarantined: func(r []RecordID) error {
			m.pending.quarantined = append(m.pending.quarantined, r...)
			return nil
		},
		Outbox: func(last uint64, waiting int) error { m.outbox = outboxState{last, waiting}; return nil },
	}
}

func (c *Counters) init() error {
	if c.Refused == nil {
		c.Refused = map[equivclass.Reason]uint64{}
	}
	if c.Ignored == nil {
		c.Ignored = map[equivclass.Reason]uint64{}
	}
	return nil
}

func (m *Machine) loadClass(c *Class) error {
	if int(c.ID) != len(m.classes) {
		return fmt.Errorf("%w: class %d follows class %d", ErrCorrupt, c.ID, len(m.classes)-1)
	}
	for _, r := range c.Members {
		if r >= m.records.len() {
			return fmt.Errorf("%w: class %d names record %d of %d", ErrCorrupt, c.ID, r, m.records.len())
		}
	}
	m.classes = append(m.classes, c)
	if c.Died != 0 {
		m.died[c.Died] = append(m.died[c.Died], c.ID)
	}
	return nil
}

func (m *Machine) loadIntent(i *Intent) error {
	if int(i.Release) != len(m.intents)+1 {
		return fmt.Errorf("%w: release %d follows release %d", ErrCorrupt, i.Release, len(m.intents))
	}
	m.intents = append(m.intents, *i)
	return nil
}

// Seed returns the state's seed, for keyed digests and draws. It must not be
// shown (rule R).
func (m *Machine) Seed() [32]byte { return m.meta.Seed }

// Positions returns a copy of the positions of all known partitions.
func (m *Machine) Positions() map[Partition]Position {
	out := make(map[Partition]Position, len(m.positions))
	for p, pos := range m.positions {
		out[p] = pos
	}
	return out
}

// Next returns the first offset of a partition that is not applied; known is
// false for a partition that was never read.
func (m *Machine) Next(p Partition) (next int64, known bool) {
	pos, known := m.positions[p]
	return pos.Next, known
}

// ReadBefore returns how far partitions had been read before the state was reset.
func (m *Machine) ReadBefore() map[Partition]int64 { return m.meta.Read }

// InitialEnds returns where the first load ends, nil if that is not known yet.
func (m *Machine) InitialEnds() map[Partition]int64 { return m.meta.InitialEnds }

// SetInitialEnds stores where the first load ends, at the first start.
func (m *Machine) SetInitialEnds(ends map[Partition]int64) {
	m.meta.InitialEnds = ends
	m.staged.delta.Meta = &m.meta
}

// Tick gives the machine the host's time. Without effect where a tick is a cut.
func (m *Machine) Tick(now int64) {
	if !m.policy.HoldInCuts && now > m.now {
		m.flushBlock()
		m.now = now
	}
}

// Latest returns the newest intent, nil before the first release.
func (m *Machine) Latest() *Intent {
	if len(m.intents) == 0 {
		return nil
	}
	return &m.intents[len(m.intents)-1]
}

// Intents returns all intents, oldest first. The slice must not be changed.
func (m *Machine) Intents() []Intent { return m.intents }
