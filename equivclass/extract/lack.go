package extract

import (
	"slices"
)

// lacking holds, for one draft, the cell and span without each of its records.
type lacking struct {
	filled bool
	bounds []float32 // of each record: lo, then hi
	sets   []uint64  // of each record; nil where no dimension is a Set
	span   []float32
	low    float32 // smallest span
}

// cellAt is the cell without record i of a draft of d dimensions.
func (l *lacking) cellAt(i, d int) cell {
	c := cell{lo: l.bounds[2*i*d : (2*i+1)*d], hi: l.bounds[(2*i+1)*d : (2*i+2)*d]}
	if l.sets != nil {
		c.set = l.sets[i*d : (i+1)*d]
	}
	return c
}

// without is the span of a draft with r in the place of its record i.
func (x *extraction) without(l *lacking, i int, r int32) float32 {
	if !x.plain {
		c := l.cellAt(i, x.d)
		return x.mixedSpan(&c, r)
	}
	at := x.p.At(r)
	d := len(at)
	lo := l.bounds[2*i*d : (2*i+1)*d][:d]
	hi := l.bounds[(2*i+1)*d : (2*i+2)*d][:d]
	var s float32
	for j, v := range at {
		s += max(hi[j], v) - min(lo[j], v)
	}
	return s
}

// fillLacking computes what c lacks, and its gain; it is kept while c does not
// change. Cost: len(c.rows) x D, by the two outermost values of each dimension.
func (x *extraction) fillLacking(c *draft) {
	l := &c.lack
	if l.filled {
		return
	}
	n := len(c.rows)
	if len(l.span) != n {
		l.bounds, l.span = grown(l.bounds, 2*n*x.d), grown(l.span, n)
		if !x.plain {
			l.sets = grown(l.sets, n*x.d)
		}
	}
	l.filled = true
	clear(l.span)
	for j := range x.d {
		x.lackRange(l, c, j)
	}
	if !x.plain {
		x.lackSets(l, c)
	}
	l.low = slices.Min(l.span)
	c.gain = c.span - l.low
}

// grown returns the list with n elements, whatever they are.
func grown[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// lackRange fills the ranges of dimension j.
func (x *extraction) lackRange(l *lacking, c *draft, j int) {
	lo1, lo2, hi1, hi2 := float32(maxSpan), float32(maxSpan), float32(-maxSpan), float32(-maxSpan)
	for _, r := range c.rows {
		v := x.p.X[int(r)*x.d+j]
		if v < lo1 {
			lo1, lo2 = v, lo1
		} else {
			lo2 = min(lo2, v)
		}
		if v > hi1 {
			hi1, hi2 = v, hi1
		} else {
			hi2 = max(hi2, v)
		}
	}
	for i, r := range c.rows {
		v, lo, hi := x.p.X[int(r)*x.d+j], lo1, hi1
		if v == lo1 {
			lo = lo2
		}
		if v == hi1 {
			hi = hi2
		}
		l.bounds[2*i*x.d+j], l.bounds[(2*i+1)*x.d+j] = lo, hi
		l.span[i] += hi - lo
	}
}

// lackSets fills the sets, and the spans where dimensions are not plain.
func (x *extraction) lackSets(l *lacking, c *draft) {
	for _, j := range x.sets {
		var once, twice uint64
		for _, r := range c.rows {
			b := x.bit(r, j)
			once, twice = once|b, twice|once&b
		}
		for i, r := range c.rows {
			l.sets[i*x.d+j] = once &^ (x.bit(r, j) &^ twice)
		}
	}
	for i := range c.rows {
		at := l.cellAt(i, x.d)
		l.span[i] = x.span(&at)
	}
}
