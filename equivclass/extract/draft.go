package extract

import (
	"anond/equivclass"
)

// extraction is the state of one run of Extract, Blind or Recut: the classes as far as they are
// formed. What a cell loses is known to losses, what may be a class to eligibility; a bucket grows
// classes, a divider divides them anew, and an exchanger lets them exchange records.
type extraction struct {
	*losses
	*eligibility
	// size is the usual, most the largest number of records in a class.
	size, most int
	fixed      *fixed // of Blind

	equalOnly      bool // exchange only records of equal value (Recut)
	workers        int
	stop           func() bool // may be nil: see Stoppable
	steps          *steps      // may be nil: see Reporting
	drafts         []*draft
	arena          draftArena
	gone           []bool  // scratch of remove, by row; false between uses
	left, required []int32 // by value: scratch of takeAll; zero between uses
	grown          cell    // scratch of growing classes
	clock          int32   // exchanges done so far
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
	x := &extraction{losses: newLosses(p), eligibility: newEligibility(p, want), gone: make([]bool, p.Len())}
	x.setSize(max(x.k, x.l))
	x.grown = x.newCell()
	return x
}

// worker returns an extraction over the same pool with scratch of its own, for
// another goroutine.
func (x *extraction) worker() *extraction {
	w := *x
	w.eligibility = x.eligibility.worker()
	w.drafts, w.arena, w.left, w.required = nil, draftArena{}, nil, nil
	w.grown = w.newCell()
	return &w
}

// setSize sets the usual size. Classes may grow to just below twice of it: the
// allowance costs little and helps the search.
func (x *extraction) setSize(n int) {
	x.size, x.most = n, 2*n-1
	x.arena = draftArena{}
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

func (x *extraction) groups() [][]int32 {
	out := make([][]int32, len(x.drafts))
	for i, c := range x.drafts {
		out[i] = c.rows
	}
	return out
}
