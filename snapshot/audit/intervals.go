package audit

import "errors"

// bounds are sound outer bounds on x[type][value].
type bounds struct {
	lo, hi        [][]int
	contradictory bool // no assignment fits: the releases contradict the members export
}

// maxSweeps bounds the propagation; stopping early keeps the bounds sound.
const maxSweeps = 64

// propagate narrows the table x[type][value] with the sums over every known
// set and over every type until nothing changes (theory: D3). For each value v
// and known set E with bag b:
//
//	b[v] - sum of other types' hi  <=  x[t][v]  <=  b[v] - sum of other types' lo
//
// and likewise along the values of one type, whose sum is n[t].
// Guarantee: lo <= x <= hi in every world. Cost O(sweeps * sets * values).
func (p *problem) propagate() *bounds {
	b := &bounds{lo: make([][]int, len(p.n)), hi: make([][]int, len(p.n))}
	for t, n := range p.n {
		b.lo[t] = make([]int, len(p.values))
		b.hi[t] = make([]int, len(p.values))
		for v := range p.values {
			b.hi[t][v] = n
		}
	}
	for range maxSweeps {
		changed := false
		for i := range p.sets {
			changed = b.overSet(&p.sets[i]) || changed
		}
		for t, n := range p.n {
			changed = b.overType(t, n) || changed
		}
		if !changed || b.contradictory {
			break
		}
	}
	return b
}

func (b *bounds) overSet(s *knownSet) bool {
	changed := false
	for v, total := range s.bag {
		lo, hi := 0, 0
		for _, t := range s.types {
			lo += b.lo[t][v]
			hi += b.hi[t][v]
		}
		for _, t := range s.types {
			changed = b.narrow(t, v, total-(hi-b.hi[t][v]), total-(lo-b.lo[t][v])) || changed
		}
	}
	return changed
}

func (b *bounds) overType(t, n int) bool {
	lo, hi := 0, 0
	for v := range b.lo[t] {
		lo += b.lo[t][v]
		hi += b.hi[t][v]
	}
	changed := false
	for v := range b.lo[t] {
		changed = b.narrow(t, v, n-(hi-b.hi[t][v]), n-(lo-b.lo[t][v])) || changed
	}
	return changed
}

// narrow uses sums taken before this sweep touched the row; they are weaker
// than current ones but sound.
func (b *bounds) narrow(t, v, lo, hi int) bool {
	changed := false
	if lo > b.lo[t][v] {
		b.lo[t][v], changed = lo, true
	}
	if hi < b.hi[t][v] {
		b.hi[t][v], changed = hi, true
	}
	if b.lo[t][v] > b.hi[t][v] {
		b.contradictory = true
	}
	return changed
}

// finding is what the analysis of a problem established.
type finding struct {
	exposed       []bool // per type: some value's posterior exceeds 1/l, proven
	safe          []bool // per type: no value's posterior exceeds 1/l, proven
	groups        int    // known sets in which some record must exceed 1/l though it is not known which
	max           float64
	exact         bool
	contradictory bool
}

// decide applies D1-D3 and, where small enough, exact enumeration.
// D1, candidate intersection, is contained in D3: a value outside a class's bag
// gets the upper bound zero. budget is what is left for exact work and is spent.
func (p *problem) decide(l, maxExact int, budget *int) *finding {
	f := &finding{exposed: make([]bool, len(p.n)), safe: make([]bool, len(p.n))}
	if p.records() <= maxExact {
		limit := min(maxSteps, *budget)
		post, err := p.exactPosteriors(limit)
		if err == nil {
			*budget -= post.steps
			f.fromExact(p, post, l)
			return f
		}
		if f.contradictory = errors.Is(err, errContradictory); f.contradictory {
			return f
		}
		*budget -= limit
	}
	p.closePairs()
	b := p.propagate()
	if f.contradictory = b.contradictory; f.contradictory {
		return f
	}
	for t, n := range p.n {
		f.safe[t] = true
		for v := range p.values {
			f.exposed[t] = f.exposed[t] || b.lo[t][v]*l > n
			f.safe[t] = f.safe[t] && b.hi[t][v]*l <= n
			f.max = max(f.max, float64(b.lo[t][v])/float64(n))
		}
	}
	f.pigeonhole(p, l)
	return f
}

// pigeonhole alarms on known sets whose top count exceeds |set|/l: the mean
// posterior over the set exceeds 1/l, so some member's does.
func (f *finding) pigeonhole(p *problem, l int) {
	for i := range p.sets {
		s := &p.sets[i]
		size, top, proven := 0, 0, false
		for _, t := range s.types {
			size += p.n[t]
			proven = proven || f.exposed[t]
		}
		for _, n := range s.bag {
			top = max(top, n)
		}
		if top*l > size {
			f.max = max(f.max, float64(top)/float64(size))
			switch {
			case len(s.types) == 1:
				f.exposed[s.types[0]] = true
			case !proven:
				f.groups++
			}
		}
	}
}
