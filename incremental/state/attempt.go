package state

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
	Occasion    Occasion
	Outcome     CutOutcome
	Algorithm   uint32 // of the program that tried them
	// Need is how many records the pool needed; 0 if it was skipped.
	Need int
}

// Merges reports whether next is one more cut of the run a, or decides the pool that a has fixed.
func (a *Attempt) Merges(next Attempt) bool {
	same := a.Number > 0 && a.Records == next.Records && a.Occasion == next.Occasion && a.Need == next.Need && a.Algorithm == next.Algorithm
	if a.Outcome == Fixed {
		return same && a.Last == next.First
	}
	return same && a.Outcome == next.Outcome && (a.Outcome == Skipped || a.Outcome == Refused)
}

// Occasion says what a cut comes by. It never depends on a value.
type Occasion uint8

// The occasions.
const (
	Triggered Occasion = iota // the trigger, or a count of records
	AtEnd                     // the end of the source: no record waits for a better class
	Asked                     // an operator: at level L2 newcomers need not have gathered (package pools)
)
