package merge

import (
	"cmp"
	"math/bits"
	"slices"
)

// Numbers of the search. They are public and constant: with other numbers the
// buckets would be other ones, and as safe.
const (
	startMost   = 5  // parts in a group that an ineligible part joins at the start
	startNear   = 16 // near parts that it tries before all others
	tightFrom   = 16 // a pool is tight if more than one part in so many finds no partner
	tightNear   = 10 // near parts with which steps are tried in a tight pool
	severalNear = 6  // those with several attributes, whose groups are larger
	passMost    = 30 // passes
	triedBits   = 8  // a binary logarithm of how many pairs of groups are remembered for each part, and for all
	triedMost   = 18
	stopEach    = 1 << 8 // parts between two questions whether to stop
)

// search looks for groups.
type search struct {
	*groups
	near     []int32
	nearEach int
	step     step
	tried    []uint64 // pairs of groups; a few are forgotten
	inside   []int64  // by group, at the start: the sum of the squared distances of its pairs
	run      Run
}

func newSearch(x *instance, run Run) *search {
	n := bits.Len(uint(len(x.parts)))
	s := &search{groups: alone(x), tried: make([]uint64, 1<<min(2*n, n+triedBits, triedMost)), run: run}
	s.step.groups = s.groups
	return s
}

// find ends with eligible groups, or one group, unless it is stopped.
func (s *search) find() {
	if s.near, s.nearEach = s.nearest(s.run); s.run.Stop() {
		return
	}
	each := s.nearEach
	// Extra principles ask for larger groups than pairs of near parts.
	if s.start() || len(s.principles) > 0 {
		s.regroup(newAnnealing(s.instance, s.near, s.nearEach).run(s.run.Stop))
		if each = min(each, tightNear); s.several() {
			each = min(each, severalNear)
		}
	}
	s.repair()
	for range passMost {
		if !s.pass(each) {
			break
		}
	}
}

// nearTo lists the near parts of a part, best first.
func (s *search) nearTo(p int32) []int32 { return s.near[int(p)*s.nearEach:][:s.nearEach] }

// start joins each part that is not eligible, worst first, with the part or the small group with
// which it is, at the least energy: a near one, if there is one. It reports whether the pool is
// tight.
func (s *search) start() (tight bool) {
	var order, later []int32
	all := make([]int32, len(s.parts))
	for p := range all {
		if all[p] = int32(p); s.parts[p].lack > 0 {
			order = append(order, int32(p))
		}
	}
	slices.SortStableFunc(order, func(p, q int32) int { return cmp.Compare(s.parts[q].lack, s.parts[p].lack) })
	s.inside = make([]int64, len(s.parts))
	for _, p := range order {
		if len(s.members[s.of[p]]) == 1 && !s.joined(p, s.nearTo(p)[:min(startNear, s.nearEach)]) {
			later = append(later, p)
		}
	}
	without := 0
	for i, p := range later {
		if i%stopEach == 0 && s.run.Stop() {
			return false
		}
		if len(s.members[s.of[p]]) == 1 && !s.joined(p, all) {
			if without++; without*tightFrom > len(s.parts) {
				return true
			}
		}
	}
	return false
}

// joined joins a part with the group of one of some parts.
func (s *search) joined(p int32, with []int32) bool {
	best, least := int32(-1), int64(none)
	var both [startMost + 1]int32
	for _, q := range with {
		h := s.of[q]
		if n := len(s.members[h]); s.apart(p, q)*(whole/2) < least && q != p && n < startMost {
			both[copy(both[:], s.members[h])] = p
			was, energy := energyOf(s.inside[h], int64(n)), energyOf(s.inside[h]+s.between(p, both[:n]), int64(n+1))
			if energy-was < least && s.suffices(both[:n+1]) {
				best, least = h, energy-was
			}
		}
	}
	if best < 0 {
		return false
	}
	s.inside[best] += s.between(p, s.members[best])
	s.join(s.of[p], best)
	return true
}

// between is the sum of the squared distances of a part and others.
func (s *search) between(p int32, others []int32) (out int64) {
	for _, q := range others {
		out += s.apart(p, q)
	}
	return out
}

// join moves the parts of g to h.
func (s *groups) join(g, h int32) {
	both := slices.Concat(s.members[h], s.members[g])
	s.empty(g)
	s.put(both, h)
}

// pass tries a step for each group, and for each group with near ones. It reports whether one
// gained anything.
func (s *search) pass(each int) (gained bool) {
	for p := range int32(len(s.parts)) {
		if p%stopEach == 0 && s.run.Stop() {
			return false
		}
		gained = len(s.members[s.of[p]]) > 2 && s.try(p, p) || gained
		for _, q := range s.nearTo(p)[:each] {
			if len(s.members[s.of[p]]) == 1 {
				break // it has no energy
			}
			gained = s.of[q] != s.of[p] && s.try(p, q) || gained
		}
	}
	return gained
}

// try tries a step, unless it was tried before.
func (s *search) try(p, q int32) bool {
	g, h := s.of[p], s.of[q]
	if len(s.members[g])+len(s.members[h]) > laneMost {
		return false
	}
	a, b := s.made[g], s.made[h]
	key := (min(a, b)*0x9e3779b97f4a7c15 ^ max(a, b)) * 0xbf58476d1ce4e5b9
	at := key >> 32 & uint64(len(s.tried)-1)
	if s.tried[at] == key {
		return false
	}
	s.tried[at] = key
	return s.step.try(p, q)
}
