package figures

import (
	"fmt"
	"math"
	"strings"
)

// found is a verdict with the numbers that made it.
type found struct {
	verdict Verdict
	numbers string
}

// claim makes a claim of what was found; why is kept only where it does not hold.
func (f found) claim(text, why string) Claim {
	if f.verdict == Holds {
		why = ""
	}
	return Claim{Text: text, Verdict: f.verdict, Numbers: f.numbers, Why: why}
}

// order compares two sets of runs: -1 if a is clearly smaller, 1 if larger, 0 if
// it cannot be told.
type order func(a, b []float64) int

// byPairs calls a difference clear if every pair of runs agrees on its sign.
func byPairs(a, b []float64) int {
	sign := 0
	for r := range a {
		s := 1
		if a[r] < b[r] {
			s = -1
		} else if a[r] == b[r] {
			return 0
		}
		if r > 0 && s != sign {
			return 0
		}
		sign = s
	}
	return sign
}

// clearTimes is how much longer a time must be to be called so on a machine that
// others share.
const clearTimes = 1.25

// byTimes compares runs in pairs, for what else the machine does changes from
// run to run, and asks for a clear gap in the middle of them.
func byTimes(a, b []float64) int {
	ratios := make([]float64, len(a))
	for r := range a {
		ratios[r] = b[r] / a[r]
	}
	switch ratio := medianOf(ratios); {
	case ratio > clearTimes:
		return -1
	case ratio < 1/clearTimes:
		return 1
	}
	return 0
}

// below asks whether a lies below each of the others at every point. One point
// at which it clearly does not refutes it.
func below(clear order, middle func([]float64) float64, a *sweep, others ...*sweep) found {
	var against, open []string
	var numbers []string
	for _, b := range others {
		for i := range a.x {
			switch clear(a.y[i], b.y[i]) {
			case 1:
				against = append(against, fmt.Sprintf("%s at %s", b.name, shown(a.x[i])))
			case 0:
				open = append(open, fmt.Sprintf("%s at %s", b.name, shown(a.x[i])))
			}
		}
		numbers = append(numbers, fmt.Sprintf("%s %s (%s those of %s)", b.name, shownAll(b.points(middle)), factorText(a.points(middle), b.points(middle)), a.name))
	}
	text := a.name + " " + shownAll(a.points(middle)) + "; " + strings.Join(numbers, "; ")
	switch {
	case len(against) > 0:
		return found{HoldsNot, text + "; not below " + strings.Join(against, ", ")}
	case len(open) > 0:
		return found{Undecidable, text + "; runs disagree about " + strings.Join(open, ", ")}
	}
	return found{Holds, text}
}

// flat is the change from end to end below which a sweep is called level.
const flat = 0.02

// rises asks whether each sweep rises along the axis (falls, if up is false):
// the line fitted to every run does, and by more than flat of its middle.
func rises(up bool, sweeps ...*sweep) found {
	out := found{verdict: Holds}
	var numbers []string
	for _, s := range sweeps {
		v, word := s.rises(up)
		out.verdict = both(out.verdict, v)
		numbers = append(numbers, fmt.Sprintf("%s %s (%s)", s.name, shownAll(s.mean()), word))
	}
	out.numbers = strings.Join(numbers, "; ")
	return out
}

func (s *sweep) rises(up bool) (Verdict, string) {
	change := make([]float64, len(s.y[0]))
	for r := range change {
		change[r] = s.change(r)
	}
	word, sign := "level", 0
	if math.Abs(meanOf(change)) >= flat {
		sign = byPairs(make([]float64, len(change)), change)
		word = map[int]string{-1: "rises", 0: "runs disagree", 1: "falls"}[sign]
	}
	switch {
	case sign == 0 && word == "runs disagree":
		return Undecidable, word
	case up == (sign < 0) && sign != 0:
		return Holds, word
	}
	return HoldsNot, word
}

// change is what the line fitted to a run changes from the first to the last
// point, as a share of the run's mean. Points count as evenly spaced, as the
// papers draw them.
func (s *sweep) change(run int) float64 {
	n := float64(len(s.x))
	var sum, weighted, squares float64
	for i := range s.x {
		at := float64(i) - (n-1)/2
		sum += s.y[i][run]
		weighted += at * s.y[i][run]
		squares += at * at
	}
	if sum == 0 || squares == 0 {
		return 0
	}
	return weighted / squares * (n - 1) / (sum / n)
}

// within asks whether the largest middle of each sweep is at most factor times
// its smallest.
func within(factor float64, middle func([]float64) float64, sweeps ...*sweep) found {
	out := found{verdict: Holds}
	var numbers []string
	for _, s := range sweeps {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range s.points(middle) {
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi > factor*lo {
			out.verdict = HoldsNot
		}
		numbers = append(numbers, fmt.Sprintf("%s %s to %s", s.name, shown(lo), shown(hi)))
	}
	out.numbers = fmt.Sprintf("%s; asked: the largest at most %g times the smallest", strings.Join(numbers, "; "), factor)
	return out
}

// both joins verdicts of parts of one claim: one refutation refutes it.
func both(a, b Verdict) Verdict {
	switch {
	case a == HoldsNot || b == HoldsNot:
		return HoldsNot
	case a == Undecidable || b == Undecidable:
		return Undecidable
	}
	return Holds
}

// and joins two findings.
func (f found) and(g found) found {
	return found{both(f.verdict, g.verdict), f.numbers + "; " + g.numbers}
}
