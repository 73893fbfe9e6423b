package incremental

import (
	"slices"

	"anond/equivclass"
)

// planner positions waiting records at published classes and plans new classes
// around them. It never changes a published class: a plan consists of waiting records
// alone and may be made anew at any time (docs/ARCHITECTURE.md, The data's way). Its
// content is a function of the published classes and of the waiting records in
// order of arrival.
//
// A record is positioned at once; the local update that it makes due is carried out
// when a cut asks for plans. An earlier plan would not be visible to anyone. A plan
// made once, over all that has gathered, loses less and costs less than plans made
// anew after every k records.
type planner struct {
	policy *Policy
	space  *equivclass.Space // of the quasi-identifiers
	wide   *equivclass.Space // and of the semi-sensitive attributes
	index  *index
	slots  []slot   // the classes alive, in order of ID
	fresh  []int32  // by leaf: updates that have gathered since the newest cut tried
	since  RecordID // records from there on count as updates: they arrived after that cut
	ready  int      // leaves in which more than the threshold have gathered
	loose  int      // updates since the newest cut tried while there is no class yet
	made   Updates
	// placed are the records positioned, in order, and the slots they lie at.
	placed   []RecordID
	placedAt []int32
	at       []float32
	scratch  localScratch
}

// slot is a published class as the planner sees it.
type slot struct {
	class   *Class
	feature []float32  // coordinates of the feature point; nil: not computed yet
	here    []RecordID // waiting records positioned at the class and in no plan
	plans   []plan     // planned classes that lie at the class
}

// plan is a planned class: waiting records that satisfy the requirement.
type plan struct {
	members []RecordID
	loss    float64
}

// newPlanner returns a planner for d quasi-identifiers that counts records from
// since on as updates. Before it knows classes it only counts.
func newPlanner(policy *Policy, d int, since RecordID) planner {
	p := planner{policy: policy, since: since, at: make([]float32, d)}
	p.scratch.at = make([]float32, d)
	return p
}

// lay indexes the classes alive, in the space of the records below the cut of the
// newest release, and positions the waiting records in the order of their arrival.
func (p *planner) lay(c *columns, h *history, waiting []RecordID) {
	p.wide = c.space(h.cut())
	p.space = c.narrow(p.wide)
	var boxes []float32
	for _, class := range h.classes {
		if class.Died == 0 {
			p.slots = append(p.slots, slot{class: class})
			boxes = append(boxes, c.box(p.space, class.Members)...)
		}
	}
	p.index = buildIndex(c.schema.D(), boxes)
	p.fresh = make([]int32, len(p.index.nodes))
	for _, r := range waiting {
		p.place(c, r)
	}
}

// box returns the bounding box of records as lo..., hi...
func (c *columns) box(space *equivclass.Space, members []RecordID) []float32 {
	d := c.schema.D()
	flat := make([]float32, 2*d)
	b, x := boxAt(flat, d, 0), make([]float32, d)
	c.coords(space, members[0], b.Lo)
	copy(b.Hi, b.Lo)
	for _, r := range members[1:] {
		c.coords(space, r, x)
		b.Extend(x)
	}
	return flat
}

// place positions a waiting record at its class (Wang et al. IV.B: a box that
// contains it, else the nearest) and makes a local update due once more than the
// threshold of updates have gathered in the neighbourhood, which for counting
// is the leaf of the index that holds the class. Cost: one search.
func (p *planner) place(c *columns, r RecordID) {
	fresh := r >= p.since
	if len(p.slots) == 0 {
		if fresh {
			p.loose++
		}
		return
	}
	c.coords(p.space, r, p.at)
	s := p.index.position(p.at)
	p.slots[s].here = append(p.slots[s].here, r)
	p.placed, p.placedAt = append(p.placed, r), append(p.placedAt, s)
	if !fresh {
		return
	}
	leaf := p.index.leaf[s]
	if p.fresh[leaf]++; int(p.fresh[leaf]) == p.policy.Threshold+1 {
		p.ready++
	}
}

// due reports whether updates have gathered such that a local update is due, and
// a release may have something to publish (trigger `update`).
func (p *planner) due() bool { return p.ready > 0 || p.loose > p.policy.Threshold }

// tried starts the counts anew after a cut that published nothing.
func (p *planner) tried() {
	clear(p.fresh)
	p.ready, p.loose = 0, 0
}

// plan carries out the local updates of every neighbourhood in which more than
// the threshold wait, in the order of the classes, and returns the classes
// planned and the records in none. The planner itself is left as it was, so that
// the next cut plans from the same start, a restarted machine's too. Cost: a
// bounded local update for each k records that wait.
func (p *planner) plan(c *columns) (plans []plan, rest []RecordID) {
	waiting := make([]int, len(p.index.nodes))
	for s := range p.slots {
		waiting[p.index.leaf[s]] += len(p.slots[s].here)
	}
	for s := range p.slots {
		if waiting[p.index.leaf[s]] > p.policy.Threshold {
			p.updateAt(c, int32(s))
		}
	}
	for s := range p.slots {
		if len(p.slots[s].plans) > 0 {
			p.made.Classes++
		}
		plans = append(plans, p.slots[s].plans...)
		rest = append(rest, p.slots[s].here...)
	}
	p.forget()
	slices.Sort(rest)
	return plans, rest
}

// updateAt runs local updates around the newest record at a class as long as
// they place something.
func (p *planner) updateAt(c *columns, s int32) {
	for n := len(p.slots[s].here); n > 0; n = len(p.slots[s].here) {
		c.coords(p.space, p.slots[s].here[n-1], p.at)
		p.localUpdate(c, s)
		p.made.Updates++
		if len(p.slots[s].here) >= n {
			return
		}
	}
}

// forget dissolves all plans: their records wait where they were positioned.
func (p *planner) forget() {
	for s := range p.slots {
		p.slots[s].plans, p.slots[s].here = nil, p.slots[s].here[:0]
	}
	for i, r := range p.placed {
		s := &p.slots[p.placedAt[i]]
		s.here = append(s.here, r)
	}
}
