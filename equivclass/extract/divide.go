package extract

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// dividings is how often Blind divides its classes anew, as a function of the number of
// records and of the kinds of dimensions only: so many rounds, each of which finds the neighbours of
// the classes, and so many passes over them in each round. Large pools have wide buckets instead,
// which lower the loss at less cost; where a range loses in leaps (hierarchies, steps), less so.
func dividings(n int, leaps bool) (rounds, passes int) {
	switch {
	case n <= 150:
		return 2, 4
	case n <= 2000:
		return 3, 4
	case n <= 20000 && leaps:
		return 2, 3
	case n <= 20000:
		return 1, 3
	case n <= 150000 && leaps:
		return 1, 2
	case leaps:
		return 1, 1
	default:
		return 0, 0
	}
}

// leaps reports whether a dimension has a hierarchy or steps.
func leaps(s *equivclass.Space) bool {
	return slices.ContainsFunc(s.Dims, func(d equivclass.Dim) bool { return d.Kind == equivclass.Tree || len(d.Steps) > 0 })
}

// blindEffort is the effort of Blind. The divisions exchange records themselves, so little is left for
// the exchange after them.
func blindEffort(n int, leaps bool) effort {
	e := effortFor(n)
	e.near, e.rounds = min(e.near, 16), 1
	if n > 2000 {
		e.bucket = 8192
	}
	if n > 2000 && !leaps {
		e.shortlist = 128
	}
	if n > 150000 {
		e.shortlist, e.near, e.passes = 32, 6, 1
	}
	return e
}

// Of the groups of a pass those with the lowest ratios are divided: triedOf100 percent of
// them, half of these a second time, and so on up to mostTries times. On Adult, ACS and
// generated records that is where four fifths of the gain of dividing all of them is.
const (
	triedOf100 = 15
	mostTries  = 4
)

// nearMiss is how much more than the classes before a division may lose, as a share of that,
// to be refined all the same: one of five or six is the better one then.
const nearMiss = 1.0 / 16

// furtherDivided is how many neighbours of a class are considered in step 3 of Blind, beyond
// those that are divided at once.
const furtherDivided = 5

// dividedTogether is how many classes are divided at once: about 20 records.
func (x *extraction) dividedTogether() int {
	return min(max(3, min(20/x.k, 5)), len(x.drafts))
}

// divideAll is a round of step 3 of Blind. The parts share nothing, so they may be
// processed in parallel.
func (x *extraction) divideAll(e effort, turn, passes int) {
	if len(x.drafts) < 2 {
		return
	}
	together := x.dividedTogether()
	x.eachPart(min(together+furtherDivided, len(x.drafts)-1), e.part, turn, func(w *extraction, part int, pairs []draftPair) {
		// Anybody may repeat the draws: they say no more than the
		// quasi-identifiers do.
		v := divider{x: w, rng: cut.SplitMix(turn)<<32 | cut.SplitMix(part), together: together}
		v.list(pairs)
		for i := 0; i < passes && !w.stopped(); i++ {
			v.pass()
		}
	})
}

// divider divides neighbouring classes of k records anew.
type divider struct {
	x        *extraction
	rng      cut.SplitMix
	together int       // classes of a group
	groups   []int32   // of neighbours that may be divided, one behind the other
	ratios   []float32 // by group
	passes   int32     // so far
	keys     []uint64  // of the ratios: scratch
	usual    []float32 // by classes that are still to be formed: see promising
	few      few       // the records of a group
	refiner  refiner   // the classes of a division
}

// list takes each class with the neighbours that stand next to each other in its list.
func (v *divider) list(pairs []draftPair) {
	first := 0
	for i, p := range pairs {
		if pairs[first].a != p.a {
			first = i
		}
		if i-first < v.together-2 {
			continue
		}
		v.groups = append(v.groups, p.a)
		for j := i; j > i-v.together+1; j-- {
			v.groups = append(v.groups, pairs[j].b)
		}
	}
	v.ratios = make([]float32, len(v.groups)/v.together)
	v.usual = make([]float32, v.together+1)
}

func (v *divider) group(i int) []int32 { return v.groups[i*v.together : (i+1)*v.together] }

// pass divides the groups from which most can be expected: those whose classes lose most,
// compared with one cell of all their records.
func (v *divider) pass() {
	if len(v.ratios) == 0 {
		return
	}
	v.keys = grown(v.keys, len(v.ratios))
	v.passes++
	for i := range v.ratios {
		if ids := v.group(i); v.changed(ids) {
			v.ratios[i] = v.ratio(ids)
		}
		v.keys[i] = spanKey(v.ratios[i], i)
	}
	tried := (len(v.ratios)-1)*triedOf100/100 + 1
	equivclass.SelectKeys(v.keys, tried)
	slices.Sort(v.keys[:tried])
	for i, ratio := range v.ratios {
		last := tried - 1
		for n := 0; n < mostTries && ratio <= v.ratios[uint32(v.keys[last])] && ratio < maxSpan; n++ {
			v.divide(v.group(i))
			last /= 2
		}
	}
}

// changed reports whether one of the classes was divided since their ratio was computed, if
// it was.
func (v *divider) changed(ids []int32) bool {
	if v.passes == 1 {
		return true
	}
	for _, id := range ids {
		if v.x.drafts[id].divided >= v.passes-1 {
			return true
		}
	}
	return false
}

// ratio is the loss of one cell of all records of some classes, over what the classes lose.
// Where it is low, the classes overlap, and dividing them anew gains more often.
func (v *divider) ratio(ids []int32) float32 {
	x := v.x
	var loss, union float32
	for _, id := range ids {
		loss += x.drafts[id].span
	}
	for j := range x.d {
		s := x.drafts[ids[0]].cell[j]
		for _, id := range ids[1:] {
			o := &x.drafts[id].cell[j]
			s.lo, s.hi, s.set = min(s.lo, o.lo), max(s.hi, o.hi), s.set|o.set
		}
		switch s.kind {
		case ranged:
			union += math.Float32frombits(s.hi) - math.Float32frombits(s.lo)
		case listed:
			union += x.losses.sets[j][count(s.set)]
		default:
			union += x.losses.of(j, s.lo, s.hi)
		}
	}
	if loss <= leastGain {
		return maxSpan
	}
	return union / loss
}

// divide forms the classes anew out of all their records, one after the other,
// each from a drawn record, lets the new ones exchange records if they lose little more than
// the old ones, and keeps them if they lose less then. Cost: for m classes, (m k)^2 D at most,
// mostly far less.
func (v *divider) divide(ids []int32) {
	x, f := v.x, &v.few
	f.reset(x.fixed)
	var loss float32 // of the classes
	for _, id := range ids {
		loss += x.drafts[id].span
		f.add(x.drafts[id].rows)
	}
	limit := uint64(max(0, loss-leastGain) * unit) // the new classes must stay below
	left := limit
	for len(f.ids) > x.k {
		lost := f.grow(cut.Below(&v.rng, uint64(len(f.ids))), x.k, left)
		if lost >= left {
			return
		}
		if left -= lost; len(f.ids) > x.k && !v.promising(left) {
			return
		}
	}
	if f.rest() >= left+uint64(loss*nearMiss*unit) {
		return
	}
	v.refiner.take(x.fixed, x.k, f.taken, f.ids)
	if v.refiner.exchange() < limit {
		v.keep(ids, loss)
	}
}

// goOn is the share of divisions that go on, by the number of times that promising decides.
var goOn = [...]float32{1, .6, .78, .85}

// promising reports whether the classes that are still to be formed, several, may lose less
// than the limit. It gives up the less likely ones, by the same ratio as pass, next to one
// that moves to where a share of the divisions goes on.
func (v *divider) promising(limit uint64) bool {
	left := len(v.few.ids) / v.x.k
	ratio, usual, share := float32(v.few.rest())/float32(limit), &v.usual[left], goOn[v.together-2]
	if *usual == 0 {
		*usual = ratio
	}
	step := *usual / 32
	if ratio > *usual {
		*usual += float32(step * share)
		return false
	}
	*usual -= float32(step * (1 - share))
	return true
}

// keep replaces the classes by the new ones if these lose less in floating point, too.
func (v *divider) keep(ids []int32, loss float32) {
	x, rows := v.x, v.refiner.ids
	var lost float32
	for at := 0; at < len(rows); at += x.k {
		x.start(x.grown, rows[at])
		for _, r := range rows[at+1 : at+x.k] {
			x.widen(x.grown, r)
		}
		lost += x.span(x.grown)
	}
	if lost >= loss {
		return
	}
	for i, id := range ids {
		c := x.drafts[id]
		copy(c.rows, rows[i*x.k:])
		x.measure(c)
		c.lack.filled = false
		c.divided = v.passes
	}
}
