package incremental

import (
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Algorithm names how this program decides at level L2, and how it writes what it has decided: each
// cut stores it. Of the same records, settings and seed two programs with the same number make the same
// classes, buckets, pools and bytes. A change of any of these takes the next number
// (TestRecordedDecisions), so that a replay by a later program tells what it would decide
// otherwise from what is wrong.
const Algorithm = 10

// attempts are the cuts tried at level L2: the newest one.
type attempts struct{ state.Attempt }

// note notes a cut that is committed next.
func (a *attempts) note(s *state.State, need int, by state.Occasion, outcome state.CutOutcome) *state.Attempt {
	next := state.Attempt{Number: a.Number + 1, Records: s.Records.Len(), First: s.Now, Last: s.Now, Cuts: 1, Occasion: by, Outcome: outcome,
		Algorithm: Algorithm}
	if outcome != state.Skipped {
		next.Need = need
	}
	if a.Merges(next) && a.Number > s.Head.Eras[len(s.Head.Eras)-1].Attempt { // else the settings have changed
		next.Number, next.First = a.Number, a.First
		if a.Outcome != state.Fixed {
			next.Cuts += a.Cuts
		}
	}
	a.Attempt = next
	return &next
}

// attempted notes a cut that is committed next.
func (m *Machine) attempted(by state.Occasion, outcome state.CutOutcome) {
	of := settle.Plain
	if p := m.s.Head.Pools.Open; p != nil {
		of = m.s.Records.StratumOf(p.Members[0])
	}
	if need := m.planner.Need(of); need != nil {
		m.staged.delta.Attempt = m.attempts.note(&m.s, need.Records, by, outcome)
	}
}
