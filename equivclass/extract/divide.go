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
	x   *extraction
	rng cut.SplitMix
	few few // all their records
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
	x, f := v.x, &v.few
	f.reset(x)
	var limit float32 // what the new classes must stay below
	for _, id := range ids {
		limit += x.drafts[id].span
		f.add(x.drafts[id].rows)
	}
	limit -= leastGain
	for from := 0; from < len(f.ids); from += x.k {
		left := len(f.ids) - from
		seed := from + cut.Below(&v.rng, uint64(left))
		if left == x.k && x.losses.monotone && f.span(from) >= limit {
			return // the last class is what is left, in whatever order it grows
		}
		if limit -= f.grow(from, seed, x.k, limit); limit <= 0 {
			return
		}
	}
	for i, id := range ids {
		c := x.drafts[id]
		copy(c.rows, f.ids[i*x.k:])
		x.measure(c)
		c.stamp, c.lack.filled = x.clock, false
	}
}
