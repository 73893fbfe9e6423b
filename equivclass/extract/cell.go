package extract

import (
	"math/bits"

	"anond/equivclass"
)

// cell is what a class would publish: a range in each dimension, and for a Set
// the categories as bits. In domains of more than 64 categories several share a
// bit, so the search underestimates the loss there. The loss that is reported
// is computed elsewhere.
type cell struct {
	lo, hi []float32
	set    []uint64 // nil where no dimension is a Set
}

// plain reports whether the loss of a cell is hi-lo in every dimension.
func plain(s *equivclass.Space) bool {
	for i := range s.Dims {
		if s.Dims[i].Kind != equivclass.Number || len(s.Dims[i].Steps) > 0 {
			return false
		}
	}
	return true
}

func (x *extraction) newCell() cell {
	c := cell{lo: make([]float32, x.d), hi: make([]float32, x.d)}
	if !x.plain {
		c.set = make([]uint64, x.d)
	}
	return c
}

// start makes c the cell of one record.
func (x *extraction) start(c *cell, r int32) {
	copy(c.lo, x.p.At(r))
	copy(c.hi, c.lo)
	for _, j := range x.sets {
		c.set[j] = x.bit(r, j)
	}
}

// widen extends c to hold a record.
func (x *extraction) widen(c *cell, r int32) {
	for j, v := range x.p.At(r) {
		c.lo[j], c.hi[j] = min(c.lo[j], v), max(c.hi[j], v)
	}
	for _, j := range x.sets {
		c.set[j] |= x.bit(r, j)
	}
}

// bit stands for the category of a record in dimension j.
func (x *extraction) bit(r int32, j int) uint64 { return 1 << x.losses.code[int(r)*x.d+j] }

// span returns the loss of c, summed over dimensions.
func (x *extraction) span(c *cell) float32 {
	if !x.plain {
		return x.mixedSpan(c, -1)
	}
	var s float32
	for j, lo := range c.lo {
		s += c.hi[j] - lo
	}
	return s
}

// with returns the span that c would have with one record more.
func (x *extraction) with(c *cell, r int32) float32 {
	if !x.plain {
		return x.mixedSpan(c, r)
	}
	lo := c.lo
	hi, at := c.hi[:len(lo)], x.p.At(r)[:len(lo)]
	var s float32
	for j, l := range lo {
		s += max(hi[j], at[j]) - min(l, at[j])
	}
	return s
}

// mixedSpan is span, and with for r >= 0, where some dimension is not plain.
func (x *extraction) mixedSpan(c *cell, r int32) float32 {
	var s float32
	var at []float32
	if r >= 0 {
		at = x.p.At(r)
	}
	for j := range c.lo {
		if table := x.losses.sets[j]; table != nil {
			set := c.set[j]
			if r >= 0 {
				set |= x.bit(r, j)
			}
			s += table[bits.OnesCount64(set)]
			continue
		}
		lo, hi := c.lo[j], c.hi[j]
		if r >= 0 {
			lo, hi = min(lo, at[j]), max(hi, at[j])
		}
		if x.losses.plain[j] {
			s += hi - lo
		} else {
			s += x.losses.of(j, lo, hi)
		}
	}
	return s
}

// pair returns the span of the cell of two records.
func (x *extraction) pair(a, b int32) float32 {
	if !x.plain {
		x.start(&x.one, a)
		return x.mixedSpan(&x.one, b)
	}
	return manhattan(x.p.At(a), x.p.At(b))
}

func manhattan(a, b []float32) float32 {
	b = b[:len(a)]
	var s float32
	for j, v := range a {
		gap := v - b[j]
		s += max(gap, -gap)
	}
	return s
}
