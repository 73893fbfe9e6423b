package promise

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"anond/equivclass/merge"
)

const (
	maxGain   = 1000
	maxL      = 1_000_000
	maxPeople = 1 << 34 // of a reference
)

var one = NewRatio(1, 1)

// Promise is what is promised of one sensitive attribute. It must not be changed once it is used.
type Promise struct {
	L      int              // no value has more than 1/L of a bucket; 0: nothing by that
	Gain   Ratio            // no value's odds are more than Gain times those of the reference; 0: nothing by that
	AtMost map[string]Ratio // no more of these values
	Most   Ratio            // no more of any value; 0: nothing by that
	// Reference has the declared counts by value; nil: each pool has its own.
	Reference map[string]int64
	Open      bool // a missing value has no cap, and the others' are of those who have a value
}

// Frequency is the promise of policy.l.
func Frequency(l int) *Promise { return &Promise{L: l} }

// Check reports every contradiction in a promise.
func (p *Promise) Check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if p.L == 0 && p.Gain == (Ratio{}) && p.Most == (Ratio{}) && len(p.AtMost) == 0 {
		fault("nothing is promised: set l, gain, caps or at_most")
	}
	if p.L != 0 && (p.L < 2 || p.L > maxL) {
		fault("l is %d: it must be between 2 and %d", p.L, maxL)
	}
	if p.Gain != (Ratio{}) && (!one.Less(p.Gain) || NewRatio(maxGain, 1).Less(p.Gain)) {
		fault("gain is %s: it must be above 1, and at most %d", p.Gain, maxGain)
	}
	for _, most := range p.AtMost {
		if most.num == 0 || one.Less(most) {
			fault("a share is %s: it must be above 0, and at most 1", most)
		}
	}
	if one.Less(p.Most) {
		fault("at_most is %s: it must be above 0, and at most 1", p.Most)
	}
	total := int64(0)
	for _, n := range p.Reference {
		if n < 0 || n >= maxPeople || total+n >= maxPeople {
			fault("the counts of a reference are not negative, and together below 2^34")
			break
		}
		total += n
	}
	if p.Reference != nil && total == 0 {
		fault("the reference has nobody")
	}
	return errors.Join(faults...)
}

// Cap is the share that a value may have of a bucket of a pool in which n of so many people have it. Missing is not asked about
// where that is open.
func (p *Promise) Cap(value string, n, of int64) Ratio {
	if p.Reference != nil {
		n, of = p.Reference[value], p.total()
	}
	return p.most(value, p.base(n, of))
}

// base is the cap by l and gain.
func (p *Promise) base(n, of int64) Ratio {
	switch {
	case p.Gain == (Ratio{}) && p.L == 0:
		return one
	case p.Gain == (Ratio{}):
		return NewRatio(1, int64(p.L))
	}
	up := p.Gain.num * n
	c := one
	if n < of {
		c = NewRatio(up, up+p.Gain.Den()*(of-n))
	}
	if p.L > 0 {
		return c.max(NewRatio(1, int64(p.L)))
	}
	return c
}

// most is the least of a cap and what is said of a value besides.
func (p *Promise) most(value string, c Ratio) Ratio {
	if most, named := p.AtMost[value]; named {
		c = c.min(most)
	}
	if p.Most != (Ratio{}) {
		c = c.min(p.Most)
	}
	return c
}

// total is how many people the reference has. Where missing is open, its count is not declared.
func (p *Promise) total() (n int64) {
	for _, m := range p.Reference {
		n += m
	}
	return n
}

// uniform reports whether all values have one cap, whatever the pool.
func (p *Promise) uniform() bool { return p.Gain == (Ratio{}) && len(p.AtMost) == 0 }

// Attribute is a sensitive attribute as Merge sees it.
type Attribute struct {
	Name    string
	Promise *Promise
	Values  []string // its values by rank, that is, ascending by their canonical bytes
	Missing string   // the text that stands for a missing value
}

// Attributes are those of a dataset, in the order of the schema. In a bag of them a value's number is its rank, and
// how many values the attributes before it have.
type Attributes []Attribute

// offset is the number of the first value of an attribute.
func (all Attributes) offset(attribute int) (n uint32) {
	for _, a := range all[:attribute] {
		n += uint32(len(a.Values))
	}
	return n
}

// of returns the part of a bag that is an attribute's.
func (all Attributes) of(bag merge.Bag, attribute int) merge.Bag {
	from := all.offset(attribute)
	at := func(value uint32) int {
		i, _ := slices.BinarySearchFunc(bag, value, func(c merge.Count, v uint32) int { return cmp.Compare(c.Value, v) })
		return i
	}
	return bag[at(from):at(from+uint32(len(all[attribute].Values)))]
}

// missing is the number of the value that stands for none, if that has no cap and some value of the dataset is missing.
func (all Attributes) missing(attribute int) (value uint32, open bool) {
	a := all[attribute]
	rank, known := slices.BinarySearch(a.Values, a.Missing)
	return all.offset(attribute) + uint32(rank), a.Promise.Open && known
}

// share is how often a value occurs, and its cap.
type share struct {
	value uint32
	n     int
	cap   Ratio
}

// shares lists the capped values of an attribute in a bag, with how many people have one.
func (all Attributes) shares(attribute int, bag merge.Bag, people int) (out []share, valued int) {
	a, from, own := all[attribute], all.offset(attribute), all.of(bag, attribute)
	missing, open := all.missing(attribute)
	valued = people
	for _, c := range own {
		if open && c.Value == missing {
			valued -= int(c.N)
		}
	}
	for _, c := range own {
		if !open || c.Value != missing {
			out = append(out, share{c.Value, int(c.N), a.Promise.Cap(a.Values[c.Value-from], int64(c.N), int64(valued))})
		}
	}
	return out, valued
}

// Caps are those of the buckets of a pool with this bag.
func (all Attributes) Caps(bag merge.Bag, people int) (out []merge.Cap) {
	for i, a := range all {
		missing, open := all.missing(i)
		add := func(value uint32, r Ratio) {
			out = append(out, merge.Cap{Value: value, Num: r.Num(), Den: r.Den(), Partial: open, Without: missing})
		}
		if a.Promise.uniform() && !open {
			add(all.offset(i), a.Promise.Cap("", 0, 1))
			continue
		}
		shares, _ := all.shares(i, bag, people)
		for _, s := range shares {
			add(s.value, s.cap)
		}
		if open {
			out = append(out, merge.Cap{Value: missing, Num: 1, Den: 1})
			slices.SortFunc(out, func(x, y merge.Cap) int { return cmp.Compare(x.Value, y.Value) })
		}
	}
	return out
}

// Verdict is what the bag of a whole pool says of an attribute. It has counts and a cap, never a value.
type Verdict struct {
	Attribute string
	N, People int   // so many of those who have a value have the one that is farthest above its cap, or nearest to it
	Cap       Ratio // that of this value
	Holds     bool
	L         int // the largest l that the pool allows
}

// Verdicts says of each attribute whether a pool keeps its promise, for the operator. The pool is published only if all hold.
func (all Attributes) Verdicts(bag merge.Bag, people int) []Verdict {
	out := make([]Verdict, len(all))
	for i, a := range all {
		shares, valued := all.shares(i, bag, people)
		v := Verdict{Attribute: a.Name, People: valued, Holds: true, Cap: one}
		top, over := 0, -1.0
		for _, s := range shares {
			top = max(top, s.n)
			// Which value is named decides nothing, so that may be told by floating-point numbers.
			if o := float64(s.n) * float64(s.cap.Den()) / (float64(s.cap.Num()) * float64(valued)); o > over {
				over, v.N, v.Cap = o, s.n, s.cap
			}
			v.Holds = v.Holds && (merge.Cap{Num: s.cap.Num(), Den: s.cap.Den()}).Holds(s.n, valued)
		}
		if top > 0 {
			v.L = valued / top
		}
		out[i] = v
	}
	return out
}
