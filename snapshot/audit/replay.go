package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"anond/snapshot/audit/format"
)

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
	// Parts are the files that the program makes of the records as they are, the same in every world: by
	// release, the SHA-256 of each file of the part that it gave birth to.
	Parts map[int]map[string]string `json:"-"`
	// Others says what programs with another algorithm decided: that is not replayable. Empty: nothing.
	Others string `json:"others,omitempty"`
	// Foreign is what there was up to the last cut that another program decided.
	Foreign Extent `json:"foreign,omitzero"`
	// Ownerless are releases whose parts were not rendered again, as they have rows of people who were
	// forgotten.
	Ownerless []int `json:"ownerless,omitempty"`
}

// Extent is how far decisions go.
type Extent struct {
	Cuts     int `json:"cuts"` // tried
	Releases int `json:"releases"`
}

// checkRendered compares the part that a release gave birth to with what the program makes of the
// records, which only a replay knows. Where values stand in rows by draw nothing else tells a draw from
// the values of those whose rows they are.
func (a *auditor) checkRendered(man *format.Manifest) {
	if a.replay == nil || len(man.Parts) == 0 {
		return
	}
	files, rendered := a.replay.Parts[man.Release]
	if !rendered {
		return
	}
	own := &man.Parts[len(man.Parts)-1]
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if own.Sha(name) != files[name] {
			a.f.Add("B", format.KindPartDiffers, man.Release, 0, name, "the program makes other bytes of the records of the state")
		}
	}
	a.rendered++
}

// drawsShown reports that values which stand in rows by draw do so: a replay has shown it of every release.
func (a *auditor) drawsShown() bool {
	return !a.drawn() ||
		a.replay != nil && a.replay.Outcome == ReplayCertified && a.rendered == len(a.in.numbers)
}

// drawn reports that values stand in rows by draw, in some era.
func (a *auditor) drawn() bool {
	return a.any(func(m *format.Manifest) bool { return m.Form() == format.FormDrawn })
}

// coverDraws lists what of parts and draws was not checked.
func (a *auditor) coverDraws() {
	if a.drawn() && (a.replay == nil || len(a.replay.Parts) == 0) {
		a.skip("which row of a bucket shows which value (recoding permutation): that draws alone decide it, and not whose row it is. " +
			"Files cannot show it; anond audit --replay shows it, with the state")
	}
	if a.replay != nil && a.replay.Others != "" {
		a.skip("decisions and bytes of another program: %s", a.replay.Others)
	}
	if a.replay != nil && len(a.replay.Ownerless) > 0 {
		var parts []string
		for _, n := range a.replay.Ownerless {
			parts = append(parts, format.PartName(n))
		}
		a.skip("the bytes of %s: they have rows of people who were forgotten", strings.Join(parts, ", "))
	}
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
			r.Level.L2 = r.Verdict // certified, or sealed
		}
	case ReplayNone:
		if r.Level.L2 == levelStructure && r.Sealed.covers(p) {
			r.Level.L2 = VerdictSealed
		}
	case ReplayViolated:
		world := "with the records as they are"
		if p.World > 0 {
			world = fmt.Sprintf("in world %d", p.World)
		}
		r.Violations = append(r.Violations, format.Violation{Rule: "B", Kind: format.KindReplay, Release: p.Release, Count: 1,
			Detail: fmt.Sprintf("the program decides otherwise %s, after %d records, where the state has %d classes in this release: %s",
				world, p.Records, p.Classes, p.Reason)})
		r.Verdict, r.Level.L2 = verdictViolated, verdictViolated
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
		t.line("The files of %d releases have the bytes that it makes of these records, and of those of each world.", len(p.Parts))
		if r.Level.L2 == "not claimed" {
			t.line("Level L2 is not claimed all the same: the manifests forbid it.")
		}
	case ReplayViolated:
		t.line("Replayed from the state: the program decides otherwise; see the violations. Level L2 does not hold.")
	default:
		t.line("Not replayed: %s.", p.Reason)
		if r.Level.L2 == VerdictSealed {
			t.line("The replay that the ledger notes covers this.")
		}
		if p.Others != "" {
			if r.Level.L2 != VerdictSealed {
				t.line("WARNING: another program decided what stands there, so the verdict is no better than consistent. That is no breach.")
			}
			t.line("What this program decided, it decides again: %d worlds.", p.Worlds)
		}
	}
}
