package extract

import (
	"anond/equivclass/cut"
)

// Step 3 of Extract: leftovers join the class where they cost least, in the
// whole pool. (Searching only their own bucket would raise the loss by a tenth,
// because a value that is too frequent in a region fits nowhere there.)

const (
	absorbLeaf  = 16   // classes in a leaf of the tree
	absorbProbe = 2000 // classes looked at for one leftover
)

// draftTree is a tree over drafts by the middles of their cells.
type draftTree struct {
	lo, hi      []float32
	low         float32 // smallest span below
	left, right *draftTree
	ids         []int32 // of a leaf
}

// absorb places leftovers and returns those that fit nowhere. Each search is a
// branch and bound over the tree. The cells grow meanwhile but the boxes of the
// tree do not, so a bound may be out of date, and the choice is near the best
// but need not be the best. Cost: at most absorbProbe classes for each
// leftover.
func (x *extraction) absorb(rows []int32) []int32 {
	if len(rows) == 0 || len(x.drafts) == 0 {
		return rows
	}
	mid, ids := x.middles()
	root := x.buildTree(mid, ids)
	out := rows[:0]
	for _, r := range rows {
		s := absorption{x: x, row: r, best: maxSpan, budget: absorbProbe}
		s.visit(root)
		if s.to == nil {
			out = append(out, r)
			continue
		}
		s.to.rows = append(s.to.rows, r)
		x.widen(s.to.cell, r)
		s.to.span = x.span(s.to.cell)
	}
	return out
}

// middles returns the middle of each draft's cell, and the drafts' numbers.
func (x *extraction) middles() (mid []float32, ids []int32) {
	mid = make([]float32, len(x.drafts)*x.d)
	for i, c := range x.drafts {
		for j := range c.cell {
			lo, hi := x.bounds(c, j)
			mid[i*x.d+j] = (lo + hi) / 2
		}
	}
	return mid, cut.Identity(len(x.drafts))
}

func (x *extraction) buildTree(mid []float32, ids []int32) *draftTree {
	t := &draftTree{lo: make([]float32, x.d), hi: make([]float32, x.d)}
	if len(ids) <= absorbLeaf {
		t.ids = ids
		for n, i := range ids {
			c := x.drafts[i]
			for j := range c.cell {
				lo, hi := x.bounds(c, j)
				if n == 0 {
					t.lo[j], t.hi[j] = lo, hi
				}
				t.lo[j], t.hi[j] = min(t.lo[j], lo), max(t.hi[j], hi)
			}
			if n == 0 {
				t.low = c.span
			}
			t.low = min(t.low, c.span)
		}
		return t
	}
	half := len(ids) / 2
	selectRows(mid, x.d, varying(mid, x.d, ids, 0), ids, half, nil)
	t.left, t.right = x.buildTree(mid, ids[:half]), x.buildTree(mid, ids[half:])
	copy(t.lo, t.left.lo)
	copy(t.hi, t.left.hi)
	t.low = t.left.low
	t.cover(t.right.lo, t.right.hi, t.right.low)
	return t
}

func (t *draftTree) cover(lo, hi []float32, span float32) {
	for j := range lo {
		t.lo[j], t.hi[j] = min(t.lo[j], lo[j]), max(t.hi[j], hi[j])
	}
	t.low = min(t.low, span)
}

// absorption is the search for the class where one row costs least.
type absorption struct {
	x      *extraction
	row    int32
	best   float32
	to     *draft
	budget int
}

// bound estimates from below what the row costs in a class under t.
func (s *absorption) bound(t *draftTree) float32 {
	var gap float32
	for j, v := range s.x.p.At(s.row) {
		gap += max(0, t.lo[j]-v, v-t.hi[j])
	}
	return t.low + float32(float32(s.x.size+1)*gap)
}

func (s *absorption) visit(t *draftTree) {
	if s.budget <= 0 {
		return
	}
	if t.left == nil {
		for _, i := range t.ids {
			s.consider(s.x.drafts[i])
		}
		return
	}
	near, far := t.left, t.right
	bn, bf := s.bound(near), s.bound(far)
	if bf < bn {
		near, far, bn, bf = far, near, bf, bn
	}
	if bn < s.best {
		s.visit(near)
	}
	if bf < s.best {
		s.visit(far)
	}
}

func (s *absorption) consider(c *draft) {
	x := s.x
	if len(c.rows) >= x.most {
		return
	}
	s.budget--
	if c.span-slack >= s.best {
		return // the row could only add to it
	}
	n := float32(len(c.rows))
	cost := float32((n+1)*x.with(c.cell, s.row)) - float32(n*c.span)
	if cost < s.best && x.fitsWith(c.rows, -1, s.row) {
		s.best, s.to = cost, c
	}
}
