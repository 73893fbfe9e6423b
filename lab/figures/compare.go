package figures

import (
	"fmt"
	"math"
	"strings"
)

// order says of two sets of paired runs whether the first lies below the second.
type order func(a, b []float64) Verdict

// Pairs decides if all pairs of runs agree. Equal is not below.
func Pairs(a, b []float64) Verdict {
	under := 0
	for r := range a {
		if a[r] < b[r] {
			under++
		}
	}
	switch under {
	case len(a):
		return Holds
	case 0:
		return HoldsNot
	}
	return Undecided
}

// ClearGap is how much longer one time must be than another for the difference
// to count, on a machine that other work shares.
const ClearGap = 0.25

// Gap decides about times: by the middle of the ratios of the pairs, if it is
// away from 1 by more than the share.
func Gap(share float64) order {
	return func(a, b []float64) Verdict {
		ratios := make([]float64, len(a))
		for r := range a {
			ratios[r] = ratio(a[r], b[r])
		}
		return smaller(Median(ratios), share)
	}
}

// smaller judges a ratio of times that ought to be below 1.
func smaller(ratio, share float64) Verdict {
	switch {
	case ratio < 1/(1+share):
		return Holds
	case ratio > 1+share:
		return HoldsNot
	}
	return Undecided
}

// Errors decides by the mean difference of the pairs, if it is more than two
// standard errors: for answers to many queries.
func Errors(a, b []float64) Verdict {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return apart(Mean(d), StandardError(d))
}

// apart judges a difference that ought to be below 0.
func apart(difference, spread float64) Verdict {
	switch {
	case difference < -2*spread:
		return Holds
	case difference > 2*spread:
		return HoldsNot
	}
	return Undecided
}

// comparison compares a series with others, point by point.
type comparison struct {
	a      *Series
	others []*Series
	at     [][]Verdict // by other, then point: whether a lies below
}

// Compare asks whether a series lies below each of others at every point.
func Compare(by order, a *Series, others ...*Series) comparison {
	c := comparison{a: a, others: others}
	for _, b := range others {
		at := make([]Verdict, len(a.X))
		for i := range at {
			at[i] = by(a.Runs[i], b.Runs[i])
		}
		c.at = append(c.at, at)
	}
	return c
}

// Count returns at how many points, over all others, the verdict is v.
func (c comparison) Count(v Verdict) (n int) {
	for _, at := range c.at {
		n += count(at, v)
	}
	return n
}

func count(at []Verdict, v Verdict) (n int) {
	for _, w := range at {
		if w == v {
			n++
		}
	}
	return n
}

// Verdict is that of "below at every point": one point at which it is not
// refutes it.
func (c comparison) Verdict() Verdict {
	out := Holds
	for _, at := range c.at {
		for _, v := range at {
			out = worse(out, v)
		}
	}
	return out
}

// Below is the comparison of a line with others, written in ratios.
func (l *Lines) Below(by order, name string, others ...string) Finding {
	return Compare(by, l.Of(name), l.All(others...)...).ratios()
}

// Below is the comparison of a series with others, written point by point.
func Below(by order, a *Series, others ...*Series) Finding {
	return Compare(by, a, others...).points()
}

// ratios writes the comparison by the least and the greatest ratio.
func (c comparison) ratios() Finding {
	var numbers []string
	values := c.a.Values()
	for j, o := range c.others {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i, v := range o.Values() {
			r := ratio(values[i], v)
			lo, hi = min(lo, r), max(hi, r)
		}
		text := fmt.Sprintf("%s of %s (below at %d of %d", span(lo, hi), o.Name, count(c.at[j], Holds), len(c.a.X))
		if n := count(c.at[j], Undecided); n > 0 {
			text += fmt.Sprintf(", not clear at %d", n)
		}
		numbers = append(numbers, text+")")
	}
	return Found(c.Verdict(), "%s is %s", c.a.Name, strings.Join(numbers, ", "))
}

// points writes the comparison with the values of every point.
func (c comparison) points() Finding {
	values := c.a.Values()
	text := c.a.Name + " " + List(values)
	for _, b := range c.others {
		text += fmt.Sprintf("; %s %s (%s those of %s)", b.Name, List(b.Values()), factors(values, b.Values()), c.a.Name)
	}
	v := c.Verdict()
	switch v {
	case HoldsNot:
		text += "; not below " + c.where(HoldsNot)
	case Undecided:
		text += "; runs disagree about " + c.where(Undecided)
	}
	return Finding{Verdict: v, Numbers: text}
}

// where lists the points of a verdict.
func (c comparison) where(v Verdict) string {
	var out []string
	for j, at := range c.at {
		for i, w := range at {
			if w == v {
				out = append(out, fmt.Sprintf("%s at %s", c.others[j].Name, Number(c.a.X[i], 4)))
			}
		}
	}
	return strings.Join(out, ", ")
}

// factors writes by how much b exceeds a: "1.2 to 3 times".
func factors(a, b []float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range a {
		f := b[i] / a[i]
		lo, hi = min(lo, f), max(hi, f)
	}
	return fmt.Sprintf("%.3g to %.3g times", lo, hi)
}
