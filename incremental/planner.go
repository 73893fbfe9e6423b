package incremental

import (
	"anond/equivclass"
)

// planner positions waiting records at published classes and plans new classes
// around them. It never touches a published class: a plan is made of waiting
// records alone and may be made anew at any time (design: planned classes). Its
// content is a function of the published classes and of the waiting records in
// order of arrival.
type planner struct {
	policy *Policy
	space  *equivclass.Space
	index  *index
	slots  []slot  // the classes alive, in order of ID
	fresh  []int32 // by leaf: updates since its last local update
	loose  int     // updates since the last try while there is no class yet
	at     []float32
	// planned counts records in plans.
	planned int
	scratch localScratch
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

func newPlanner(m *Machine) planner {
	p := planner{policy: &m.policy, at: make([]float32, len(m.records.qi))}
	p.scratch.at = make([]float32, len(m.records.qi))
	if !m.meta.InitialDone {
		return p
	}
	cut := RecordID(0)
	if i := m.Latest(); i != nil {
		cut = i.Cut
	}
	p.space = m.records.space(cut)
	d := len(m.records.qi)
	var boxes []float32
	for _, c := range m.classes {
		if c.Died == 0 {
			p.slots = append(p.slots, slot{class: c})
			boxes = append(boxes, m.records.box(p.space, c.Members)...)
		}
	}
	p.index = buildIndex(d, boxes)
	p.fresh = make([]int32, len(p.index.nodes))
	return p
}

// box returns the bounding box of records as lo..., hi...
func (c *columns) box(space *equivclass.Space, members []RecordID) []float32 {
	d := len(c.qi)
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
// contains it, else the nearest) and runs a local update once more than the
// threshold of updates have gathered in the neighbourhood, which for counting
// is the leaf of the index that holds the class. Cost: one search; amortized
// over threshold records, one local update.
func (p *planner) place(c *columns, r RecordID) {
	if len(p.slots) == 0 {
		p.loose++
		return
	}
	c.coords(p.space, r, p.at)
	s := p.index.position(p.at)
	p.slots[s].here = append(p.slots[s].here, r)
	leaf := p.index.leaf[s]
	if p.fresh[leaf]++; int(p.fresh[leaf]) > p.policy.Threshold {
		p.fresh[leaf] = 0
		p.localUpdate(c, s)
	}
}

// due reports whether an update has gathered enough that a release may have
// something to publish (trigger `update`).
func (p *planner) due() bool { return p.planned > 0 || p.loose > p.policy.Threshold }
