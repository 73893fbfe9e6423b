package extract

import (
	"math"
	"slices"
)

// lacking holds, for one draft, what its cell and span are without each of its
// records: the two outermost values of each dimension say it for all of them.
type lacking struct {
	filled bool
	sides  []outer
	span   []float32 // by record
	low    float32   // smallest span
}

// outer is what a draft has in one dimension.
type outer struct {
	kind       kind
	set, alone uint64 // listed: its categories, those of one record only
	outermost
	// loss is listed: of one category less than the set has, of so many, of one more.
	loss [3]float32
}

// outermost are the two smallest and the two largest words of some records: they say what
// these span without any one of them.
type outermost struct{ low, low2, high, hi2 uint32 }

// noWords is the outermost of no records.
var noWords = outermost{low: math.MaxUint32, low2: math.MaxUint32}

// and takes one word more.
func (o outermost) and(v uint32) outermost {
	return outermost{min(o.low, v), min(o.low2, max(o.low, v)), max(o.high, v), max(o.hi2, min(o.high, v))}
}

// rangeWithout is the range without one record whose word is v.
func (o *outermost) rangeWithout(v uint32) (lo, hi uint32) {
	lo, hi = o.low, o.high
	if v == lo {
		lo = o.low2
	}
	if v == hi {
		hi = o.hi2
	}
	return lo, hi
}

// without is the span of a draft with r in the place of its record out.
func (l *losses) without(w *lacking, out, r int32) float32 {
	var sum float32
	sides := w.sides
	gone, come := l.row(out)[:len(sides)], l.row(r)[:len(sides)]
	for j := range sides {
		s, u, v := &sides[j], gone[j], come[j]
		if s.kind == listed {
			sum += s.loss[s.afterSwap(u, v)]
			continue
		}
		lo, hi := s.rangeWithout(u)
		if lo, hi = min(lo, v), max(hi, v); s.kind == ranged {
			sum += math.Float32frombits(hi) - math.Float32frombits(lo)
		} else {
			sum += l.of(j, lo, hi)
		}
	}
	return sum
}

// afterSwap is the number of categories without one record of category u and with one
// of category v, less the present number, plus one.
func (s *outer) afterSwap(u, v uint32) uint64 {
	alone, has := s.alone>>(u&63)&1, s.set>>(v&63)&1
	if u == v {
		has ^= alone
	}
	return 2 - alone - has
}

// fillLacking computes what c lacks, and its gain; it is kept while c does not
// change. Cost: len(c.rows) x D.
func (l *losses) fillLacking(c *draft) {
	w := &c.lack
	if w.filled {
		return
	}
	w.filled = true
	w.sides, w.span = grown(w.sides, l.d), grown(w.span, len(c.rows))
	clear(w.span)
	for j := range w.sides {
		s := &w.sides[j]
		if s.kind = l.kinds[j]; s.kind == listed {
			l.lackSet(w, c, j)
		} else {
			l.lackRange(w, c, j)
		}
	}
	w.low = slices.Min(w.span)
	c.gain = c.span - w.low
}

// grown returns the list with n elements, whatever they are.
func grown[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// lackRange fills the range of dimension j.
func (l *losses) lackRange(w *lacking, c *draft, j int) {
	o := noWords
	for _, r := range c.rows {
		o = o.and(l.words[int(r)*l.d+j])
	}
	s := &w.sides[j]
	s.outermost = o
	for i, r := range c.rows {
		if lo, hi := s.rangeWithout(l.words[int(r)*l.d+j]); s.kind == ranged {
			w.span[i] += math.Float32frombits(hi) - math.Float32frombits(lo)
		} else {
			w.span[i] += l.of(j, lo, hi)
		}
	}
}

// lackSet fills the set of dimension j.
func (l *losses) lackSet(w *lacking, c *draft, j int) {
	var once, twice uint64
	for _, r := range c.rows {
		b := uint64(1) << (l.words[int(r)*l.d+j] & 63)
		once, twice = once|b, twice|once&b
	}
	s, losses, n := &w.sides[j], l.sets[j], count(once)
	s.set, s.alone, s.loss = once, once&^twice, [3]float32{losses[n-1], losses[n], losses[n+1]}
	for i, r := range c.rows {
		w.span[i] += s.loss[1-s.alone>>(l.words[int(r)*l.d+j]&63)&1]
	}
}
