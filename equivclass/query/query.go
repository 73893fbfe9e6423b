package query

import (
	"math"
	"slices"
)

// Query is a COUNT, or the SUM or the mean of an attribute, over the records that satisfy
// every condition. It consists of texts; Bind resolves them.
type Query struct {
	Sum   string // the attribute summed; empty: count
	Mean  bool   // the sum over the count of those who have a number
	SumAt int    // byte offset of it in the text
	Where []Condition
}

// Condition restricts one attribute, to values (or to all others, if Not) or to
// a range. A hierarchy's label stands for all leaves below it.
type Condition struct {
	Attribute string
	At        int      // byte offset of the condition in the text
	Seen      string   // of a history: Ever, First or Whole; empty: the condition does not say
	Values    []string // of a history: sequences (equivclass.Joined)
	Not       bool
	Range     *TextRange // if not nil, Values is unused
}

// TextRange is a range of numbers or dates. An empty bound is none.
type TextRange struct {
	Lo, Hi         string
	LoOpen, HiOpen bool
}

// Answer is what a release says about a query: an estimate, and bounds that
// hold whatever the records behind the release are.
type Answer struct{ Estimate, Lower, Upper float64 }

// Estimator answers queries from what a release shows and nothing else.
type Estimator interface {
	Estimate(q *Bound) Answer
}

// Nobody reports that no record can match, so there is no mean.
func (a Answer) Nobody() bool { return math.IsNaN(a.Estimate) }

// Plus adds the answers of disjoint sets of records.
func (a Answer) Plus(b Answer) Answer {
	return Answer{a.Estimate + b.Estimate, a.Lower + b.Lower, a.Upper + b.Upper}
}

// extremeSums returns the smallest and the largest sum of least to most of the
// values. The slice is sorted.
func extremeSums(values []float64, least, most int) (lower, upper float64) {
	slices.Sort(values)
	for i := range most {
		if v := values[i]; i < least || v < 0 {
			lower += v
		}
		if v := values[len(values)-1-i]; i < least || v > 0 {
			upper += v
		}
	}
	return lower, upper
}
