package incremental

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/merge"
)

// Draw gives a test the numbers that one purpose draws in one release.
func (m *Machine) Draw(release uint32, purpose string) uint64 {
	return m.secrets.draw(release, purpose).Uint64()
}

// EachLocalUpdate carries out the local updates that a plan of all that waits would, each
// through around.
func (m *Machine) EachLocalUpdate(around func(update func())) {
	p, waiting := &m.planner, m.pending.waiting
	for _, r := range p.regions(waiting, p.positions(waiting, 1)) {
		u := newLocalUpdates(p, &r)
		u.each(func(s int32) { around(func() { u.localUpdate(s) }) })
	}
}

// PlacesOf returns the class at which each record lies.
func (m *Machine) PlacesOf(records []RecordID) []ClassID {
	return m.planner.positions(records, m.policy.Workers)
}

// Scan looks at every class, at the values themselves.
type Scan struct {
	m      *Machine
	dims   []equivclass.Dim
	domain []float64 // at the newest release
	boxes  map[ClassID][]float64
}

// Scan returns the boxes of the classes alive.
func (m *Machine) Scan() *Scan {
	c := &m.records
	s := &Scan{m: m, dims: c.space(m.history.cut()).Dims, boxes: map[ClassID][]float64{}}
	for _, dim := range s.dims {
		if dim.Kind != equivclass.Number {
			dim.Width = float64(dim.Size - 1)
		}
		s.domain = append(s.domain, dim.Width)
	}
	for _, class := range m.history.classes {
		if class.Died != 0 {
			continue
		}
		for j := range c.schema.D() {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, r := range class.Members {
				lo, hi = min(lo, s.value(j, r)), max(hi, s.value(j, r))
			}
			s.boxes[class.ID] = append(s.boxes[class.ID], lo, hi)
		}
	}
	return s
}

func (s *Scan) value(j int, r RecordID) float64 {
	code := s.m.records.qi(j).At(int(r))
	if dict := s.m.records.qiDict(j); dict.Kind() == equivclass.Number {
		dim := &s.dims[j] // what lies farther outside of the scale is taken as if it were there
		return max(dim.Lo+float64(dim.Least)*dim.Width, min(float64(dict.Units(code)), dim.Lo+farthest*dim.Width))
	}
	return float64(code)
}

// Nearest returns the least distance of a record to a class, and the first class that holds
// the record; none if no class does.
func (s *Scan) Nearest(r RecordID) (least float64, holds ClassID) {
	least, holds = math.Inf(1), none
	for id := range ClassID(len(s.m.history.classes)) {
		if s.boxes[id] == nil {
			continue
		}
		d := s.Distance(r, id)
		if least = min(least, d); d == 0 && holds == none {
			holds = id
		}
	}
	return least, holds
}

// Distance is the squared distance of a record to a class, in shares of the domain, of
// which a gap counts two at most.
func (s *Scan) Distance(r RecordID, class ClassID) (sum float64) {
	for j, domain := range s.domain {
		v, box := s.value(j, r), s.boxes[class][2*j:]
		if gap := max(box[0]-v, v-box[1]); gap > 0 && domain > 0 {
			sum += min(2, gap/domain) * min(2, gap/domain)
		}
	}
	return sum
}

// PlanLoss plans all that waits, by local updates and a pool of the rest or as one pool, and
// returns the mean loss, a record in no plan losing 1.
func (m *Machine) PlanLoss(local bool) float64 {
	p, plans, todo := m.planning(false), []plan(nil), m.pending.waiting
	if local {
		plans, todo = p.planner.plan(todo)
	}
	more, rest := p.records.partition(p.records.space(p.records.len()), todo, p.policy.Local, p.policy.Local, p.policy.Requirement)
	return cost(append(plans, more...), len(rest)) / float64(len(m.pending.waiting))
}

// Dead returns how many classes died.
func (m *Machine) Dead() int { return len(m.history.classes) - m.history.alive() }

// LocalPlans returns the classes that local updates plan, as a cut asks for them
// when more wait than it partitions anew.
func (m *Machine) LocalPlans() (classes [][]RecordID) {
	plans, _ := m.planner.plan(m.pending.waiting)
	for _, p := range plans {
		classes = append(classes, p.members)
	}
	return classes
}

// Flush is Cut at the end of a source, as the host makes it of Decide and Enact.
func (m *Machine) Flush(createdAt int64, policy [32]byte) (*Intent, error) {
	d, err := m.Decide(true)
	if err != nil {
		return nil, err
	}
	return m.Enact(d, createdAt, policy)
}

// Small gives a test the draws and the sizes of pools: what decides on published values
// how many records the next pool needs, and the classes of a sub-pool.
func (m *Machine) Small(draws func(merge.Key) merge.Draws, minPool func(merge.Bag, int) (int, bool), subPool int) {
	m.pools.draws, m.pools.sizes = draws, sizes{minPool, subPool}
	m.pools.measure(&m.state)
}

// CutAs makes a release of the blind classes of all that waits, in the buckets that form
// makes of them, each a list of classes; none: nothing is published. It is for rules that
// are broken on purpose.
func (m *Machine) CutAs(form func(classes [][]RecordID) (buckets [][]int)) (*Intent, error) {
	m.staged.closeBlock(&m.records, m.now)
	p := m.planning(false)
	plans, _ := p.records.blind(p.records.space(p.records.len()), p.candidates(), p.policy.Requirement.K, 1, nil)
	slices.SortFunc(plans, func(a, b plan) int { return cmp.Compare(a.members[0], b.members[0]) })
	classes := make([][]RecordID, len(plans))
	for i, pl := range plans {
		classes[i] = pl.members
	}
	d := decision{}
	for i, bucket := range form(classes) {
		for _, class := range bucket {
			d.births = append(d.births, &Class{Regime: Frozen, Bucket: p.bucket + BucketID(i+1), Members: classes[class]})
		}
	}
	return m.Enact(&Decision{decision: d}, 1, [32]byte{})
}

// CutOf is Cut with those of the blind classes of all that waits which choose takes.
func (m *Machine) CutOf(choose func(class []RecordID) bool) (*Intent, error) {
	m.staged.closeBlock(&m.records, m.now)
	p := m.planning(false)
	plans, _ := p.records.blind(p.records.space(p.records.len()), p.candidates(), p.policy.Requirement.K, 1, nil)
	plans = slices.DeleteFunc(plans, func(pl plan) bool { return !choose(pl.members) })
	if len(plans) == 0 {
		return nil, nil
	}
	m.head.Pools.Fixed++ // every pool has draws of its own
	d, err := p.pool(p.poolOf(plans))
	if err != nil {
		return nil, err
	}
	return m.Enact(&Decision{decision: d}, 1, [32]byte{})
}

// MeasureOf measures numbers by some of the records, and keeps that.
func (m *Machine) MeasureOf(records []RecordID) {
	dicts, columns := m.records.measured()
	for j := range columns {
		var of []equivclass.Code
		for _, r := range records {
			of = append(of, columns[j].At(int(r)))
		}
		columns[j] = equivclass.ColumnOf(of)
	}
	m.records.scale = equivclass.ScalesOf(dicts, columns, len(records))
	m.head.Scale, m.head.changed = m.records.scale, true
}

// Unfix forgets who is in the pool that is fixed: the next cut plans another one.
func (m *Machine) Unfix() { m.head.closePool() }

// Redraw gives the pool that is fixed another number, and so other draws.
func (m *Machine) Redraw() { m.head.Pools.Fixed++ }

// Together reports whether two classes of a decision share a bucket.
func (d *Decision) Together(a, b int) bool {
	return len(d.births) > max(a, b) && d.births[a].Bucket == d.births[b].Bucket
}

// CarryOver lets quarantined records wait again.
func (m *Machine) CarryOver() {
	m.pending.quarantined, m.pending.pools = nil, 0
	m.pending.sort(&m.records)
	m.sortPending(nil)
}

// Unbar breaks the machine: it forgets who is barred.
func (m *Machine) Unbar() { m.barred = barred{} }
