// Package state is what the state machine of anond knows: the records that it took in, the classes and releases that were decided, who
// waits, and the port by which a store keeps that. It decides nothing; planners read it, and the machine (package incremental)
// changes it.
//
// Guarantee: a Delta is what one step changes, and Guard refuses one that does not continue what a store has. Numbers of records,
// classes and buckets are given in order and never again, so what a state says does not depend on when it was loaded.
//
// Cost: see Records and FirstRecords; a class costs its members.
package state

import (
	"anond/equivclass"
	"anond/incremental/settle"
)

// None marks a record that is in no class.
const None = ^ClassID(0)

// State is what a machine knows: what its store has, and what follows from that.
type State struct {
	Schema    *equivclass.Schema
	Policy    Policy // its requirement completed by the references that are fixed
	Interrupt interrupt
	Progress  Progress
	Now       int64 // the machine's time
	Head      Head
	Records   Records
	History   History
	Pending   PendingSet
	Secrets   Secrets
	Stale     Stale
	Open      settle.Open // those whose window has not ended

	requests   map[uint32]int // see Requests
	requestsAt uint32
	Known      People // those of whom nothing more is taken in
}

// EnoughRecords reports whether the records are there without which the first load does not end.
func (s *State) EnoughRecords() bool { return s.FirstRecords() >= s.Policy.InitialMin }

// FirstRecords is how many records count for the first load. At level L2 a subject's later
// records do not, because none of them is in the first pool.
func (s *State) FirstRecords() int {
	if s.Policy.Level == L2 {
		return len(s.Pending.Waiting)
	}
	return int(s.Records.Len())
}

// BeforeRelease reports whether nothing is decided yet: no release, and no pool
// that was quarantined, whoever of it was forgotten since.
func (s *State) BeforeRelease() bool {
	return s.History.Latest() == nil && s.Pending.Pools == 0
}

// NewSinceCut returns the number of records accepted since the newest cut that was
// tried, with or without a release.
func (s *State) NewSinceCut() int { return int(s.Records.Len() - s.Head.LastCut) }

// Published returns the number of people who are in a class that the newest release shows.
func (s *State) Published() int {
	return int(s.Records.Len()) - s.Pending.Counts().Total() - s.Pending.Beyond - s.Records.Vacant -
		s.History.Left + s.History.Newcomers(s.Head.Removed) - s.History.Withdrawn()
}

// CountPending counts the pending records of the source by reason, those of open windows included.
func (s *State) CountPending() Pending {
	p := s.Pending.Counts()
	for of := range s.Pending.Strata() {
		p.Waiting += s.Records.More(*of)
	}
	p.Quarantined += s.Records.More(s.Pending.Quarantined)
	p.Settling = s.Open.Records()
	return p
}

// Shown counts records of the source: those of the people whom the newest release shows, of those who have left with their parts, and of
// those whose buckets were withdrawn. All people of a release have histories of one length.
func (s *State) Shown() (published, expired, withdrawn int) {
	published, expired, withdrawn = s.Published(), s.History.Left, s.History.Withdrawn()
	h := &s.History
	for born, length := range h.lengths {
		if n := h.Intents[born-1].Newcomers; born <= h.Expired() {
			expired += n * (length - 1)
		} else {
			out := h.withdrawn[born] * (length - 1)
			published, withdrawn = published+n*(length-1)-out, withdrawn+out
		}
	}
	return published, expired, withdrawn
}

// Full reports whether the state holds as many records as it may, with so many people more.
func (s *State) Full(people int) bool {
	return s.Policy.MaxRecords > 0 && int(s.Records.Len())+s.Open.Weight()+people >= s.Policy.MaxRecords
}

// SortPending takes what is in a class, or in a pool that was quarantined, from what waits,
// and finds who was passed over at the newest cut.
func (s *State) SortPending(quarantined []RecordID) {
	s.Pending.drop(s.Records.ClassOf, quarantined)
	if s.Head.InitialDone {
		s.Pending.passOver(&s.Records, &s.Head, &s.Policy)
	}
}

// Why is why nothing more is taken in of a person; 0: for no reason that stays when the records are gone.
func (s *State) Why(subject uint64) Why {
	if s.Known.Len() == 0 || subject == 0 {
		return 0
	}
	return s.Known.Why(s.Secrets.Person(subject)) &^ Seen
}

// Subject stands for the person of a record; 0: the record is nobody's. It is safe for concurrent use.
func (s *State) Subject(row equivclass.Row) uint64 {
	if i := s.Schema.SubjectIndex(); i >= 0 && row[i] != nil {
		return s.Secrets.SubjectOf(row[i])
	}
	return 0
}

// RestoredTime is the machine's time after a restart: never before what state
// has seen, even if the host has not given a tick yet or its clock went back.
func (m *State) RestoredTime() int64 {
	if m.Policy.HoldInCuts {
		return m.Head.Tick
	}
	now := m.Head.CutTick
	if n := len(m.Records.Arrivals); n > 0 {
		now = max(now, m.Records.Arrivals[n-1].Tick)
	}
	return now
}

// Outdated counts those who wait under an earlier version and are fewer than a pool needs:
// nobody joins them any more. It is a function of the order of arrival (rule H, held values).
func (m *State) Outdated(need int) (n int) {
	newest := 0
	for of := range m.Records.Versions(&m.Head, m.Pending.Waiting) {
		newest = 0
		if len(of) < need {
			newest = len(of)
		}
		n += newest
	}
	return n - newest // others join those of the newest version
}
