package figures

import (
	"fmt"
	"strings"
)

// Finding is a verdict with the numbers that made it.
type Finding struct {
	Verdict Verdict
	Numbers string
}

// Found makes a finding.
func Found(v Verdict, format string, args ...any) Finding {
	return Finding{Verdict: v, Numbers: fmt.Sprintf(format, args...)}
}

// If is Holds if what was asked is so, HoldsNot if it is not.
func If(so bool) Verdict {
	if so {
		return Holds
	}
	return HoldsNot
}

// Of puts a word before the numbers.
func (f Finding) Of(what string) Finding {
	f.Numbers = what + f.Numbers
	return f
}

// OpenIfFailed leaves a refutation open: what refutes is a choice of ours that
// the paper does not state, so nothing is decided about the paper. The reason
// names the choice. It is for a finding that only this choice decides.
func (f Finding) OpenIfFailed(reason string) Finding {
	if f.Verdict == HoldsNot {
		f.Verdict = Undecided
		f.Numbers += "; left open: " + reason
	}
	return f
}

// And joins two findings: they hold if both do, they do not if one does not.
func (f Finding) And(g Finding) Finding {
	return Finding{Verdict: worse(f.Verdict, g.Verdict), Numbers: f.Numbers + "; " + g.Numbers}
}

// Join joins findings as And does.
func Join(parts ...Finding) Finding {
	out := parts[0]
	for _, p := range parts[1:] {
		out = out.And(p)
	}
	return out
}

// Each asks the same of each name.
func Each(names []string, ask func(string) Finding) (out []Finding) {
	for _, n := range names {
		out = append(out, ask(n))
	}
	return out
}

// Failing lists the names for which the finding does not hold.
func Failing(names []string, parts []Finding) string {
	var bad []string
	for i, f := range parts {
		if f.Verdict != Holds {
			bad = append(bad, names[i])
		}
	}
	switch len(bad) {
	case 0:
		return ""
	case len(names):
		return "It fails for all of them. "
	}
	last := len(bad) - 1
	if last == 0 {
		return "It fails for " + bad[0] + " only. "
	}
	return "It fails for " + strings.Join(bad[:last], ", ") + " and " + bad[last] + " only. "
}

// Reading is one way to take the words of a paper, and what was found under it.
type Reading struct {
	Words string // how the text is read; empty where we know of one reading only
	Finding
	// Against is what in the paper excludes it, if something does: then it is a
	// variant that is shown for comparison and does not count.
	Against string
}

// Label is how tables and sentences introduce a reading.
func (r Reading) Label() string {
	if r.Against != "" {
		return "variant against " + r.Against + ", " + r.Words
	}
	return r.Words
}

// Claim is a statement of a paper about its figure, judged under every reading
// of its words that is measured.
type Claim struct {
	Text     string    // one sentence, close to the paper's words
	Readings []Reading // one at least
	Why      string    // where it does not hold: what the investigation found
	ToHold   string    // where it does not hold: what would have to be different, and what was tested of it
}

// NewClaim judges a statement with one reading. The findings are its parts: it
// holds if all do, and does not hold if one does not. why is what the
// investigation of a failure found; it is dropped where nothing failed.
func NewClaim(text, why string, parts ...Finding) Claim {
	return ClaimUnder(text, why, Reading{Finding: Join(parts...)})
}

// ClaimUnder judges a statement under several readings of it.
func ClaimUnder(text, why string, readings ...Reading) Claim {
	c := Claim{Text: text, Readings: readings, Why: why}
	if c.Verdict() == Holds {
		c.Why = ""
	}
	return c
}

// NeedsToHold adds, in one sentence, what would have to be different for the
// claim to hold. What of it was measured is added with its verdict. It is
// dropped, as the reason is, where the claim holds.
func (c Claim) NeedsToHold(sentence string, tested ...Finding) Claim {
	if c.Verdict() == Holds {
		return c
	}
	c.ToHold = sentence
	for _, f := range tested {
		c.ToHold += fmt.Sprintf(" Tested: %s (%s).", f.Verdict, f.Numbers)
	}
	return c
}

// Verdict is that of the only reading, or what several of them come to.
func (c Claim) Verdict() Verdict {
	var all []Verdict
	for _, r := range c.Readings {
		if r.Against == "" {
			all = append(all, r.Verdict)
		}
	}
	return underReadings(all)
}

// Numbers is what we measured: of several readings, one after the other.
func (c Claim) Numbers() string {
	if len(c.Readings) == 1 {
		return c.Readings[0].Numbers
	}
	var all []string
	for _, r := range c.Readings {
		all = append(all, fmt.Sprintf("%s: %s (%s)", r.Label(), r.Verdict, r.Numbers))
	}
	return strings.Join(all, "; ")
}

// Aside writes a comparison that the paper does not make, for the notes.
func Aside(c Claim) string {
	verdict := map[Verdict]string{Holds: "holds", HoldsNot: "does not hold", Depends: "depends on the reading", Undecided: "is not decided"}
	text := fmt.Sprintf("Not in the paper: %s That %s: %s.", c.Text, verdict[c.Verdict()], c.Numbers())
	if c.Why != "" {
		text += " " + c.Why
	}
	return text
}
