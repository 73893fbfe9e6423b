package posterior

import (
	"errors"
	"slices"
)

// workBudget bounds the work.
type workBudget struct {
	exact      int // steps left for exact enumeration, over all components
	narrowings int // tried in the propagation over one component
}

// maxNarrowings takes a second or two.
const maxNarrowings = 500_000_000

// bounds are sound outer bounds on x[type][value].
type bounds struct {
	lo, hi        [][]int
	contradictory bool // no assignment fits: the releases contradict the members export

	clock        int   // counts narrowings
	changed      []int // per type: the clock at its newest narrowing
	sumLo, sumHi []int // per value, of the set at hand
}

// maxSweeps bounds the propagation over one component; stopping early keeps the
// bounds sound.
const maxSweeps = 64

// propagate narrows the table x[type][value] with the sums over every known
// set and over every type until nothing changes. For each value v
// and known set E with bag b:
//
//	b[v] - sum of other types' hi  <=  x[t][v]  <=  b[v] - sum of other types' lo
//
// and likewise along the values of one type, whose sum is n[t].
// A set none of whose types has changed since it was last looked at is passed
// over: it could narrow nothing.
// It also stops once about limit narrowings were tried.
// Guarantee: lo <= x <= hi in every world. Cost O(sweeps * total size of the
// sets * values).
func (p *problem) propagate(limit int) *bounds {
	b := newBounds(p)
	seen := make([]int, len(p.sets)) // clock at the newest look at each set
	work := 0
	order := p.smallFirst()
	for range maxSweeps {
		changed := false
		for _, i := range order {
			s := &p.sets[i]
			if !b.stale(s, seen[i]) {
				continue
			}
			if work += len(s.types) * len(s.bag); work > limit {
				return b
			}
			seen[i] = b.clock
			changed = b.overSet(s) || changed
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

// smallFirst orders the sets by size: small ones tell most for their cost.
func (p *problem) smallFirst() []int {
	order := make([]int, len(p.sets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(p.sets[a].types) - len(p.sets[b].types) })
	return order
}

func newBounds(p *problem) *bounds {
	values := len(p.values)
	b := &bounds{lo: make([][]int, len(p.n)), hi: make([][]int, len(p.n)), clock: 1, changed: make([]int, len(p.n)),
		sumLo: make([]int, values), sumHi: make([]int, values)}
	rows := make([]int, 2*values*len(p.n)) // one piece: a set walks over many types
	for t, n := range p.n {
		b.lo[t], b.hi[t], rows = rows[:values:values], rows[values:2*values:2*values], rows[2*values:]
		b.changed[t] = b.clock
		for v := range b.hi[t] {
			b.hi[t][v] = n
		}
	}
	return b
}

// stale reports whether a type of the set has changed since the given clock.
func (b *bounds) stale(s *knownSet, since int) bool {
	for _, t := range s.types {
		if b.changed[t] > since {
			return true
		}
	}
	return false
}

func (b *bounds) overSet(s *knownSet) bool {
	clear(b.sumLo)
	clear(b.sumHi)
	for _, t := range s.types {
		lo, hi := b.lo[t], b.hi[t]
		for v := range s.bag {
			b.sumLo[v] += lo[v]
			b.sumHi[v] += hi[v]
		}
	}
	changed := false
	for _, t := range s.types {
		lo, hi := b.lo[t], b.hi[t]
		for v, total := range s.bag {
			changed = b.narrow(t, v, total-(b.sumHi[v]-hi[v]), total-(b.sumLo[v]-lo[v])) || changed
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
	if changed {
		b.clock++
		b.changed[t] = b.clock
		b.contradictory = b.contradictory || b.lo[t][v] > b.hi[t][v]
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

// decide applies the difference closure, the propagation of bounds and, where
// small enough, exact enumeration. The intersection of a person's candidate
// values is contained in the propagation: a value outside a class's bag gets the
// upper bound zero. budget.exact is what is left for exact work, and is spent.
func (p *problem) decide(l, maxExact int, budget *workBudget) *finding {
	f := &finding{exposed: make([]bool, len(p.n)), safe: make([]bool, len(p.n))}
	if p.records() <= maxExact {
		limit := min(maxSteps, budget.exact)
		post, err := p.exactPosteriors(limit)
		if err == nil {
			budget.exact -= post.steps
			f.fromExact(p, post, l)
			return f
		}
		if f.contradictory = errors.Is(err, errContradictory); f.contradictory {
			return f
		}
		budget.exact -= limit
	}
	p.closePairs()
	b := p.propagate(budget.narrowings)
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
