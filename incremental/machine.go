package incremental

import (
	"errors"
	"fmt"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental/local"
	"anond/incremental/place"
	"anond/incremental/plan"
	"anond/incremental/pools"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/internal/fault"
)

// Options are what a machine is opened with.
type Options struct {
	Schema *equivclass.Schema
	Policy state.Policy
	// Settings are digests by configuration key. A difference to those of the
	// state is a SettingsError once a pool is fixed or a release decided; before, only if it
	// changes how records are stored (settings.go).
	Settings map[string][32]byte
	// Later are the keys of Settings that may be others for later pools, at level L2. Apply takes such changes in: an era begins.
	Later map[string]state.Later
	Apply bool
	// Lapse: if they are those of people who come later, all who wait and who are observed lapse; otherwise such a change is refused
	// as long as there is somebody.
	Lapse bool
	// Config is what the state keeps of the settings, and Rebuild makes of it again what the machine was opened with in an earlier
	// era: schema, policy, settings, hierarchies.
	Config  func() []byte
	Rebuild func(config []byte) (Options, error)
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

// Machine is the state machine: what its host calls. The work is done by parts,
// each of which owns what it changes. Not safe for concurrent use: one goroutine
// owns it; Views may be read by others.
type Machine struct {
	s        state.State
	store    state.Store
	intake   intake
	staged   staged    // what has changed since the last commit
	first    firstLoad // of this run
	attempts attempts
	journal  following
	ledger   ledgered
	seen     seen
	turned   *Turned
	earlier  func(config []byte) (Options, error)
	eras     map[int]*Options       // those that were asked for
	unlinked map[state.ClassID]bool // classes of which state does not know who has which value (package erase); nil: not looked for yet
	place    place.Counter          // which updates have gathered where
	planner  plan.Planner
	made     plan.Updates
	host     int64 // the time of the host, as Tick was given it last, in Unix milliseconds; 0: it was not
}

// intake returns the books of what was read.
func (m *Machine) Intake() *intake { return &m.intake }

// Open loads the machine from its store. A fresh store gets the options' seed
// and settings with its first commit.
func Open(store state.Store, o Options) (*Machine, error) {
	if err := o.Policy.Check(o.Schema); err != nil {
		return nil, err
	}
	m := &Machine{store: store, intake: newIntake(), planner: local.Planner{}, earlier: o.Rebuild,
		s: state.State{Schema: o.Schema, Policy: o.Policy, Interrupt: o.Interrupted, Progress: o.Progress}}
	m.s.Policy.Initial, m.s.Policy.Local = m.s.Interrupt.Partitioner(o.Policy.Initial), m.s.Interrupt.Partitioner(o.Policy.Local)
	m.s.Records = state.NewColumns(o.Schema)
	m.s.Records.Interrupt = o.Interrupted
	m.s.Open = settle.New(o.Policy.Settle)
	if o.Policy.Settle.Histories() {
		m.s.Records.Sequences(o.Policy.Settle.Max)
	}
	m.seen.s = &m.s
	l := loader{m, o, true}
	if err := l.load(); err != nil {
		return nil, err
	}
	m.s.Records.Loaded()
	m.s.Records.Settles(o.Policy.Settle.On())
	m.seen.loaded()
	if err := m.s.Head.Pools.Open.Check(&m.s.Records); err != nil {
		return nil, err
	}
	if l.fresh {
		m.s.Head.Meta = state.Meta{Seed: o.Seed, Seeded: o.Seeded}
	}
	a := adoption{Options: l.Options, head: &m.s.Head, records: &m.s.Records, staged: &m.staged, history: &m.s.History,
		bound:   !m.s.BeforeRelease(),
		attempt: m.attempts.Number, sent: m.intake.counters.Sent > 0, ends: m.intake.offsets.ends()}
	changed := changedSettings(m.s.Head.Settings, o.Settings)
	if err := a.settings(); err != nil {
		return nil, err
	}
	if a.before == nil { // otherwise nobody is observed any more
		if err := m.admits(changed); err != nil {
			return nil, err
		}
	}
	m.s.Policy.Requirement = plan.WithReference(m.s.Policy.Requirement, m.s.Schema, m.s.Head.References)
	m.s.Secrets = state.NewSecrets(m.s.Head.Seed, o.SubjectKey)
	if m.s.Policy.Level == state.L2 {
		m.planner = pools.New(m.s.Head.Seed, o.Orders)
	}
	m.s.Policy.InitialMin = m.planner.FirstNeed(&m.s.Policy)
	m.staged.from = m.s.Records.Len()
	m.s.Records.Scale = m.s.Head.Scale
	m.s.Now = m.s.RestoredTime()
	m.rebuild()
	if a.before != nil {
		if err := m.newcomers(*a.before, o.Lapse); err != nil {
			return nil, err
		}
	}
	return m, m.s.Interrupt.Err()
}

// under are the options of an era that is over.
func (m *Machine) under(era int) (*Options, error) {
	if o := m.eras[era]; o != nil {
		return o, nil
	}
	o, err := m.earlier(m.s.Head.Eras[era].Config)
	if err != nil {
		return nil, fmt.Errorf("the settings of era %d cannot be read: %w", era+1, err)
	}
	o.Policy.Requirement = plan.WithReference(o.Policy.Requirement, o.Schema, m.s.Head.References)
	if m.eras == nil {
		m.eras = map[int]*Options{}
	}
	m.eras[era] = &o
	return &o, nil
}

// Seed returns the state's seed, for keyed digests and draws. It must not be
// shown (rule R).
func (m *Machine) Seed() [32]byte { return m.s.Head.Seed }

// SeedCheck is the same for two states if their seeds are. It is a one-way function of the seed, and of no other use:
// who knows it can compute neither a draw nor a digest (rule R, randomness).
func (m *Machine) SeedCheck() [32]byte { return SeedCheck(m.s.Head.Seed) }

// SeedCheck is Machine.SeedCheck of a seed.
func SeedCheck(seed [32]byte) [32]byte {
	s := state.NewSecrets(seed, nil)
	return [32]byte(s.Key("check of the seed"))
}

// Tick gives the machine the host's time. Where a tick is a cut only time stamps are held against it.
//
// The machine's time is then the host's, or that of what the state holds if that is later, whatever was told before: so it is the same
// for whoever has the same state and is told the same.
func (m *Machine) Tick(now int64) {
	m.host = now
	if at := max(now, m.s.RestoredTime()); !m.s.Policy.HoldInCuts && at != m.s.Now {
		m.staged.closeBlock(&m.s.Records, m.s.Now)
		m.s.Now = at
	}
}

// Ticked is the time of the host, as Tick was given it last; 0: it was not. From it follow when records arrived, who has lapsed, and which
// time stamps lie ahead, so which windows have ended (Stamp). Whoever is to decide the same again is given it, and not the machine's
// time, which may count cuts.
//
// Rules F (forbidden) and U (units): so a window ends at the same place in the order of messages, whoever reads them again, and nobody
// gets a second history.
func (m *Machine) Ticked() int64 { return m.host }

// Stamp is told the time stamp of each record before it is placed, in Unix milliseconds, refused ones too; 0: it has none. A record
// counts with the time of its partition, which is the largest stamp so far: so log time never falls, whatever the order of stamps, and a
// window is as long for everybody in it. A stamp that lies more than a day ahead of the host's clock counts as none, and is
// counted: one producer with a wrong clock would end all windows of the partition.
func (m *Machine) Stamp(p state.Partition, t int64) error {
	if err := m.intake.offsets.numbered(p); err != nil {
		return err
	}
	if m.host > 0 && t > m.host+stampAhead { // 0: the host has not told a time yet
		t = 0
		if m.s.Policy.Settle.Timed() {
			m.intake.counters.Ahead, m.intake.counted = m.intake.counters.Ahead+1, true
		}
	}
	m.intake.at = m.intake.offsets.stamp(p, t)
	return m.settled(p)
}

// Observes reports whether a window is open that ends by the log's time, so that somebody should say when a partition is idle.
func (m *Machine) Observes() bool { return m.s.Policy.Settle.Timed() && m.s.Open.Len() > 0 }

// IdleDue reports whether a window ends if it is Idle at a time.
func (m *Machine) IdleDue(p state.Partition, at int64) bool {
	pos, known := m.intake.offsets.known(p)
	return known && pos.Time < at && m.s.Open.Due(pos.Number, at)
}

// Idle is told that a partition was read to its end, and that it had no more at a time in Unix milliseconds: log time moves on to there.
// Otherwise no window would end whose partition gets nothing any more.
//
// Rule U (units): a window is as long as others in log time, and only that it has ended is noticed by the clock of the host, which
// reads no value. What comes later with an earlier stamp counts with the time of its partition, as always. So that this is nobody's
// who was in time, the host says a time a while ago.
func (m *Machine) Idle(p state.Partition, at int64) error {
	if m.intake.failed {
		return ErrBroken
	}
	if !m.IdleDue(p, at) {
		return nil
	}
	m.intake.offsets.stamp(p, at)
	return m.settled(p)
}

// Ahead is how many time stamps counted as none.
func (m *Machine) Ahead() uint64 { return m.intake.counters.Ahead }

// stampAhead is how far the clocks of producers may lie before that of the host.
const stampAhead = 24 * 60 * 60 * 1000

// Hierarchies returns the versions of each attribute's hierarchy, oldest first.
func (m *Machine) Hierarchies() map[int][]state.HierarchyVersion { return m.s.Head.Hierarchies }
