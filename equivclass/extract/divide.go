package extract

import (
	"anond/equivclass/internal/cut"
)

// dividings is how often Blind divides its classes anew, as a function of the
// number of records only.
func dividings(n int) int {
	switch {
	case n <= 150:
		return 4
	case n <= 2000:
		return 16
	case n <= 20000:
		return 8
	case n <= 150000:
		return 4
	default:
		return 2
	}
}

// nearDivided is how many neighbours of a class are considered in step 3 of
// Blind.
const nearDivided = 8

// divideAll is a round of step 3 of Blind: each class with each two consecutive
// ones of its neighbours. The parts share nothing, so they may be processed in
// parallel.
func (x *extraction) divideAll(e effort, turn int) {
	if len(x.drafts) < 2 {
		return
	}
	x.eachPart(min(nearDivided, len(x.drafts)-1), e.part, turn, func(w *extraction, part int, pairs []draftPair) {
		// Anybody may repeat the draws: they say no more than the
		// quasi-identifiers do.
		v := divider{x: w, rng: cut.SplitMix(turn)<<32 | cut.SplitMix(part)}
		if len(pairs) == 1 {
			v.divide(pairs[0].a, pairs[0].b)
		}
		for i := 1; i < len(pairs); i++ {
			if last := pairs[i-1]; last.a == pairs[i].a {
				v.divide(last.a, last.b, pairs[i].b)
			}
		}
	})
}

// divider divides neighbouring classes of k records anew.
type divider struct {
	x    *extraction
	rng  cut.SplitMix
	rows []int32 // of all of them
}

// divide forms the classes anew out of all their records, one after the other,
// each from a drawn record, and keeps the new ones if they lose less. Cost: for
// m classes, (m k)^2 D.
func (v *divider) divide(ids ...int32) {
	x := v.x
	var left float32 // what the new classes must stay below
	v.rows = v.rows[:0]
	for _, id := range ids {
		left += x.drafts[id].span
		v.rows = append(v.rows, x.drafts[id].rows...)
	}
	left -= leastGain
	for rows := v.rows; len(rows) > 0; rows = rows[x.k:] {
		if left <= 0 {
			return
		}
		x.growFirst(rows, cut.Below(&v.rng, uint64(len(rows))))
		left -= x.span(&x.grown)
	}
	if left <= 0 {
		return
	}
	for i, id := range ids {
		c := x.drafts[id]
		copy(c.rows, v.rows[i*x.k:])
		x.measure(c)
		c.lack.filled = false
	}
}

// growFirst moves to the front the seed and, one by one, the k-1 rows that
// enlarge its cell least. x.grown is that cell in the end.
func (x *extraction) growFirst(rows []int32, seed int) {
	rows[0], rows[seed] = rows[seed], rows[0]
	x.start(&x.grown, rows[0])
	for n := 1; n < x.k; n++ {
		best, at := float32(maxSpan), n
		for i, r := range rows[n:] {
			if span := x.with(&x.grown, r); span < best {
				best, at = span, n+i
			}
		}
		rows[n], rows[at] = rows[at], rows[n]
		x.widen(&x.grown, rows[n])
	}
}
