package figures

import (
	"fmt"
	"math"
	"strings"
)

// A trend is asked for in one of four ways, by what is known of the runs: of
// each step (Steps), of a line fitted to each run (Fit), of the ends of times
// (Ends), of the ends by their standard errors (Apart).

// Steps says whether a series grows from each point to the next (falls, if up
// is false). A step back by at most the share slack is not counted, because
// random draws vary.
func (s *Series) Steps(up bool, slack float64) Finding {
	v, sign, back := s.Values(), 1.0, "back"
	if !up {
		sign, back = -1, "up"
	}
	wrong := 0
	for i := 1; i < len(v); i++ {
		if sign*(v[i]-v[i-1]) < -slack*math.Abs(v[i-1]) {
			wrong++
		}
	}
	first, last := v[0], v[len(v)-1]
	f := Found(If(wrong == 0 && sign*(last-first) > 0), "%s goes from %s to %s", s.Name, Short(first), Short(last))
	if wrong > 0 {
		f.Numbers += fmt.Sprintf(", %d of %d steps %s", wrong, len(v)-1, back)
	}
	return f
}

// Ends says whether a time grows from the first point to the last (falls, if up
// is false). It decides only if they differ by more than the share.
func (s *Series) Ends(up bool, share float64) Finding {
	v := s.Values()
	grown := v[len(v)-1] / v[0]
	text := fmt.Sprintf("%s changes %s-fold from the first x to the last", s.Name, Short(grown))
	if up {
		grown = 1 / grown
	}
	return Finding{Verdict: smaller(grown, share), Numbers: text}
}

// Apart says whether the last point lies above the first (below, if up is
// false) by more than two standard errors.
func (s *Series) Apart(up bool) Verdict {
	last := len(s.Runs) - 1
	change := Mean(s.Runs[last]) - Mean(s.Runs[0])
	if up {
		change = -change
	}
	return apart(change, math.Hypot(StandardError(s.Runs[0]), StandardError(s.Runs[last])))
}

// FallsFaster says whether a series loses a larger share of its value from the
// first point to the last than another.
func (l *Lines) FallsFaster(a, b string) Finding {
	fall := func(n string) float64 { v := l.Of(n).Values(); return ratio(v[0], v[len(v)-1]) }
	return Found(If(fall(a) > fall(b)), "%s falls %s-fold, %s %s-fold", a, Short(fall(a)), b, Short(fall(b)))
}

// level is the change from end to end below which a fitted line is called so.
const level = 0.02

// Fit says whether each series rises along the axis (falls, if up is false): the
// line fitted to every run does, and by 2 % of its middle or more.
func Fit(up bool, series ...*Series) Finding {
	v := Holds
	var numbers []string
	for _, s := range series {
		direction := s.direction()
		v = worse(v, direction.verdict(up))
		numbers = append(numbers, fmt.Sprintf("%s %s (%s)", s.Name, List(s.Values()), direction))
	}
	return Found(v, "%s", strings.Join(numbers, "; "))
}

// FitCounted asks what Fit does of many series, and counts them.
func FitCounted(what string, up bool, series []*Series) Finding {
	v := Holds
	counts := map[direction]int{}
	var first, last float64
	for _, s := range series {
		d := s.direction()
		v = worse(v, d.verdict(up))
		counts[d]++
		values := s.Values()
		first, last = first+values[0]/float64(len(series)), last+values[len(values)-1]/float64(len(series))
	}
	return Found(v, "%s: of %d lines %d rise, %d fall, %d are level and in %d the runs disagree; from %.3g to %.3g on average",
		what, len(series), counts[rising], counts[falling], counts[flat], counts[disagree], first, last)
}

// direction is where the lines fitted to the runs of a series go.
type direction string

const (
	rising   direction = "rises"
	falling  direction = "falls"
	flat     direction = "level"
	disagree direction = "runs disagree"
)

func (d direction) verdict(up bool) Verdict {
	switch {
	case d == disagree:
		return Undecided
	case up && d == rising, !up && d == falling:
		return Holds
	}
	return HoldsNot
}

func (s *Series) direction() direction {
	changes, up, down := make([]float64, len(s.Runs[0])), 0, 0
	for r := range changes {
		changes[r] = s.change(r)
		if changes[r] > 0 {
			up++
		} else if changes[r] < 0 {
			down++
		}
	}
	switch {
	case math.Abs(Mean(changes)) < level:
		return flat
	case up == len(changes):
		return rising
	case down == len(changes):
		return falling
	}
	return disagree
}

// change is what the line fitted to a run changes from the first to the last
// point, as a share of the run's mean. Points count as evenly spaced, as the
// papers draw them.
func (s *Series) change(run int) float64 {
	n := float64(len(s.X))
	var sum, weighted, squares float64
	for i := range s.X {
		at := float64(i) - (n-1)/2
		sum += s.Runs[i][run]
		weighted += at * s.Runs[i][run]
		squares += at * at
	}
	if sum == 0 || squares == 0 {
		return 0
	}
	return weighted / squares * (n - 1) / (sum / n)
}
