package incremental

import (
	"strconv"
	"strings"

	"anond/equivclass"
)

// Algorithm names how this program decides at level L2, and how it writes what it has decided: each
// cut stores it. Of the same records, settings and seed two programs with the same number make the same
// classes, buckets, pools and bytes. A change of any of these takes the next number
// (TestRecordedDecisions), so that a replay by a later program tells what it would decide
// otherwise from what is wrong.
const Algorithm = 2

// CutOutcome is what a cut made of the records.
type CutOutcome uint8

// The outcomes.
const (
	Skipped     CutOutcome = iota // nothing was newly publishable
	Released                      // a release was decided
	Quarantined                   // a pool was ineligible as a whole
	Refused                       // the first pool was, and stays
	Fixed                         // a pool was fixed, and the process ended before it decided
)

// Attempt is one cut tried at level L2, or several in a row over the same records that
// all were skipped, or refused. The state keeps them because a cut that publishes nothing has
// consequences too: later ones depend on when it was tried. With them, whoever has the
// state can make every decision again (anond audit --replay).
//
// Cost in a state: some 30 bytes for each cut tried after new records; none for others.
type Attempt struct {
	Number  uint32   // from 1, without a gap
	Records RecordID // records below had arrived
	// First and Last are the machine's times at the first and the last of the cuts.
	First, Last int64
	Cuts        uint32
	Flush       bool // at the end of the source: no record waits for a better class
	Outcome     CutOutcome
	Changes     uint32 // of hierarchies, that came before
	Algorithm   uint32 // of the program that tried them
	// Need is how many records the pool needed, and Under names the principles that were asked of it, that of
	// l first: before release 1 both may change. Empty if it was skipped.
	Need  int
	Under string
}

// Under names the principles of a requirement, that of l first.
func Under(want equivclass.Requirement) string { return strings.Join(demands(want), " ") }

// Demands are the principles that were asked of the pool.
func (a *Attempt) Demands() []string { return strings.Fields(a.Under) }

// L is the l that was.
func (a *Attempt) L() (l int) {
	if names := a.Demands(); len(names) > 0 {
		_, arguments := demandOf(names[0])
		l, _ = strconv.Atoi(arguments[0])
	}
	return l
}

// merges reports whether next is one more cut of the run a, or decides the pool that a has fixed.
func (a *Attempt) merges(next Attempt) bool {
	same := a.Number > 0 && a.Records == next.Records && a.Flush == next.Flush && a.Changes == next.Changes && a.Need == next.Need &&
		a.Under == next.Under && a.Algorithm == next.Algorithm
	if a.Outcome == Fixed {
		return same && a.Last == next.First
	}
	return same && a.Outcome == next.Outcome && (a.Outcome == Skipped || a.Outcome == Refused)
}

// attempts are the cuts tried at level L2: the newest one.
type attempts struct{ Attempt }

// note notes a cut that is committed next.
func (a *attempts) note(s *state, need PoolNeed, flush bool, outcome CutOutcome) *Attempt {
	next := Attempt{Number: a.Number + 1, Records: s.records.len(), First: s.now, Last: s.now, Cuts: 1, Flush: flush, Outcome: outcome,
		Changes: s.head.changes(), Algorithm: Algorithm}
	if outcome != Skipped {
		next.Need, next.Under = need.Records, Under(s.policy.Requirement)
	}
	if a.merges(next) {
		next.Number, next.First = a.Number, a.First
		if a.Outcome != Fixed {
			next.Cuts += a.Cuts
		}
	}
	a.Attempt = next
	return &next
}

// attempted notes a cut that is committed next.
func (m *Machine) attempted(flush bool, outcome CutOutcome) {
	if m.policy.Level == L2 {
		m.staged.delta.Attempt = m.attempts.note(&m.state, m.pools.need, flush, outcome)
	}
}

// changes counts how often hierarchies changed.
func (h *head) changes() (n uint32) {
	for _, versions := range h.Hierarchies {
		n += uint32(max(1, len(versions)) - 1)
	}
	return n
}
