package figures

// Verdict says whether a claim holds.
type Verdict string

// The verdicts, in the order in which tables show them.
const (
	Holds     Verdict = "holds"
	HoldsNot  Verdict = "does not hold"
	Depends   Verdict = "depends on the reading"
	Undecided Verdict = "not decided" // with the reason in the numbers
)

// Verdicts are all of them, in the order of a table.
func Verdicts() []Verdict { return []Verdict{Holds, HoldsNot, Depends, Undecided} }

// worse joins the verdicts of two parts of one finding: one refutation refutes
// it, and what is open leaves it open.
func worse(a, b Verdict) Verdict {
	rank := map[Verdict]int{Holds: 0, Undecided: 1, HoldsNot: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// underReadings joins the verdicts of one claim under several readings. It
// depends on the reading if one holds and another does not. A reading that is
// open leaves the claim open unless the others already differ.
func underReadings(verdicts []Verdict) Verdict {
	seen := map[Verdict]bool{}
	for _, v := range verdicts {
		seen[v] = true
	}
	switch {
	case seen[Depends] || seen[Holds] && seen[HoldsNot]:
		return Depends
	case seen[Undecided] || len(verdicts) == 0:
		return Undecided
	case seen[HoldsNot]:
		return HoldsNot
	}
	return Holds
}
