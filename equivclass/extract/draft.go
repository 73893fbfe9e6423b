package extract

import (
	"anond/equivclass"
)

// extraction is the state of one run of Extract.
type extraction struct {
	p     *equivclass.Pool
	d     int
	k, l  int
	extra []equivclass.Principle
	// size is the usual, most the largest number of records in a class.
	size, most     int
	losses         losses
	fixed          *fixed // of Blind
	exact          bool   // classes of exactly k records whatever their values (Blind)
	equalOnly      bool   // exchange only records of equal value (Recut)
	workers        int
	stop           func() bool // may be nil: see Stoppable
	steps          *steps      // may be nil: see Reporting
	drafts         []*draft
	arena          draftArena
	gone           []bool         // scratch of remove, by row; false between uses
	value          []int32        // sensitive value of a row, numbered 0.. by order of code
	tally          []int32        // by value; zero between uses
	left, required []int32        // by value: scratch of takeAll; zero between uses
	bag            equivclass.Bag // scratch of the extra principles
	grown, one     cell           // scratch of growing classes and of distances
	clock          int32          // exchanges done so far
	cost           []float32      // scratch of bestSwap
}

// draft is a class that is still being formed.
type draft struct {
	rows []int32
	cell cell
	span float32 // loss of the cell, summed over dimensions
	gain float32 // largest fall of span if one record leaves
	lack lacking // kept while the draft does not change
	// stamp is the clock at the last change.
	stamp   int32
	divided int32 // the pass of a divider in which it was divided last
}

func newExtraction(p *equivclass.Pool, want equivclass.Requirement) *extraction {
	x := &extraction{p: p, d: p.D(), k: max(2, want.K), l: max(1, want.L), extra: want.Extra}
	x.losses = newLosses(p)
	x.gone = make([]bool, p.Len())
	x.setSize(max(x.k, x.l))
	x.numberValues()
	x.grown, x.one = x.newCell(), x.newCell()
	return x
}

// worker returns an extraction over the same pool with scratch of its own, for
// another goroutine.
func (x *extraction) worker() *extraction {
	w := *x
	w.drafts, w.arena, w.bag, w.cost = nil, draftArena{}, equivclass.Bag{}, nil
	w.tally, w.left, w.required = make([]int32, len(x.tally)), nil, nil
	w.grown, w.one = w.newCell(), w.newCell()
	return &w
}

// setSize sets the usual size. Classes may grow to just below twice of it: the
// allowance costs little and helps the search.
func (x *extraction) setSize(n int) {
	x.size, x.most = n, 2*n-1
	x.arena = draftArena{}
}

// numberValues numbers the sensitive values densely.
func (x *extraction) numberValues() {
	number := make(map[equivclass.Code]int32, 16)
	x.value = make([]int32, x.p.Len())
	for i, v := range x.p.SA {
		n, ok := number[v]
		if !ok {
			n = int32(len(number))
			number[v] = n
		}
		x.value[i] = n
	}
	x.tally = make([]int32, len(number))
}

// draftArena allocates drafts, which are classes being formed. Each has room for the largest class and its cell; many share
// one allocation.
type draftArena struct {
	drafts []draft
	rows   []int32
	sides  []side
	next   int // drafts in the next allocation
}

func (x *extraction) newDraft(rows []int32) *draft {
	a := &x.arena
	if len(a.drafts) == 0 || len(a.rows) < max(x.most, len(rows)) {
		n := min(max(8, 2*a.next), 256)
		a.next = n
		a.drafts, a.rows = make([]draft, n), make([]int32, n*max(x.most, len(rows)))
		a.sides = make([]side, n*x.d)
	}
	c := &a.drafts[0]
	a.drafts = a.drafts[1:]
	room := max(x.most, len(rows))
	c.rows, a.rows = append(a.rows[:0:room], rows...), a.rows[room:]
	c.cell, a.sides = a.sides[:x.d:x.d], a.sides[x.d:]
	x.setKinds(c.cell)
	x.measure(c)
	return c
}

// adopt takes groups over as drafts.
func (x *extraction) adopt(groups [][]int32) {
	for _, g := range groups {
		x.most = max(x.most, len(g))
	}
	for _, g := range groups {
		x.drafts = append(x.drafts, x.newDraft(g))
	}
}

// measure computes the cell of a draft and its span.
func (x *extraction) measure(c *draft) {
	x.start(c.cell, c.rows[0])
	for _, r := range c.rows[1:] {
		x.widen(c.cell, r)
	}
	c.span = x.span(c.cell)
}

func (x *extraction) groups() [][]int32 {
	out := make([][]int32, len(x.drafts))
	for i, c := range x.drafts {
		out[i] = c.rows
	}
	return out
}

// limit is how often one value may occur in a class of n records.
func (x *extraction) limit(n int) int { return n / x.l }

// valid reports whether the rows may be a class. Cost: len(rows).
func (x *extraction) valid(rows []int32) bool { return x.fitsWithout(rows, -1) }

// fitsWithout reports whether the rows without one of them (-1: all) may be a class.
func (x *extraction) fitsWithout(rows []int32, out int32) bool {
	n := len(rows)
	if out >= 0 {
		n--
	}
	if n < x.k || x.largest(rows, out) > x.limit(n) {
		return false
	}
	return x.extraHold(rows, out, -1)
}

// largest returns how often the most frequent value occurs.
func (x *extraction) largest(rows []int32, out int32) int {
	most := int32(0)
	for _, r := range rows {
		if r != out {
			v := x.value[r]
			x.tally[v]++
			most = max(most, x.tally[v])
		}
	}
	for _, r := range rows {
		x.tally[x.value[r]] = 0
	}
	return int(most)
}

// fitsWith reports whether a class stays valid when in joins it in place of out
// (-1: no row). Only the newcomer's value can have become too frequent.
func (x *extraction) fitsWith(rows []int32, out, in int32) bool {
	n := len(rows)
	if out < 0 {
		n++
	}
	if x.times(rows, out, in)+1 > x.limit(n) || x.clash(rows, out, in) {
		return false
	}
	return x.extraHold(rows, out, in)
}

// times counts the rows without out that have the value of in.
func (x *extraction) times(rows []int32, out, in int32) int {
	n, v := 0, x.value[in]
	for _, r := range rows {
		if r != out && x.value[r] == v {
			n++
		}
	}
	return n
}

// clash reports whether another record of in's subject is among the rows
// without out (rule S, one record of a subject in a class).
func (x *extraction) clash(rows []int32, out, in int32) bool {
	if x.p.Subject == nil || x.p.Subject[in] == 0 {
		return false
	}
	for _, r := range rows {
		if r != out && x.p.Subject[r] == x.p.Subject[in] {
			return true
		}
	}
	return false
}

func (x *extraction) extraHold(rows []int32, out, in int32) bool {
	if len(x.extra) == 0 {
		return true
	}
	b := &x.bag
	b.Counts, b.Total = b.Counts[:0], 0
	for _, r := range rows {
		if r != out {
			b.Add(x.p.SA[r], 1)
		}
	}
	if in >= 0 {
		b.Add(x.p.SA[in], 1)
	}
	for _, p := range x.extra {
		if !p.Holds(*b) {
			return false
		}
	}
	return true
}
