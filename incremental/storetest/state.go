// Package storetest is the conformance suite of state.Store: its tests run it on every store, and
// a machine may rely on what they test and on nothing else. Tests of stores take its deltas and its plain state.
package storetest

import (
	"errors"
	"maps"
	"slices"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

var errStop = errors.New("the visitor stops")

// State is the plain model of a store: everything it holds, a record a row,
// without blocks. Stores agree with it exactly.
type State struct {
	Meta       *state.Meta
	Counters   *state.Counters
	Dictionary []state.DictionaryEntry
	Records    []record
	Classes    []state.Class
	Intents    []state.Intent
	Positions  []state.PartitionPosition
	Quarantine []state.RecordID
	Attempts   []state.Attempt
	Letters    []state.DeadLetter
	LastLetter uint64
	Journal    *state.JournalMark
	Ledger     *state.LedgerMark
	Known      []state.Known
	Due        int
	Born       []state.Born
	Stale      []state.RecordID
	Settling   map[uint64]string
}

// record is one row of a record block.
type record struct {
	ID         state.RecordID
	Tick       int64
	Values     []equivclass.Code
	HasSubject bool
	Subject    uint64
	Stratum    settle.Stratum
	Window     settle.Window
	Origin     uint16
	Offset     int64
}

// Apply does to the model what a commit does to a store.
func (s *State) Apply(d *state.Delta) {
	if d.Meta != nil {
		m := *d.Meta
		m.Settings, m.InitialEnds, m.References = maps.Clone(m.Settings), maps.Clone(m.InitialEnds), maps.Clone(m.References)
		m.Eras = slices.Clone(m.Eras)
		m.Ends, m.Read, m.Hierarchies = maps.Clone(m.Ends), maps.Clone(m.Read), maps.Clone(m.Hierarchies)
		s.Meta = &m
	}
	if d.Counters != nil {
		c := *d.Counters
		c.Refused, c.Ignored, c.Replayed = maps.Clone(c.Refused), maps.Clone(c.Ignored), maps.Clone(c.Replayed)
		s.Counters = &c
	}
	s.Dictionary = append(s.Dictionary, d.Dictionary...)
	for _, b := range d.Records {
		s.addRows(b)
	}
	for _, c := range d.Births {
		x := *c
		x.Members = slices.Clone(c.Members)
		s.Classes = append(s.Classes, x)
	}
	for _, id := range d.DeclaredPure {
		s.Classes[id].Regime = state.Pure
	}
	for _, x := range d.Deaths {
		s.Classes[x.ID].Died = x.Release
	}
	s.Quarantine = append(s.Quarantine, d.Quarantined...)
	s.Known = append(s.Known, d.Known...)
	if d.Born != nil {
		s.Born = append(s.Born, *d.Born)
	}
	s.Stale = append(s.Stale, d.Stale...)
	if a := d.Attempt; a != nil {
		s.Attempts = append(s.Attempts[:a.Number-1], *a)
	}
	if d.Due != nil {
		s.Due = *d.Due
	}
	if x := d.Journal; x != nil {
		mark := *x
		s.Journal = &mark
	}
	for _, x := range d.Settling {
		if s.keep(x); x.Bytes == nil {
			delete(s.Settling, x.Number)
		}
	}
	if len(s.Settling) == 0 {
		s.Settling = nil
	}
	if x := d.Ledger; x != nil {
		mark := *x
		s.Ledger = &mark
	}
	s.applyIntent(d.Intent)
	s.applyPositions(d.Positions)
	s.applyLetters(d)
}

func (s *State) keep(x settle.Change) {
	if s.Settling == nil {
		s.Settling = map[uint64]string{}
	}
	s.Settling[x.Number] = string(x.Bytes)
}

func (s *State) addRows(b *state.RecordBlock) {
	for i := range b.Len() {
		r := record{ID: b.First + state.RecordID(i), Tick: b.Tick, HasSubject: b.Subject != nil, Origin: b.Origin[i],
			Offset: b.Offset[i]}
		for _, column := range b.Columns {
			r.Values = append(r.Values, column[i])
		}
		if b.Subject != nil {
			r.Subject = b.Subject[i]
		}
		if b.Stratum != nil {
			r.Stratum, r.Window = b.Stratum[i], b.Window[i]
		}
		s.Records = append(s.Records, r)
	}
}

func (s *State) applyIntent(i *state.Intent) {
	if i == nil {
		return
	}
	s.Intents = slices.DeleteFunc(s.Intents, func(x state.Intent) bool { return x.Release == i.Release })
	s.Intents = append(s.Intents, *i)
	slices.SortFunc(s.Intents, func(a, b state.Intent) int { return int(a.Release) - int(b.Release) })
}

func (s *State) applyPositions(positions []state.PartitionPosition) {
	for _, p := range positions {
		s.Positions = slices.DeleteFunc(s.Positions, func(x state.PartitionPosition) bool { return x.Partition == p.Partition })
		s.Positions = append(s.Positions, p)
	}
	slices.SortFunc(s.Positions, func(a, b state.PartitionPosition) int {
		return int(a.Position.Number) - int(b.Position.Number)
	})
}

func (s *State) applyLetters(d *state.Delta) {
	for _, l := range d.DeadLetters {
		s.LastLetter = l.Seq
		s.Letters = append(s.Letters, l)
	}
	var waiting []state.DeadLetter
	for _, l := range s.Letters {
		if l.Seq > d.Delivered {
			waiting = append(waiting, l)
		}
	}
	s.Letters = waiting
}

// Read loads a store into a model, outbox included.
func Read(store state.Store) (*State, error) {
	s := &State{}
	waiting := 0
	v := s.visitor()
	v.Outbox = func(last uint64, n int) error {
		s.LastLetter, waiting = last, n
		return nil
	}
	if err := store.Load(v); err != nil {
		return nil, err
	}
	var err error
	if s.Letters, err = store.Outbox(0, 1<<30, 1<<40); err != nil {
		return nil, err
	}
	if len(s.Letters) != waiting {
		return nil, errors.New("the outbox holds another number of dead letters than the load says")
	}
	return s, nil
}

func (s *State) visitor() state.Visitor {
	return state.Visitor{
		Meta:     func(m state.Meta) error { s.Meta = &m; return nil },
		Counters: func(c state.Counters) error { s.Counters = &c; return nil },
		Dictionary: func(attribute int, text string) error {
			s.Dictionary = append(s.Dictionary, state.DictionaryEntry{Attribute: attribute, Text: text})
			return nil
		},
		Settling: func(x settle.Change) error { s.keep(x); return nil },
		Stale:    func(x []state.RecordID) error { s.Stale = append(s.Stale, x...); return nil },
		Born:     func(b *state.Born) error { s.Born = append(s.Born, *b); return nil },
		Known:    func(x []state.Known) error { s.Known = append(s.Known, x...); return nil },
		Due:      func(x int) error { s.Due = x; return nil },
		Journal:  func(x state.JournalMark) error { s.Journal = &x; return nil },
		Ledger:   func(x state.LedgerMark) error { s.Ledger = &x; return nil },
		Records:  func(b *state.RecordBlock) error { s.addRows(b); return nil },
		Class:    func(c *state.Class) error { s.Classes = append(s.Classes, *c); return nil },
		Intent:   func(i *state.Intent) error { s.Intents = append(s.Intents, *i); return nil },
		Position: func(p state.Partition, x state.Position) error {
			s.Positions = append(s.Positions, state.PartitionPosition{Partition: p, Position: x})
			return nil
		},
		Quarantined: func(ids []state.RecordID) error {
			s.Quarantine = append(s.Quarantine, ids...)
			return nil
		},
		Attempt: func(a *state.Attempt) error { s.Attempts = append(s.Attempts, *a); return nil },
		Outbox:  func(uint64, int) error { return nil },
	}
}
