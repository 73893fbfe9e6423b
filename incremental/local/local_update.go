package local

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/state"
)

// localUpdates plans one region (regions.go). It owns its slots and its scratch space, and
// reads the records.
type localUpdates struct {
	policy  *state.Policy
	records *state.Records
	space   *equivclass.Space
	slots   []slot
	boxes   []float32
	blocks  []int32
	at      []float32 // the record around which an update runs
	scratch localScratch
	made    uint64 // updates carried out
}

// slot is a published class as local updates see it.
type slot struct {
	class   *state.Class
	feature []float32        // coordinates of the feature point; nil: not computed yet
	here    []state.RecordID // waiting records positioned at the class and in no plan
	plans   []plan.Plan      // planned classes that lie at the class
}

// localScratch is reused by local updates, one at a time.
type localScratch struct {
	near     []int32
	dist     []float32
	relevant []int32
	score    []float64
	top      []int32
	rows     []int32
	members  []state.RecordID
	shares   []share
	at       []float32
}

func NewLocalUpdates(p Planning, r *region) localUpdates {
	d := p.Records.Schema.D()
	u := localUpdates{policy: p.Policy, records: p.Records, space: p.Place.Space, slots: make([]slot, len(r.classes)),
		boxes: r.boxes, blocks: r.blocks, at: make([]float32, d)}
	for i, c := range r.classes {
		u.slots[i] = slot{class: c, here: r.here[i]}
	}
	u.scratch.at = make([]float32, d)
	return u
}

// run carries out the local updates of every neighbourhood in which more than the
// threshold wait, in order.
func (p *localUpdates) run() {
	p.Each(func(s int32) { p.LocalUpdate(s) })
}

// Each calls update around the newest record at a class as long as that places something,
// class by class.
func (p *localUpdates) Each(update func(s int32)) {
	waiting := make([]int, len(p.slots))
	for s := range p.slots {
		waiting[p.blocks[s]] += len(p.slots[s].here)
	}
	for s := range p.slots {
		if waiting[p.blocks[s]] <= p.policy.Threshold {
			continue
		}
		for n := len(p.slots[s].here); n > 0; {
			p.records.Coords(p.space, p.slots[s].here[n-1], p.at)
			update(int32(s))
			p.made++
			left := len(p.slots[s].here)
			if left >= n {
				break
			}
			n = left
		}
	}
}

// LocalUpdate is the paper's local update (Wang et al., section IV, Fig. 1 and
// algorithm IncrementalUpdate), made safe: the classes whose records are
// partitioned anew are planned ones only. Published classes take part as
// landmarks, by which the neighbourhood is found; none of them changes here (rule A,
// frozen classes, and rule P, pure classes), so nothing that was released changes.
//
// Around the class of the newest record it takes the nearest classes, keeps the
// neighbours (REL > 0, eq. 10 and 11), ranks them by the similarity of their
// feature points to the record (eq. 12-16), pools the waiting and planned
// records at the most similar, and partitions the pool. The new plan replaces
// the old one if it loses less, a record in no plan counting as loss 1.
//
// Cost: bounded by neighbours x class size and by localPool x k records, whatever
// the number of records in state or waiting.
func (p *localUpdates) LocalUpdate(at int32) {
	c := p.records
	slots := p.similarSets(at)
	shares := p.share(slots)
	pool := p.gather(shares)
	if len(pool) < p.policy.Requirement.K {
		return
	}
	plans, rest := plan.Partition(c, p.space, pool, p.policy.Local, p.policy.Local, p.policy.Requirement)
	if plan.Cost(plans, len(rest)) >= p.cost(shares) {
		return
	}
	p.remove(shares)
	p.settleAt(slots, plans)
	for _, r := range rest {
		c.Coords(p.space, r, p.scratch.at)
		s := &p.slots[p.nearest(slots, p.scratch.at)]
		i, _ := slices.BinarySearch(s.here, r)
		s.here = slices.Insert(s.here, i, r)
	}
}

// similarSets returns the slot at, then the most similar of its neighbours.
func (p *localUpdates) similarSets(at int32) []int32 {
	s, c := &p.scratch, p.records
	p.neighbours()
	s.relevant, s.score = s.relevant[:0], s.score[:0]
	touched := c.Pool(p.space, p.slots[at].class.Members)
	rows := s.allRows(touched.Len())
	for _, n := range s.near {
		if n == at {
			continue
		}
		rel := equivclass.REL(p.box(n), touched, rows, p.dims())
		if rel > 0 {
			s.relevant = append(s.relevant, n)
			s.score = append(s.score, equivclass.Similarity(p.at, p.feature(n), rel))
		}
	}
	s.top = equivclass.MostSimilar(s.score, p.policy.Similar, append(s.top[:0], at))
	for i, k := range s.top[1:] {
		s.top[i+1] = s.relevant[k]
	}
	return s.top
}

func (p *localUpdates) box(n int32) equivclass.Box { return boxAt(p.boxes, len(p.at), n) }

// neighbours finds the classes of the region whose centres are nearest to the record, of
// equals the first, by looking at all: at this size that takes less time than an index.
func (p *localUpdates) neighbours() {
	s := &p.scratch
	s.near, s.dist = s.near[:0], s.dist[:0]
	for n := range int32(len(p.slots)) {
		dist := centreDistance(p.box(n), p.at)
		if len(s.near) < p.policy.Neighbours {
			s.near, s.dist = append(s.near, n), append(s.dist, dist)
		} else if len(s.near) == 0 || dist >= s.dist[len(s.dist)-1] {
			continue
		}
		i := len(s.near) - 1
		for ; i > 0 && s.dist[i-1] > dist; i-- {
			s.near[i], s.dist[i] = s.near[i-1], s.dist[i-1]
		}
		s.near[i], s.dist[i] = n, dist
	}
}

// centreDistance is the squared distance of a point to the centre of a box.
func centreDistance(b equivclass.Box, at []float32) float32 {
	sum := float32(0)
	for j, v := range at {
		q := v - (b.Lo[j]+b.Hi[j])/2
		sum += float32(q * q)
	}
	return sum
}

func (p *localUpdates) dims() int {
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
func (p *localUpdates) feature(n int32) []float32 {
	sl, c := &p.slots[n], p.records
	if sl.feature == nil {
		points := c.Pool(p.space, sl.class.Members)
		f := equivclass.FeaturePoint(points, p.scratch.allRows(points.Len()))
		sl.feature = slices.Clone(points.At(f))
	}
	return sl.feature
}
