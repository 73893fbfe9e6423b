package incremental

import (
	"errors"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/internal/fault"
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
	ErrStateFull = fault.Errorf(fault.Failed, "raise state.max_records, then start again; nothing was lost",
		"the state holds as many records as state.max_records allows")
	// ErrBroken: a commit failed before; the machine must be opened again.
	ErrBroken = errors.New("a commit failed; the state must be opened again")
)

// none marks a record that is in no class.
const none = ^ClassID(0)

// Machine is the state machine: what its host calls. The work is done by parts,
// each of which owns what it changes. Not safe for concurrent use: one goroutine
// owns it; Views may be read by others.
type Machine struct {
	state
	store     Store
	staged    staged    // what has changed since the last commit
	first     firstLoad // of this run
	attempts  attempts
	journal   following
	forgotten forgotten
	barred    barred
	planner   planner
	pools     nextPool // at level L2
}

// state is what a machine knows: what its store has, and what follows from that.
type state struct {
	schema    *equivclass.Schema
	policy    Policy // its requirement completed by the references that are fixed
	interrupt interrupt
	progress  progress
	now       int64 // the machine's time
	head      head
	intake    Intake
	records   columns
	history   history
	pending   pendingSet
	secrets   secrets
}

// Intake returns the books of what was read.
func (m *Machine) Intake() *Intake { return &m.intake }

// Open loads the machine from its store. A fresh store gets the options' seed
// and settings with its first commit.
func Open(store Store, o Options) (*Machine, error) {
	if err := o.Policy.Check(); err != nil {
		return nil, err
	}
	m := &Machine{store: store, pools: nextPool{sizes: usualSizes()},
		state: state{schema: o.Schema, policy: o.Policy, intake: newIntake(), interrupt: o.Interrupted, progress: o.Progress}}
	if m.policy.Level == L2 {
		m.policy.InitialMin = firstNeed(&m.policy)
	}
	m.policy.Initial, m.policy.Local = m.interrupt.partitioner(o.Policy.Initial), m.interrupt.partitioner(o.Policy.Local)
	m.records = newColumns(o.Schema)
	m.records.interrupt = o.Interrupted
	l := loader{m, o, true}
	if err := l.load(); err != nil {
		return nil, err
	}
	m.records.loaded()
	if err := m.head.Pools.Open.check(&m.records); err != nil {
		return nil, err
	}
	if l.fresh {
		m.head.Meta = Meta{Seed: o.Seed, Seeded: o.Seeded}
	}
	a := adoption{Options: o, head: &m.head, records: &m.records, staged: &m.staged, history: &m.history, bound: !m.beforeRelease(),
		refused: m.attempts.Attempt, sent: m.intake.counters.Sent > 0}
	if err := a.settings(l.fresh); err != nil {
		return nil, err
	}
	m.policy.Requirement = withReference(m.policy.Requirement, m.schema, m.head.References)
	m.secrets = newSecrets(m.head.Seed, o.SubjectKey)
	m.pools.draws = func(k merge.Key) merge.Draws {
		if d := merge.NewDraws(m.head.Seed, k); o.Orders == nil {
			return d
		} else {
			return d.Through(o.Orders)
		}
	}
	m.staged.from = m.records.len()
	m.records.scale = m.head.Scale
	m.now = m.restoredTime()
	m.rebuild()
	return m, m.interrupt.err()
}

// restoredTime is the machine's time after a restart: never before what state
// has seen, even if the host has not given a tick yet or its clock went back.
func (m *state) restoredTime() int64 {
	if m.policy.HoldInCuts {
		return m.head.Tick
	}
	now := m.head.CutTick
	if n := len(m.records.arrivals); n > 0 {
		now = max(now, m.records.arrivals[n-1].tick)
	}
	return now
}

// Seed returns the state's seed, for keyed digests and draws. It must not be
// shown (rule R).
func (m *Machine) Seed() [32]byte { return m.head.Seed }

// SeedCheck is the same for two states if their seeds are. It is a one-way function of the seed, and of no other use:
// who knows it can compute neither a draw nor a digest (rule R, randomness).
func (m *Machine) SeedCheck() [32]byte { return [32]byte(m.secrets.key("check of the seed")) }

// Tick gives the machine the host's time. Without effect where a tick is a cut.
func (m *Machine) Tick(now int64) {
	if !m.policy.HoldInCuts && now > m.now {
		m.staged.closeBlock(&m.records, m.now)
		m.now = now
	}
}

// Hierarchies returns the versions of each attribute's hierarchy, oldest first.
func (m *Machine) Hierarchies() map[int][]HierarchyVersion { return m.head.Hierarchies }

// enoughRecords reports whether the records are there without which the first load does not end.
func (s *state) enoughRecords() bool { return s.firstRecords() >= s.policy.InitialMin }

// firstRecords is how many records count for the first load. At level L2 a subject's later
// records do not, because none of them is in the first pool.
func (s *state) firstRecords() int {
	if s.policy.Level == L2 {
		return len(s.pending.waiting)
	}
	return int(s.records.len())
}

// beforeRelease reports whether nothing is decided yet: no release, and no pool
// that was quarantined, whoever of it was forgotten since.
func (s *state) beforeRelease() bool {
	return s.history.latest() == nil && s.pending.pools == 0
}

// newSinceCut returns the number of records accepted since the newest cut that was
// tried, with or without a release.
func (s *state) newSinceCut() int { return int(s.records.len() - s.head.LastCut) }

// published returns the number of records that are in a published class.
func (s *state) published() int {
	return int(s.records.len()) - s.pending.counts().Total() - s.pending.beyond - s.records.vacant
}

// full reports whether the state holds as many records as it may, with so many people more.
func (s *state) full(people int) bool {
	return s.policy.MaxRecords > 0 && int(s.records.len())+people >= s.policy.MaxRecords
}

// sortPending takes what is in a class, or in a pool that was quarantined, from what waits,
// and finds who was passed over at the newest cut.
func (s *state) sortPending(quarantined []RecordID) {
	s.pending.drop(s.records.classOf, quarantined)
	if s.head.InitialDone {
		s.pending.passOver(&s.records, &s.head, &s.policy)
	}
}

// subject stands for the person of a record; none says that the record is nobody's.
func (s *state) subject(row equivclass.Row) (subject uint64, known bool) {
	if i := s.schema.SubjectIndex(); i >= 0 && row[i] != nil {
		return s.secrets.subjectOf(row[i]), true
	}
	return 0, false
}
