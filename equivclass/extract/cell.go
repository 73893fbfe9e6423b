package extract

import (
	"math"
	"math/bits"
	"slices"
)

// cell is what a class would publish, dimension by dimension. The search computes
// millions of losses, so what a dimension needs stands together, and a record is
// read as words (loss.go) instead of coordinates.
type cell []side

// side is what a cell spans in one dimension: a range, and for categories the set.
// In domains of more than 64 categories several share a bit, so the search
// underestimates the loss there. The loss that is reported is computed elsewhere.
type side struct {
	kind   kind
	lo, hi uint32     // ranged, other: words
	set    uint64     // listed
	loss   [2]float32 // listed: of the set with one category more, of the set
}

func (l *losses) newCell() cell {
	c := make(cell, l.d)
	l.setKinds(c)
	return c
}

func (l *losses) setKinds(c cell) {
	for j := range c {
		c[j].kind = l.kinds[j]
	}
}

// row is the words of a record.
func (l *losses) row(r int32) []uint32 { return l.words[int(r)*l.d : int(r+1)*l.d] }

// start makes c the cell of one record.
func (l *losses) start(c cell, r int32) {
	row := l.row(r)[:len(c)]
	for j := range c {
		s, v := &c[j], row[j]
		if s.kind == listed {
			s.set, s.loss = 1<<v, l.pair(j, 1)
		} else {
			s.lo, s.hi = v, v
		}
	}
}

// widen extends c to hold a record.
func (l *losses) widen(c cell, r int32) {
	row := l.row(r)[:len(c)]
	for j := range c {
		s, v := &c[j], row[j]
		if s.kind != listed {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		} else if s.set>>(v&63)&1 == 0 {
			s.set |= 1 << v
			s.loss = l.pair(j, count(s.set))
		}
	}
}

// span returns the loss of c, summed over dimensions.
func (l *losses) span(c cell) float32 {
	var sum float32
	for j := range c {
		switch s := &c[j]; s.kind {
		case ranged:
			sum += math.Float32frombits(s.hi) - math.Float32frombits(s.lo)
		case listed:
			sum += s.loss[1]
		default:
			sum += l.of(j, s.lo, s.hi)
		}
	}
	return sum
}

// with returns the span that c would have with one record more. It is at least that
// of any cell within c with the record, in floating point too: each term is, and sums
// of float32 in the same order keep the order of their terms. (Only Steps that are
// not nested may have other terms: see losses.monotone.)
func (l *losses) with(c cell, r int32) float32 {
	var sum float32
	row := l.row(r)[:len(c)]
	for j := range c {
		switch s, v := &c[j], row[j]; s.kind {
		case ranged:
			sum += math.Float32frombits(max(s.hi, v)) - math.Float32frombits(min(s.lo, v))
		case listed:
			sum += s.loss[s.set>>(v&63)&1]
		default:
			sum += l.of(j, min(s.lo, v), max(s.hi, v))
		}
	}
	return sum
}

// gap is a bound from below of what a record adds to the span of c, or of a part of
// c, but for rounding: how far it lies outside of the ranges, and a category that c
// lacks. Hierarchies and steps may cost nothing.
func (l *losses) gap(c cell, r int32) float32 {
	var sum float32
	row := l.row(r)[:len(c)]
	for j := range c {
		switch s, v := &c[j], row[j]; s.kind {
		case ranged:
			sum += math.Float32frombits(max(s.hi, v)) - math.Float32frombits(s.hi)
			sum += math.Float32frombits(s.lo) - math.Float32frombits(min(s.lo, v))
		case listed:
			sum += s.loss[s.set>>(v&63)&1] - s.loss[1]
		}
	}
	return sum
}

// cellGap is the least by which any record of one cell lies outside the other, but
// for rounding: disjoint sets of categories have at least one that the other lacks.
func (l *losses) cellGap(a, b cell) float32 {
	var gap float32
	b = b[:len(a)]
	for j := range a {
		s, t := &a[j], &b[j]
		switch s.kind {
		case ranged:
			apart := max(math.Float32frombits(s.lo)-math.Float32frombits(t.hi), math.Float32frombits(t.lo)-math.Float32frombits(s.hi))
			if apart > 0 {
				gap += apart
			}
		case listed:
			if s.set&t.set == 0 {
				gap += l.sets[j][2]
			}
		}
	}
	return gap
}

// bounds are the smallest and the largest coordinate of a draft in a dimension.
func (l *losses) bounds(c *draft, j int) (lo, hi float32) {
	switch s := &c.cell[j]; s.kind {
	case ranged:
		return math.Float32frombits(s.lo), math.Float32frombits(s.hi)
	case other:
		return coordinate(s.lo), coordinate(s.hi)
	default:
		if at := l.coords[j]; at != nil { // codes have the order of their coordinates
			return at[bits.TrailingZeros64(s.set)], at[bits.Len64(s.set)-1]
		}
	}
	lo = l.p.X[int(c.rows[0])*l.d+j]
	hi = lo
	for _, r := range c.rows[1:] {
		v := l.p.X[int(r)*l.d+j]
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return lo, hi
}

func manhattan(a, b []float32) float32 {
	b = b[:len(a)]
	var s float32
	for j, v := range a {
		s += math.Float32frombits(math.Float32bits(v-b[j]) &^ (1 << 31))
	}
	return s
}

// farthestFirst returns rows by falling distance from their mean, equals by number.
// Outliers are placed first, while there is still a choice of records for them.
func (l *losses) farthestFirst(rows []int32) []int32 {
	mean := l.mean(rows)
	keys := make([]uint64, len(rows))
	for i, r := range rows {
		keys[i] = uint64(^math.Float32bits(manhattan(l.p.At(r), mean)))<<32 | uint64(uint32(r))
	}
	slices.Sort(keys)
	out := make([]int32, len(rows))
	for i, k := range keys {
		out[i] = int32(uint32(k))
	}
	return out
}

func (l *losses) mean(rows []int32) []float32 {
	mean := make([]float32, l.d)
	for _, r := range rows {
		for j, v := range l.p.At(r) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float32(len(rows))
	}
	return mean
}

// measure computes the cell of a draft and its span.
func (l *losses) measure(c *draft) {
	l.start(c.cell, c.rows[0])
	for _, r := range c.rows[1:] {
		l.widen(c.cell, r)
	}
	c.span = l.span(c.cell)
}
