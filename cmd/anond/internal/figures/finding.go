package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// finding is one comparison of a claim: what was found, and the numbers.
type finding struct {
	verdict Verdict
	numbers string
}

// claim joins findings: it holds if all do, it does not if one does not. why is
// what the investigation of a failure found, and is dropped if there is none.
func claim(text, why string, parts ...finding) Claim {
	c := Claim{Text: text, Verdict: Holds}
	var numbers []string
	for _, p := range parts {
		numbers = append(numbers, p.numbers)
		switch {
		case p.verdict == HoldsNot:
			c.Verdict = HoldsNot
		case p.verdict == Undecidable && c.Verdict == Holds:
			c.Verdict = Undecidable
		}
	}
	c.Numbers = strings.Join(numbers, "; ")
	if c.Verdict != Holds {
		c.Why = why
	}
	return c
}

// rises says whether a series grows from each x to the next. A step back by at
// most the share slack is not counted: what is drawn at random wavers.
func (s *curves) rises(name string, slack float64) finding { return s.trend(name, slack, 1) }

// falls is rises downward.
func (s *curves) falls(name string, slack float64) finding { return s.trend(name, slack, -1) }

func (s *curves) trend(name string, slack, sign float64) finding {
	v := s.values[name]
	wrong := 0
	for i := 1; i < len(v); i++ {
		if sign*(v[i]-v[i-1]) < -slack*math.Abs(v[i-1]) {
			wrong++
		}
	}
	first, last := v[0], v[len(v)-1]
	word := map[float64]string{1: "back", -1: "up"}[sign]
	f := finding{Holds, fmt.Sprintf("%s goes from %s to %s", name, short(first), short(last))}
	if wrong > 0 {
		f.numbers += fmt.Sprintf(", %d of %d steps %s", wrong, len(v)-1, word)
	}
	if wrong > 0 || sign*(last-first) <= 0 {
		f.verdict = HoldsNot
	}
	return f
}

// tends judges the trend of a time: its last value against its first, which
// decides only if they differ by more than margin.
func (s *curves) tends(name string, up bool, margin float64) finding {
	v := s.values[name]
	ratio := v[len(v)-1] / v[0]
	f := finding{Undecidable, fmt.Sprintf("%s changes %s-fold from the first x to the last", name, short(ratio))}
	if !up {
		ratio = 1 / ratio
	}
	f.verdict = smaller(1/ratio, margin)
	return f
}

// below says whether a series lies under each of others at every x. Without a
// margin a pair of draws decides by its sign, and an x decides if all pairs
// agree. With a margin, for times, the middle of the ratios of the pairs decides
// if it is away from 1 by more than that share. One x at which the series does
// not lie under another refutes it.
func (s *curves) below(name string, margin float64, others ...string) finding {
	out := finding{verdict: Holds}
	var numbers []string
	for _, o := range others {
		count := map[Verdict]int{}
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range s.xs {
			v := underAt(s.draws[name][i], s.draws[o][i], margin)
			out.verdict = worse(out.verdict, v)
			count[v]++
			r := ratio(s.values[name][i], s.values[o][i])
			lo, hi = min(lo, r), max(hi, r)
		}
		text := fmt.Sprintf("%s of %s (below at %d of %d", span(lo, hi), o, count[Holds], len(s.xs))
		if n := count[Undecidable]; n > 0 {
			text += fmt.Sprintf(", not clear at %d", n)
		}
		numbers = append(numbers, text+")")
	}
	out.numbers = name + " is " + strings.Join(numbers, ", ")
	return out
}

// underAt compares the draws of two series at one x.
func underAt(a, b []float64, margin float64) Verdict {
	ratios, under := make([]float64, len(a)), 0
	for i := range a {
		ratios[i] = ratio(a[i], b[i])
		if a[i] < b[i] {
			under++
		}
	}
	switch {
	case margin > 0:
		return smaller(median(ratios), margin)
	case under == len(a):
		return Holds
	case under == 0:
		return HoldsNot
	}
	return Undecidable
}

// like says whether two series differ by at most the share at every x.
func (s *curves) like(a, b string, share float64) finding {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, v := range s.values[a] {
		r := ratio(v, s.values[b][i])
		lo, hi = min(lo, r), max(hi, r)
	}
	f := finding{Holds, fmt.Sprintf("%s is %s of %s", a, span(lo, hi), b)}
	if lo < 1-share || hi > 1+share {
		f.verdict = HoldsNot
	}
	return f
}

// smaller judges a time by a ratio that ought to be below 1.
func smaller(ratio, margin float64) Verdict {
	switch {
	case ratio < 1/(1+margin):
		return Holds
	case ratio > 1+margin:
		return HoldsNot
	default:
		return Undecidable
	}
}

func worse(a, b Verdict) Verdict {
	rank := map[Verdict]int{Holds: 0, Undecidable: 1, HoldsNot: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// ratio is a/b, and 1 of two zeros.
func ratio(a, b float64) float64 {
	if a == b {
		return 1
	}
	return a / b
}

func span(lo, hi float64) string {
	if a, b := short(lo), short(hi); a != b {
		return a + " to " + b
	}
	return short(lo)
}

// short writes a number with three significant digits.
func short(v float64) string {
	if math.Abs(v) >= 1000 && !math.IsInf(v, 0) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// fallsFaster says whether a series loses a larger share of its value from the
// first x to the last than another.
func (s *curves) fallsFaster(a, b string) finding {
	fall := func(n string) float64 { v := s.values[n]; return ratio(v[0], v[len(v)-1]) }
	f := finding{HoldsNot, fmt.Sprintf("%s falls %s-fold, %s %s-fold", a, short(fall(a)), b, short(fall(b)))}
	if fall(a) > fall(b) {
		f.verdict = Holds
	}
	return f
}

// of puts a word before the numbers.
func (f finding) of(what string) finding {
	f.numbers = what + f.numbers
	return f
}

// each asks the same of each name.
func each(names []string, ask func(string) finding) (out []finding) {
	for _, n := range names {
		out = append(out, ask(n))
	}
	return out
}

// notAbove says whether a series exceeds another by at most the share.
func (s *curves) notAbove(a, b string, share float64) finding {
	f := s.like(a, b, math.Inf(1))
	for i, v := range s.values[a] {
		if v > s.values[b][i]*(1+share) {
			f.verdict = HoldsNot
		}
	}
	return f
}

// valley says whether a time falls at first and then rises: its least value,
// inside, is less than both ends by more than the margin.
func (s *curves) valley(name string, margin float64) finding {
	v := s.values[name]
	least := slices.Min(v)
	at := slices.Index(v, least)
	f := finding{worse(smaller(least/v[0], margin), smaller(least/v[len(v)-1], margin)),
		fmt.Sprintf("%s is least at %s, %s of the first and %s of the last", name, number(s.xs[at]), short(least/v[0]), short(least/v[len(v)-1]))}
	if at == 0 || at == len(v)-1 {
		f.verdict = HoldsNot
	}
	return f
}

// level says whether a time stays within the share of its least value. Up to
// twice the share decides nothing.
func (s *curves) level(name string, share float64) finding {
	lo, hi := slices.Min(s.values[name]), slices.Max(s.values[name])
	f := finding{Undecidable, fmt.Sprintf("the greatest %s is %s of the least", name, short(hi/lo))}
	switch {
	case hi <= lo*(1+share):
		f.verdict = Holds
	case hi > lo*(1+2*share):
		f.verdict = HoldsNot
	}
	return f
}

// zeroAt says whether a series is at most a limit at the i-th x.
func (s *curves) zeroAt(name string, i int, limit float64) finding {
	f := finding{Holds, fmt.Sprintf("%s is %.5f", name, s.values[name][i])}
	if s.values[name][i] > limit {
		f.verdict = HoldsNot
	}
	return f
}

// aside writes a comparison that the paper does not make, for the notes.
func aside(c Claim) string {
	text := fmt.Sprintf("Not in the paper: %s That %s: %s.", c.Text, map[Verdict]string{Holds: "holds", HoldsNot: "does not hold", Undecidable: "is not decided"}[c.Verdict], c.Numbers)
	if c.Why != "" {
		text += " " + c.Why
	}
	return text
}

// failing names those of which the finding does not hold.
func failing(names []string, parts []finding) string {
	var bad []string
	for i, f := range parts {
		if f.verdict != Holds {
			bad = append(bad, names[i])
		}
	}
	switch len(bad) {
	case 0:
		return ""
	case len(names):
		return "It fails for all of them. "
	}
	return "It fails for " + strings.Join(bad, " and ") + " alone. "
}
