package extract

import (
	"slices"
)

// exchanger lets classes exchange records: step 4 of Extract.
type exchanger struct {
	*losses
	*eligibility
	drafts    []*draft
	most      int       // records of a class
	equalOnly bool      // see extraction
	clock     int32     // exchanges done so far
	cost      []float32 // scratch of bestSwap
}

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
func (x *exchanger) exchange(a, b *draft) bool {
	x.fillLacking(a)
	x.fillLacking(b)
	la, lb := &a.lack, &b.lack
	best := change{i: -1, j: -1}
	best.loss = float32(float32(len(a.rows))*a.span) + float32(float32(len(b.rows))*b.span) - leastGain
	x.bestSwap(a, b, la, lb, &best)
	if !x.equalOnly {
		if i := x.bestMove(a, b, &best); i >= 0 {
			best.i, best.j = i, -1
		}
		if j := x.bestMove(b, a, &best); j >= 0 {
			best.i, best.j = -1, j
		}
	}
	if best.i < 0 && best.j < 0 {
		return false
	}
	x.apply(a, b, best)
	return true
}

func (x *exchanger) apply(a, b *draft, c change) {
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
	a.lack.filled, b.lack.filled = false, false
	x.clock++
	a.stamp, b.stamp = x.clock, x.clock
}

// bestSwap looks for two records whose swap brings the loss below best. Bounds
// exclude most pairs, and most records before they are looked at: what a draft loses
// without its record, and how far the newcomer lies outside its cell. Bounds that
// rounding touches leave slack, so which swap is found does not depend on them.
func (x *exchanger) bestSwap(a, b *draft, la, lb *lacking, best *change) {
	na, nb := float32(len(a.rows)), float32(len(b.rows))
	low := float32(maxSpan) // least that a record of b can cost, in b and a together
	x.cost = grown(x.cost, len(b.rows))
	for j, rb := range b.rows {
		x.cost[j] = maxSpan
		if out := float32(nb * lb.span[j]); float32(na*la.low)+out < best.loss {
			x.cost[j] = float32(na*x.gap(a.cell, rb)) + out
			low = min(low, x.cost[j])
		}
	}
	for i, ra := range a.rows {
		base := float32(na * la.span[i])
		if base+float32(nb*lb.low) >= best.loss || base+low-slack >= best.loss {
			continue
		}
		bound := base + float32(nb*x.gap(b.cell, ra)) - slack
		if bound+low >= best.loss {
			continue
		}
		for j, rb := range b.rows {
			if bound+x.cost[j] >= best.loss || base+float32(nb*lb.span[j]) >= best.loss {
				continue
			}
			loss := float32(na * x.without(la, ra, rb))
			if loss+float32(nb*lb.span[j]) >= best.loss {
				continue
			}
			loss += float32(nb * x.without(lb, rb, ra))
			if loss < best.loss && x.swappable(a, b, ra, rb) {
				*best = change{i, j, loss}
			}
		}
	}
}

// slack is above what rounding can add to a bound, so that a bound never hides
// an exchange that saves.
const slack = 1e-3

// swappable reports whether both drafts stay valid if ra and rb change places.
func (x *exchanger) swappable(a, b *draft, ra, rb int32) bool {
	if x.value[ra] == x.value[rb] {
		return !x.clash(a.rows, ra, rb) && !x.clash(b.rows, rb, ra)
	}
	return !x.equalOnly && x.fitsWith(a.rows, ra, rb) && x.fitsWith(b.rows, rb, ra)
}

// bestMove looks for a record of from whose move to to brings the loss below
// best.loss, which it lowers; -1 if there is none.
func (x *exchanger) bestMove(from, to *draft, best *change) int {
	at := -1
	if len(from.rows) <= x.k || len(to.rows) >= x.most {
		return at
	}
	nf, nt := float32(len(from.rows)), float32(len(to.rows))
	for i, r := range from.rows {
		loss := float32((nf - 1) * from.lack.span[i])
		if loss+float32((nt+1)*to.span) >= best.loss {
			continue
		}
		loss += float32((nt + 1) * x.with(to.cell, r))
		if loss < best.loss && x.fitsWith(to.rows, -1, r) && x.fitsWithout(from.rows, r) {
			best.loss, at = loss, i
		}
	}
	return at
}

// descend exchanges records in each pair as long as that saves, pass after
// pass until one finds nothing; it returns the number of exchanges. A pair is
// considered again only if one of the two has changed. The total loss falls
// with every exchange, so this ends.
func (x *exchanger) descend(pairs []draftPair, passes int) int32 {
	x.clock++
	begun := x.clock
	tried := make([]int32, len(pairs))
	for range passes {
		before := x.clock
		for i, p := range pairs {
			a, b := x.drafts[p.a], x.drafts[p.b]
			if tried[i] > 0 && max(a.stamp, b.stamp) <= tried[i] || x.hopeless(a, b) {
				continue
			}
			for x.exchange(a, b) {
			}
			tried[i] = x.clock
		}
		if x.clock == before {
			break
		}
	}
	return x.clock - begun
}

// hopeless proves at low cost that no exchange between a and b saves anything:
// a record that leaves saves its class at most gain, and wherever it arrives it
// costs at least the gap between the two cells.
func (x *exchanger) hopeless(a, b *draft) bool {
	gap := x.cellGap(a.cell, b.cell)
	na, nb := float32(len(a.rows)), float32(len(b.rows))
	swap := float32(na*(a.gain-gap)) + float32(nb*(b.gain-gap))
	ab := a.span + float32((na-1)*a.gain) - b.span - float32((nb+1)*gap)
	ba := b.span + float32((nb-1)*b.gain) - a.span - float32((na+1)*gap)
	if x.plain {
		return max(swap, ab, ba) <= leastGain
	}
	return max(swap, ab, ba) <= leastGain-slack
}
