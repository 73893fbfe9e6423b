package query

import (
	"cmp"
	"math"
	"slices"
)

// said is what a group of records says about a query: its part of the count or the sum, and for a mean how many records are expected to
// match, and the numbers of those who can. At least least of them match, and at most most.
type said struct {
	Answer
	people      float64
	lows, highs []float64 // between these each number is; equal where it is known
	least, most int
}

// sumSaid is the sum over a set of n records: those that have one of the
// values and also are among the records that match the rest of the query, which
// are at least least, at most most, and in expectation a share of n.
func sumSaid(values []float64, n int, share float64, least, most int) said {
	s := said{people: share * float64(len(values)), least: max(0, least+len(values)-n), most: min(most, len(values))}
	for _, v := range values {
		s.Estimate += v * share
	}
	return s.between(values, values)
}

// SumAnswer is sumSaid's sum with its bounds.
func SumAnswer(values []float64, n int, share float64, least, most int) Answer {
	return sumSaid(values, n, share, least, most).Answer
}

// between bounds the sum by the numbers of those who can match. The slices are sorted.
func (s said) between(lows, highs []float64) said {
	s.Lower, _ = extremeSums(lows, s.least, s.most)
	_, s.Upper = extremeSums(highs, s.least, s.most)
	s.lows, s.highs = lows, highs
	return s
}

// total adds up what disjoint groups say.
type total struct {
	Answer
	people      float64
	least, most extreme
}

func (t *total) add(q *Bound, s said) {
	t.Answer, t.people = t.Plus(s.Answer), t.people+s.people
	if q.Mean {
		t.least.add(s.lows[:s.most], s.least)
		t.most.add(reversed(s.highs)[:s.most], s.least)
	}
}

// answer is the count, the sum or the mean. That of a mean divides both estimates; its bounds are the least and the largest mean that
// any choice of matching records has, each group within its own numbers.
func (t *total) answer(q *Bound) Answer {
	if !q.Mean {
		return t.Answer
	}
	a := Answer{t.Estimate / t.people, t.least.mean(cmp.Compare), t.most.mean(func(x, y float64) int { return cmp.Compare(y, x) })}
	switch {
	case math.IsNaN(a.Lower):
		return Answer{a.Lower, a.Lower, a.Lower}
	case t.people == 0: // a point of a continuous range
		a.Estimate = (a.Lower + a.Upper) / 2
	}
	return Answer{min(max(a.Estimate, a.Lower), a.Upper), a.Lower, a.Upper}
}

// extreme is the choice of records with the least mean, or the largest: numbers that must be in it, and those that may.
type extreme struct {
	sum float64
	n   int
	may []float64
}

// add takes the numbers of a group, the best first, of which so many must be in the choice. Where these are not the best ones, the
// choice has a better mean than is possible: it still is a bound.
func (e *extreme) add(best []float64, must int) {
	for _, v := range best[:must] {
		e.sum, e.n = e.sum+v, e.n+1
	}
	e.may = append(e.may, best[must:]...)
}

// mean takes in, the best first, whatever makes the mean better. The best of a group come before its others, so it is a choice that
// each group allows, and no other has a better mean. NaN: nobody can be chosen.
func (e *extreme) mean(better func(x, y float64) int) float64 {
	slices.SortFunc(e.may, better)
	for _, v := range e.may {
		if e.n > 0 && better(v, e.sum/float64(e.n)) >= 0 {
			break
		}
		e.sum, e.n = e.sum+v, e.n+1
	}
	return e.sum / float64(e.n)
}

func reversed(values []float64) []float64 {
	out := slices.Clone(values)
	slices.Reverse(out)
	return out
}
