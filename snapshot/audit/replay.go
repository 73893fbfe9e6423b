package audit

import "fmt"

// Outcomes of a replay.
const (
	ReplayCertified = "certified"    // the program decides everything again as the state has it, in every world
	ReplayViolated  = "violated"     // somewhere it does not
	ReplayNone      = "not replayed" // see Reason
)

// Replay is what a replay of all decisions found, which the caller made with the program
// and the state. The auditor takes part in none of it, and judges level L2 by it.
type Replay struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"` // why there is none, or how it differs
	// Worlds are those that were replayed to their end, besides the records as they are.
	Worlds      int `json:"worlds"`
	Releases    int `json:"releases"`
	Cuts        int `json:"cuts"` // tried, skipped ones included
	Skipped     int `json:"skipped"`
	Quarantined int `json:"quarantined_pools"`
	// Where it differs first: the world (0: the records as they are), the release, its
	// classes in the state, and how many records had arrived.
	World   int `json:"world,omitempty"`
	Release int `json:"release,omitempty"`
	Classes int `json:"classes,omitempty"`
	Records int `json:"records,omitempty"`
}

// replayed adds what a replay found to the report, whose verdict on files and exports is
// there.
func (r *Report) replayed(p *Replay) {
	if r.Replay = p; p == nil {
		return
	}
	switch p.Outcome {
	case ReplayCertified:
		if r.Level.L2 == levelStructure {
			r.Level.L2 = VerdictCertified
		}
	case ReplayViolated:
		world := "with the records as they are"
		if p.World > 0 {
			world = fmt.Sprintf("in world %d", p.World)
		}
		r.Violations = append(r.Violations, Violation{Rule: "B", Kind: kindReplay, Release: p.Release, Count: 1,
			Detail: fmt.Sprintf("the program decides otherwise %s, after %d records, where the state has %d classes in this release: %s",
				world, p.Records, p.Classes, p.Reason)})
		r.Verdict, r.Level.L2 = VerdictViolated, VerdictViolated
	}
}

// replay says what a replay showed.
func (t *textWriter) replay(r *Report) {
	p := r.Replay
	if p == nil {
		return
	}
	t.line("")
	switch p.Outcome {
	case ReplayCertified:
		t.line("Replayed from the state: the program makes of the raw records the same %d releases, with %d cuts tried, of which %d "+
			"published nothing,\nand %d quarantined pools; and the same in %d worlds in which others have the values. "+
			"So classes, times and pools do not follow from values.", p.Releases, p.Cuts, p.Skipped, p.Quarantined, p.Worlds)
		if r.Level.L2 == "not claimed" {
			t.line("Level L2 is not claimed all the same: the manifests forbid it.")
		}
	case ReplayViolated:
		t.line("Replayed from the state: the program decides otherwise; see the violations. Level L2 does not hold.")
	default:
		t.line("Not replayed: %s.", p.Reason)
	}
}
