package query

import (
	"slices"
	"strings"
)

// Query is a COUNT, or the SUM of an attribute, over the records that satisfy
// every condition. It speaks in texts; BindQuery gives them their meaning.
type Query struct {
	Sum   string // the attribute summed; empty: count
	SumAt int    // where it stands in the text
	Where []Condition
}

// Condition restricts one attribute, to values (or to all others, if Not) or to
// a range. A hierarchy's label stands for all leaves below it.
type Condition struct {
	Attribute string
	At        int // byte offset of the condition in the text
	Values    []string
	Not       bool
	Range     *TextRange // if not nil, Values is unused
}

// TextRange is a range of numbers or dates. An empty bound is none.
type TextRange struct {
	Lo, Hi         string
	LoOpen, HiOpen bool
}

// String writes the query as ParseQuery reads it.
func (q Query) String() string {
	var b strings.Builder
	if q.Sum == "" {
		b.WriteString("count")
	} else {
		b.WriteString("sum(" + quoteWord(q.Sum) + ")")
	}
	for i, c := range q.Where {
		if i == 0 {
			b.WriteString(" where ")
		} else {
			b.WriteString(" and ")
		}
		b.WriteString(c.String())
	}
	return b.String()
}

// String writes the condition as ParseQuery reads it.
func (c Condition) String() string {
	name := quoteWord(c.Attribute)
	switch {
	case c.Range != nil:
		return name + " " + c.Range.text()
	case len(c.Values) == 1 && c.Not:
		return name + " != " + quoteWord(c.Values[0])
	case len(c.Values) == 1:
		return name + " = " + quoteWord(c.Values[0])
	}
	words := make([]string, len(c.Values))
	for i, v := range c.Values {
		words[i] = quoteWord(v)
	}
	not := ""
	if c.Not {
		not = "not "
	}
	return name + " " + not + "in {" + strings.Join(words, ", ") + "}"
}

func (r TextRange) text() string {
	lo, hi := quoteWord(r.Lo), quoteWord(r.Hi)
	switch {
	case r.Hi == "" && r.LoOpen:
		return "> " + lo
	case r.Hi == "":
		return ">= " + lo
	case r.Lo == "" && r.HiOpen:
		return "< " + hi
	case r.Lo == "":
		return "<= " + hi
	}
	open, shut := "[", "]"
	if r.LoOpen {
		open = "("
	}
	if r.HiOpen {
		shut = ")"
	}
	return "in " + open + lo + "," + hi + shut
}

// Answer is what a release says about a query: an estimate, and bounds that
// hold whatever the records behind the release are.
type Answer struct{ Estimate, Lower, Upper float64 }

// Estimator answers queries from what a release shows and nothing else.
type Estimator interface {
	Estimate(q *Bound) Answer
}

// plus adds the answers of disjoint sets of records.
func (a Answer) plus(b Answer) Answer {
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
