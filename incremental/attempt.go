package incremental

// CutOutcome is what a cut made of the records.
type CutOutcome uint8

// The outcomes.
const (
	Skipped     CutOutcome = iota // nothing was newly publishable
	Released                      // a release was decided
	Quarantined                   // a pool was ineligible as a whole
)

// Attempt is one cut tried at level L2, or several in a row over the same records that
// all were skipped. The state keeps them because a cut that publishes nothing has
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
}

// merges reports whether next is one more cut of the run a.
func (a *Attempt) merges(next Attempt) bool {
	return a.Number > 0 && a.Outcome == Skipped && next.Outcome == Skipped && a.Records == next.Records && a.Flush == next.Flush
}

// attempted notes a cut that is committed next.
func (m *Machine) attempted(flush bool, outcome CutOutcome) {
	if m.policy.Level != L2 {
		return
	}
	next := Attempt{Number: m.attempt.Number + 1, Records: m.records.len(), First: m.now, Last: m.now, Cuts: 1, Flush: flush, Outcome: outcome}
	if m.attempt.merges(next) {
		next.Number, next.First, next.Cuts = m.attempt.Number, m.attempt.First, m.attempt.Cuts+1
	}
	m.attempt = next
	m.staged.delta.Attempt = &next
}
