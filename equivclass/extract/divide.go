package extract

import (
	"anond/equivclass/internal/cut"
)

// dividings is how many rounds Blind divides its classes anew, as a function of
// the number of records only. The first rounds cost
// about 4 us a record each at k=10, D=7, the later ones less.
func dividings(n int) int {
	switch {
	case n <= 150:
		return 2
	case n <= 2000:
		return 16
	case n <= 20000:
		return 8
	case n <= 150000:
		return 2
	default:
		return 1
	}
}

// nearDivided is how many neighbours of a class are considered in step 3 of
// Blind, restRounds for how many rounds those that have not changed are still
// divided, from other seeds.
const (
	nearDivided = 8
	restRounds  = 2
)

// dividedTogether is how many classes are divided at once: about 30 records.
func (x *extraction) dividedTogether() int {
	return min(max(3, min(30/x.k, 5)), len(x.drafts))
}

// divideAll is a round of step 3 of Blind: each class with the neighbours that
// stand next to each other in its list. The parts share nothing, so they may be
// processed in parallel.
func (x *extraction) divideAll(e effort, turn int) {
	if len(x.drafts) < 2 {
		return
	}
	x.clock++
	together := x.dividedTogether()
	x.eachPart(min(nearDivided, len(x.drafts)-1), e.part, turn, func(w *extraction, part int, pairs []draftPair) {
		// Anybody may repeat the draws: they say no more than the
		// quasi-identifiers do.
		v := divider{x: w, rng: cut.SplitMix(turn)<<32 | cut.SplitMix(part)}
		ids := make([]int32, 0, together)
		for i, p := range pairs {
			ids = append(ids[:0], p.a)
			for j := i; j >= 0 && pairs[j].a == p.a && len(ids) < together; j-- {
				ids = append(ids, pairs[j].b)
			}
			if len(ids) == together && v.changed(ids) {
				v.divide(ids)
			}
		}
	})
}

// divider divides neighbouring classes of k records anew.
type divider struct {
	x    *extraction
	rng  cut.SplitMix
	rows []int32 // of all of them
	// least is, for each row, at most the span that the cell would have with it.
	least []float32
}

// changed reports whether one of the classes has changed of late.
func (v *divider) changed(ids []int32) bool {
	for _, id := range ids {
		if v.x.clock-v.x.drafts[id].stamp <= restRounds {
			return true
		}
	}
	return false
}

// divide forms the classes anew out of all their records, one after the other,
// each from a drawn record, and keeps the new ones if they lose less. Cost: for
// m classes, (m k)^2 D at most, mostly far less.
func (v *divider) divide(ids []int32) {
	x := v.x
	v.rows = v.rows[:0]
	var limit float32 // what the new classes must stay below
	for _, id := range ids {
		limit += x.drafts[id].span
		v.rows = append(v.rows, x.drafts[id].rows...)
	}
	limit -= leastGain
	v.least = grown(v.least, len(v.rows))
	for rows := v.rows; len(rows) > 0; rows = rows[x.k:] {
		seed := cut.Below(&v.rng, uint64(len(rows)))
		if len(rows) == x.k && x.losses.monotone && v.spanOf(rows) >= limit {
			return // the last class is what is left, in whatever order it grows
		}
		if limit -= v.grow(rows, seed, limit); limit <= 0 {
			return
		}
	}
	for i, id := range ids {
		c := x.drafts[id]
		copy(c.rows, v.rows[i*x.k:])
		x.measure(c)
		c.stamp, c.lack.filled = x.clock, false
	}
}

// spanOf is the span of a class of these rows.
func (v *divider) spanOf(rows []int32) float32 {
	x, c := v.x, v.x.grown
	x.start(c, rows[0])
	for _, r := range rows[1:] {
		x.widen(c, r)
	}
	return x.span(c)
}

// grow moves to the front a row, the seed, and, one by one, the k-1 rows that enlarge
// its cell least, and returns the span of the cell, or the limit if it is not below. A
// row with which the cell reaches the limit is no candidate: the cell only grows, so it
// can only be in a class that reaches the limit too.
func (v *divider) grow(rows []int32, seed int, limit float32) float32 {
	x, c, least := v.x, v.x.grown, v.least[:len(rows)]
	rows[0], rows[seed] = rows[seed], rows[0]
	x.start(c, rows[0])
	clear(least)
	span, ceiling := float32(0), limit
	if !x.losses.monotone {
		ceiling = maxSpan
	}
	for n := 1; n < x.k; n++ {
		best, at := ceiling, -1
		for i := n; i < len(rows); i++ {
			if least[i] >= best {
				continue // a row costs the more, the larger the cell
			}
			if least[i] = x.with(c, rows[i]); least[i] < best {
				best, at = least[i], i
			}
		}
		if at < 0 || best >= limit {
			return limit
		}
		rows[n], rows[at] = rows[at], rows[n]
		least[n], least[at] = least[at], least[n]
		x.widen(c, rows[n])
		span = best
	}
	return span
}
