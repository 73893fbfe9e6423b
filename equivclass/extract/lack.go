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
func (x *extraction) without(l *lacking, out, r int32) float32 {
	var sum float32
	sides := l.sides
	gone, come := x.row(out)[:len(sides)], x.row(r)[:len(sides)]
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
			sum += x.losses.of(j, lo, hi)
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
func (x *extraction) fillLacking(c *draft) {
	l := &c.lack
	if l.filled {
		return
	}
	l.filled = true
	l.sides, l.span = grown(l.sides, x.d), grown(l.span, len(c.rows))
	clear(l.span)
	for j := range l.sides {
		s := &l.sides[j]
		if s.kind = x.losses.kinds[j]; s.kind == listed {
			x.lackSet(l, c, j)
		} else {
			x.lackRange(l, c, j)
		}
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

// lackRange fills the range of dimension j.
func (x *extraction) lackRange(l *lacking, c *draft, j int) {
	o := noWords
	for _, r := range c.rows {
		o = o.and(x.losses.words[int(r)*x.d+j])
	}
	s := &l.sides[j]
	s.outermost = o
	for i, r := range c.rows {
		if lo, hi := s.rangeWithout(x.losses.words[int(r)*x.d+j]); s.kind == ranged {
			l.span[i] += math.Float32frombits(hi) - math.Float32frombits(lo)
		} else {
			l.span[i] += x.losses.of(j, lo, hi)
		}
	}
}

// lackSet fills the set of dimension j.
func (x *extraction) lackSet(l *lacking, c *draft, j int) {
	var once, twice uint64
	for _, r := range c.rows {
		b := uint64(1) << (x.losses.words[int(r)*x.d+j] & 63)
		once, twice = once|b, twice|once&b
	}
	s, losses, n := &l.sides[j], x.losses.sets[j], count(once)
	s.set, s.alone, s.loss = once, once&^twice, [3]float32{losses[n-1], losses[n], losses[n+1]}
	for i, r := range c.rows {
		l.span[i] += s.loss[1-s.alone>>(x.losses.words[int(r)*x.d+j]&63)&1]
	}
}
