package incremental

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"anond/incremental/place"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// A state keeps its settings from its first commit on, and that comes before its first record: it
// has the ends of the source, by which the first load is known. If the process stops there, as
// a shard does whose topic is keyed by something else, nothing was taken in under these
// settings. So those that say which records a state takes may still change. The seed stays
// (rule R, randomness).

// loader fills a machine from its store.
type loader struct {
	*Machine
	Options
	fresh bool // the store had nothing
}

// load fills the machine.
func (l *loader) load() error {
	err := l.store.Load(l.visitor())
	if err != nil {
		err = l.elsewhere(err)
	}
	return err
}

// visitor fills the machine from a store, checking what it is handed: first
// that records are stored as these settings have it, without which the rest has
// no meaning.
func (l *loader) visitor() state.Visitor {
	m := l.Machine
	return state.Visitor{
		Meta: func(meta state.Meta) error {
			m.s.Head.Meta, l.fresh = meta, false
			if err := l.further(&meta); err != nil {
				return err
			}
			return sameRecords(meta.Settings, &l.Options)
		},
		Counters: func(c state.Counters) error { m.intake.counters = c.Complete(); return nil },
		Room: func(records, classes int) {
			m.s.Records.Room(records)
			m.s.History.Classes = make([]*state.Class, 0, classes)
		},
		Dictionary: func(a int, text string) error { return m.s.Records.Restore(a, text) },
		Records:    func(b *state.RecordBlock) error { return errors.Join(m.s.Interrupt.Err(), m.s.Records.AppendBlock(b)) },
		Class: func(c *state.Class) error {
			return errors.Join(m.s.Interrupt.Err(), m.s.History.LoadClass(c, m.s.Records.Len()))
		},
		Intent: m.s.History.LoadIntent,
		Position: func(p state.Partition, pos state.Position) error {
			m.intake.offsets.restore(p, pos)
			return nil
		},
		Attempt: func(a *state.Attempt) error { m.attempts.Attempt = *a; return nil },
		Journal: func(mark state.JournalMark) error { m.journal = following{JournalMark: mark}; return nil },
		Ledger:  func(mark state.LedgerMark) error { m.ledger = ledgered{LedgerMark: mark}; return nil },
		Quarantined: func(r []state.RecordID) error {
			m.s.Pending.Quarantine(r)
			return nil
		},
		Stale: m.s.Stale.Load,
		Settling: func(x settle.Change) error {
			if err := m.s.Open.Load(x); err != nil {
				return fmt.Errorf("%w: %w", state.ErrCorrupt, err)
			}
			return nil
		},
		Born:   m.s.AddBorn,
		Known:  m.seen.load,
		Due:    func(n int) error { m.seen.due = n; return nil },
		Outbox: func(last uint64, waiting int) error { m.intake.last, m.intake.waiting = last, waiting; return nil },
	}
}

// elsewhere loads a state that settings of its place have refused: shard.index, shard.of,
// shard.key, subject.key, subject.ledger. It is as refused as before if anything was taken in.
func (l *loader) elsewhere(refused error) error {
	m := l.Machine
	var settings *SettingsError
	other := func(key string) bool { return !ofPlace(key) }
	if !errors.As(refused, &settings) || slices.ContainsFunc(settings.Keys, other) || !untouched(m.store) {
		return refused
	}
	v := l.visitor()
	same := v.Meta
	v.Meta = func(meta state.Meta) error {
		if err := same(meta); err != nil && !errors.As(err, &settings) {
			return err
		}
		m.s.Head.InitialDone, m.s.Head.InitialEnds, m.s.Head.Ends, m.s.Head.Partitions = false, nil, nil, 0 // of the topic before
		m.s.Head.Changed = true
		return nil
	}
	return m.store.Load(v)
}

// ofPlace reports whether a setting says which records a state takes, and not how they are stored.
func ofPlace(key string) bool {
	return strings.HasPrefix(key, "shard.") || key == "subject.key" || key == "subject.ledger"
}

var errTouched = errors.New("something was taken in")

// untouched reports whether nothing was ever taken in to a state. The paths of hierarchies are
// in its dictionary from the first commit on.
func untouched(store state.Store) bool {
	return store.Load(state.Visitor{
		Meta:       func(state.Meta) error { return nil },
		Dictionary: func(int, string) error { return nil },
		Counters: func(c state.Counters) error {
			if c.Sent+c.Blocked > 0 || len(c.Refused)+len(c.Ignored)+len(c.Replayed) > 0 {
				return errTouched
			}
			return nil
		},
		Records:     func(*state.RecordBlock) error { return errTouched },
		Class:       func(*state.Class) error { return errTouched },
		Intent:      func(*state.Intent) error { return errTouched },
		Journal:     func(state.JournalMark) error { return errTouched }, // other hosts go by it
		Ledger:      func(state.LedgerMark) error { return errTouched },  // what it was taken for may not change
		Position:    func(state.Partition, state.Position) error { return errTouched },
		Attempt:     func(*state.Attempt) error { return errTouched },
		Quarantined: func([]state.RecordID) error { return errTouched },
		Settling:    func(settle.Change) error { return errTouched },
		Known:       func([]state.Known) error { return errTouched }, Due: func(int) error { return errTouched },
		Outbox: func(last uint64, _ int) error {
			if last > 0 {
				return errTouched
			}
			return nil
		},
	}) == nil
}

// Reopen opens the state again after its store has forgotten people in place, with what this
// machine had in memory alone: how cuts are triggered (Trigger.Set), and what it counted. Of this
// machine only Digest and SubjectOf may be used any more. What it held is let go first, so that the state is in memory
// once.
func (m *Machine) Reopen(o Options) (*Machine, error) {
	o.Policy.CutEvery, o.Policy.OnUpdate = m.s.Policy.CutEvery, m.s.Policy.OnUpdate
	made := m.made
	// secrets stays, which others may read now.
	m.intake = intake{failed: true}
	m.s.Head, m.s.Records, m.s.History, m.s.Pending = state.Head{}, state.Records{}, state.History{}, state.PendingSet{}
	m.s.Stale, m.s.Open = state.Stale{}, settle.Open{}
	m.s.Known = state.People{}
	m.staged, m.seen, m.unlinked, m.place, m.planner = staged{}, seen{s: &m.s}, nil, place.Counter{}, nil
	next, err := Open(m.store, o)
	if err != nil {
		return nil, err
	}
	next.made = made
	return next, nil
}
