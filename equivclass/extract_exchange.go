package equivclass

import "slices"

// leastGain is the loss that an exchange must save: above the rounding of float32 sums.
const leastGain = 1e-5

// change is the best exchange found so far between drafts a and b: a.rows[i]
// and b.rows[j] change places; j < 0: a's record moves, i < 0: b's does.
type change struct {
	i, j int
	loss float32 // of both drafts afterwards, times their sizes
}

// exchange applies the swap or move between a and b that saves most; false if
// none saves. Both drafts stay valid. Cost: |a| |b| D at most, mostly far less.
func (x *extraction) exchange(a, b *draft) bool {
	la, lb := &x.lacks[0], &x.lacks[1]
	x.fillLacking(la, a)
	x.fillLacking(lb, b)
	best := change{i: -1, j: -1}
	best.loss = float32(float32(len(a.rows))*a.span) + float32(float32(len(b.rows))*b.span) - leastGain
	x.bestSwap(a, b, la, lb, &best)
	if !x.equalOnly {
		if i := x.bestMove(a, b, la, &best); i >= 0 {
			best.i, best.j = i, -1
		}
		if j := x.bestMove(b, a, lb, &best); j >= 0 {
			best.i, best.j = -1, j
		}
	}
	if best.i < 0 && best.j < 0 {
		return false
	}
	x.apply(a, b, best)
	return true
}

func (x *extraction) apply(a, b *draft, c change) {
	switch {
	case c.j < 0:
		b.rows = append(b.rows, a.rows[c.i])
		a.rows = slices.Delete(a.rows, c.i, c.i+1)
	case c.i < 0:
		a.rows = append(a.rows, b.rows[c.j])
		b.rows = slices.Delete(b.rows, c.j, c.j+1)
	default:
		a.rows[c.i], b.rows[c.j] = b.rows[c.j], a.rows[c.i]
	}
	x.measure(a)
	x.measure(b)
	x.clock++
	a.stamp, b.stamp = x.clock, x.clock
}

// bestSwap looks for two records whose swap brings the loss below best. What a
// draft loses without its record is a bound that spares most pairs.
func (x *extraction) bestSwap(a, b *draft, la, lb *lacking, best *change) {
	na, nb := float32(len(a.rows)), float32(len(b.rows))
	for i, ra := range a.rows {
		base := float32(na * la.span[i])
		if base+float32(nb*lb.low) >= best.loss {
			continue
		}
		for j, rb := range b.rows {
			if base+float32(nb*lb.span[j]) >= best.loss {
				continue
			}
			loss := float32(na * x.with(&la.cell[i], rb))
			if loss+float32(nb*lb.span[j]) >= best.loss {
				continue
			}
			loss += float32(nb * x.with(&lb.cell[j], ra))
			if loss < best.loss && x.swappable(a, b, ra, rb) {
				*best = change{i, j, loss}
			}
		}
	}
}

// swappable reports whether both drafts stay valid if ra and rb change places.
func (x *extraction) swappable(a, b *draft, ra, rb int32) bool {
	if x.value[ra] == x.value[rb] {
		return !x.clash(a.rows, ra, rb) && !x.clash(b.rows, rb, ra)
	}
	return !x.equalOnly && x.fitsWith(a.rows, ra, rb) && x.fitsWith(b.rows, rb, ra)
}

// bestMove looks for a record of from whose move to to brings the loss below
// best.loss, which it lowers; -1 if there is none.
func (x *extraction) bestMove(from, to *draft, lack *lacking, best *change) int {
	at := -1
	if len(from.rows) <= x.k || len(to.rows) >= x.most {
		return at
	}
	nf, nt := float32(len(from.rows)), float32(len(to.rows))
	for i, r := range from.rows {
		loss := float32((nf - 1) * lack.span[i])
		if loss+float32((nt+1)*to.span) >= best.loss {
			continue
		}
		loss += float32((nt + 1) * x.with(&to.cell, r))
		if loss < best.loss && x.fitsWith(to.rows, -1, r) && x.fitsWithout(from.rows, r) {
			best.loss, at = loss, i
		}
	}
	return at
}

// lacking holds, for one draft, the cell and span without each of its records.
type lacking struct {
	of    *draft
	stamp int32
	cell  []cell
	span  []float32
	low   float32 // smallest span
}

// fillLacking computes l for c; it is kept while c does not change. It also sets
// c.gain. Cost: len(c.rows) x D, by the two outermost values of each dimension.
func (x *extraction) fillLacking(l *lacking, c *draft) {
	if l.of == c && l.stamp == c.stamp {
		return
	}
	n := len(c.rows)
	for len(l.cell) < n {
		l.cell, l.span = append(l.cell, x.newCell()), append(l.span, 0)
	}
	l.of, l.stamp = c, c.stamp
	clear(l.span[:n])
	for j := range x.d {
		x.lackRange(l, c, j)
	}
	if !x.plain {
		x.lackSets(l, c)
	}
	l.low = slices.Min(l.span[:n])
	c.gain = c.span - l.low
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
		l.cell[i].lo[j], l.cell[i].hi[j] = lo, hi
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
			l.cell[i].set[j] = once &^ (x.bit(r, j) &^ twice)
		}
	}
	for i := range c.rows {
		l.span[i] = x.span(&l.cell[i])
	}
}
