package incremental

import (
	"slices"

	"anond/equivclass"
)

// localScratch is reused by local updates, one at a time.
type localScratch struct {
	near     []int32
	relevant []int32
	score    []float64
	top      []int32
	rows     []int32
	members  []RecordID
}

// localUpdate is the paper's local update (Wang et al., section IV, Fig. 1 and
// algorithm IncrementalUpdate), made safe: the classes whose records are
// partitioned anew are planned ones only. Published classes take part as
// landmarks, by which the neighbourhood is found; none of them changes here
// (rules A and P), so nothing that was released is touched.
//
// Around the class of the newest record it takes the nearest classes, keeps the
// neighbours (REL > 0, eq. 10 and 11), ranks them by the similarity of their
// feature points to the record (eq. 12-16), pools the waiting and planned
// records at the most similar, and partitions the pool. The new plan replaces
// the old one if it loses less, a record in no plan counting as loss 1.
//
// Cost: bounded by neighbours x class size and by the size of the pool,
// whatever the number of records.
func (p *planner) localUpdate(c *columns, at int32) {
	slots := p.similarSets(c, at)
	pool := p.gather(slots)
	if len(pool) < p.policy.Requirement.K {
		return
	}
	points := c.pool(p.space, pool)
	groups, _ := p.policy.Local.Partition(points, p.policy.Requirement)
	plans, planned := plansOf(points, pool, groups)
	if cost(plans, len(pool)-planned) >= p.cost(slots) {
		return
	}
	p.replace(slots, at, plans, pool)
}

// similarSets returns the slot at and the most similar of its neighbours.
func (p *planner) similarSets(c *columns, at int32) []int32 {
	s := &p.scratch
	s.near = p.index.neighbours(p.at, p.policy.Neighbours, s.near[:0])
	s.relevant, s.score = s.relevant[:0], s.score[:0]
	touched := c.pool(p.space, p.slots[at].class.Members)
	rows := s.allRows(touched.Len())
	for _, n := range s.near {
		if n == at {
			continue
		}
		rel := equivclass.REL(p.index.box(n), touched, rows, p.dims())
		if rel > 0 {
			s.relevant = append(s.relevant, n)
			s.score = append(s.score, equivclass.Similarity(p.at, p.feature(c, n), rel))
		}
	}
	s.top = equivclass.MostSimilar(s.score, p.policy.Similar, s.top[:0])
	for i, k := range s.top {
		s.top[i] = s.relevant[k]
	}
	return append(s.top, at)
}

func (p *planner) dims() int {
	if p.policy.NeighbourDims > 0 {
		return p.policy.NeighbourDims
	}
	return max(1, len(p.space.Dims)-1)
}

// allRows returns the rows 0..n-1.
func (s *localScratch) allRows(n int) []int32 {
	for len(s.rows) < n {
		s.rows = append(s.rows, int32(len(s.rows)))
	}
	return s.rows[:n]
}

// feature returns the coordinates of a class's feature point. A published class
// does not change, so it is computed once.
func (p *planner) feature(c *columns, n int32) []float32 {
	sl := &p.slots[n]
	if sl.feature == nil {
		points := c.pool(p.space, sl.class.Members)
		f := equivclass.FeaturePoint(points, p.scratch.allRows(points.Len()))
		sl.feature = slices.Clone(points.At(f))
	}
	return sl.feature
}

// gather returns the waiting and planned records at the slots, in order of arrival.
func (p *planner) gather(slots []int32) []RecordID {
	pool := p.scratch.members[:0]
	for _, n := range slots {
		pool = append(pool, p.slots[n].here...)
		for _, pl := range p.slots[n].plans {
			pool = append(pool, pl.members...)
		}
	}
	slices.Sort(pool)
	p.scratch.members = pool
	return pool
}

func (p *planner) cost(slots []int32) float64 {
	sum := 0.0
	for _, n := range slots {
		sum += cost(p.slots[n].plans, len(p.slots[n].here))
	}
	return sum
}

func cost(plans []plan, rest int) float64 {
	sum := float64(rest)
	for _, pl := range plans {
		sum += pl.loss * float64(len(pl.members))
	}
	return sum
}

// plansOf turns groups of pool rows into plans over record numbers.
func plansOf(points *equivclass.Pool, pool []RecordID, groups [][]int32) (plans []plan, planned int) {
	for _, g := range groups {
		members := make([]RecordID, len(g))
		for i, row := range g {
			members[i] = pool[row]
		}
		slices.Sort(members)
		plans = append(plans, plan{members: members, loss: points.Loss(g)})
		planned += len(g)
	}
	return plans, planned
}

// replace puts new plans at slot at in place of everything planned at slots. A
// record that is in no plan goes back to the class that it lies at.
func (p *planner) replace(slots []int32, at int32, plans []plan, pool []RecordID) {
	in := make(map[RecordID]bool, len(pool))
	for _, pl := range plans {
		for _, r := range pl.members {
			in[r] = true
		}
	}
	for _, n := range slots {
		sl := &p.slots[n]
		for _, pl := range sl.plans {
			p.planned -= len(pl.members)
			sl.here = append(sl.here, pl.members...)
		}
		sl.plans = nil
		slices.Sort(sl.here)
		sl.here = slices.DeleteFunc(sl.here, func(r RecordID) bool { return in[r] })
	}
	p.slots[at].plans = plans
	p.planned += len(in)
}
