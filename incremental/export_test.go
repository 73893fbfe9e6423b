package incremental

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/local"
	"anond/incremental/place"
	"anond/incremental/plan"
	"anond/incremental/pools"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Draw gives a test the numbers that one purpose draws in one release.
func (m *Machine) Draw(release uint32, purpose string) uint64 {
	return m.s.Secrets.Draw(release, purpose).Uint64()
}

// EachLocalUpdate carries out the local updates that a plan of all that waits would, each
// through around.
func (m *Machine) EachLocalUpdate(around func(update func())) {
	p, waiting := local.Planning{Cut: m.planning(state.Triggered)}, m.s.Pending.Waiting
	for _, r := range p.Regions(waiting, p.Place.Positions(waiting, 1)) {
		u := local.NewLocalUpdates(p, &r)
		u.Each(func(s int32) { around(func() { u.LocalUpdate(s) }) })
	}
}

// PlacesOf returns the class at which each record lies.
func (m *Machine) PlacesOf(records []state.RecordID) []state.ClassID {
	return m.place.Positions(records, m.s.Policy.Workers)
}

// Scan looks at every class, at the values themselves.
type Scan struct {
	m      *Machine
	dims   []equivclass.Dim
	domain []float64 // at the newest release
	boxes  map[state.ClassID][]float64
}

// Scan returns the boxes of the classes alive.
func (m *Machine) Scan() *Scan {
	c := &m.s.Records
	s := &Scan{m: m, dims: c.Space(m.s.History.Cut()).Dims, boxes: map[state.ClassID][]float64{}}
	for _, dim := range s.dims {
		if dim.Kind != equivclass.Number {
			dim.Width = float64(dim.Size - 1)
		}
		s.domain = append(s.domain, dim.Width)
	}
	for _, class := range m.s.History.Classes {
		if class.Died != 0 {
			continue
		}
		for j := range c.Schema.D() {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, r := range class.Members {
				lo, hi = min(lo, s.value(j, r)), max(hi, s.value(j, r))
			}
			s.boxes[class.ID] = append(s.boxes[class.ID], lo, hi)
		}
	}
	return s
}

func (s *Scan) value(j int, r state.RecordID) float64 {
	code := s.m.s.Records.Qi(j).At(int(r))
	if dict := s.m.s.Records.QiDict(j); dict.Kind() == equivclass.Number {
		dim := &s.dims[j] // what lies farther outside of the scale is taken as if it were there
		return max(dim.Lo+float64(dim.Least)*dim.Width, min(float64(dict.Units(code)), dim.Lo+place.Farthest*dim.Width))
	}
	return float64(code)
}

// Nearest returns the least distance of a record to a class, and the first class that holds
// the record; none if no class does.
func (s *Scan) Nearest(r state.RecordID) (least float64, holds state.ClassID) {
	least, holds = math.Inf(1), state.None
	for id := range state.ClassID(len(s.m.s.History.Classes)) {
		if s.boxes[id] == nil {
			continue
		}
		d := s.Distance(r, id)
		if least = min(least, d); d == 0 && holds == state.None {
			holds = id
		}
	}
	return least, holds
}

// Distance is the squared distance of a record to a class, in shares of the domain, of
// which a gap counts two at most.
func (s *Scan) Distance(r state.RecordID, class state.ClassID) (sum float64) {
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
func (m *Machine) PlanLoss(locally bool) float64 {
	p, plans, todo := local.Planning{Cut: m.planning(state.Triggered)}, []plan.Plan(nil), m.s.Pending.Waiting
	if locally {
		plans, todo = p.Plan(todo)
	}
	more, rest := plan.Partition(p.Records, p.Records.Space(p.Records.Len()), todo, p.Policy.Local, p.Policy.Local, p.Policy.Requirement)
	return plan.Cost(append(plans, more...), len(rest)) / float64(len(m.s.Pending.Waiting))
}

// Dead returns how many classes died.
func (m *Machine) Dead() int {
	return len(m.s.History.Classes) - m.s.History.Alive(m.s.History.Expired())
}

// LocalPlans returns the classes that local updates plan, as a cut asks for them
// when more wait than it partitions anew.
func (m *Machine) LocalPlans() (classes [][]state.RecordID) {
	plans, _ := local.Planning{Cut: m.planning(state.Triggered)}.Plan(m.s.Pending.Waiting)
	for _, p := range plans {
		classes = append(classes, p.Members)
	}
	return classes
}

// Flush is Cut at the end of a source, as the host makes it of Decide and Enact.
func (m *Machine) Flush(createdAt int64, policy [32]byte) (*state.Intent, error) {
	d, err := m.Decide(state.AtEnd)
	if err != nil {
		return nil, err
	}
	return m.Enact(d, createdAt, policy)
}

// Small gives a test the draws and the sizes of pools: what decides on published values
// how many records the next pool needs, and the classes of a sub-pool.
func (m *Machine) Small(draws func(merge.Key) merge.Draws, minPool func(merge.Bag, int) (int, bool), subPool int) {
	if p, ok := m.planner.(*pools.Planner); ok {
		p.Draws, p.Sizes.SubPool = draws, subPool
		p.Sizes.Need = func(_ promise.Attributes, published merge.Bag, _ int) promise.Need {
			n, possible := minPool(published, m.s.Policy.Requirement.L)
			return promise.Need{People: n, Possible: possible, Kept: possible}
		}
		p.Published(&m.s)
	}
}

// CutAs makes a release of the blind classes of all that waits, in the buckets that form
// makes of them, each a list of classes; none: nothing is published. It is for rules that
// are broken on purpose.
func (m *Machine) CutAs(form func(classes [][]state.RecordID) (buckets [][]int)) (*state.Intent, error) {
	m.staged.closeBlock(&m.s.Records, m.s.Now)
	p := m.planner.(*pools.Planner).Planning(m.planning(state.Triggered), settle.Plain)
	plans, _ := pools.Blind(p.Records, p.Records.Space(p.Records.Len()), p.Candidates(), p.Policy.Requirement.K, 1, nil)
	slices.SortFunc(plans, func(a, b plan.Plan) int { return cmp.Compare(a.Members[0], b.Members[0]) })
	classes := make([][]state.RecordID, len(plans))
	for i, pl := range plans {
		classes[i] = pl.Members
	}
	d := state.Decision{}
	for i, bucket := range form(classes) {
		for _, class := range bucket {
			d.Births = append(d.Births, &state.Class{Regime: state.Frozen, Bucket: p.Bucket + state.BucketID(i+1), Members: classes[class]})
		}
	}
	return m.Enact(&Decision{of: d}, 1, [32]byte{})
}

// CutOf is Cut with those of the blind classes of all that waits which choose takes.
func (m *Machine) CutOf(choose func(class []state.RecordID) bool) (*state.Intent, error) {
	m.staged.closeBlock(&m.s.Records, m.s.Now)
	p := m.planner.(*pools.Planner).Planning(m.planning(state.Triggered), settle.Plain)
	plans, _ := pools.Blind(p.Records, p.Records.Space(p.Records.Len()), p.Candidates(), p.Policy.Requirement.K, 1, nil)
	plans = slices.DeleteFunc(plans, func(pl plan.Plan) bool { return !choose(pl.Members) })
	if len(plans) == 0 {
		return nil, nil
	}
	m.s.Head.Pools.Fixed++ // every pool has draws of its own
	d, err := p.Pool(p.PoolOf(plans))
	if err != nil {
		return nil, err
	}
	return m.Enact(&Decision{of: d}, 1, [32]byte{})
}

// MeasureOf measures numbers by some of the records, and keeps that.
func (m *Machine) MeasureOf(records []state.RecordID) {
	dicts, columns := m.s.Records.Measured()
	for j := range columns {
		var of []equivclass.Code
		for _, r := range records {
			of = append(of, columns[j].At(int(r)))
		}
		columns[j] = equivclass.ColumnOf(of)
	}
	m.s.Records.Scale = equivclass.ScalesOf(dicts, columns, len(records))
	m.s.Head.Scale, m.s.Head.Changed = m.s.Records.Scale, true
}

// Unfix forgets who is in the pool that is fixed: the next cut plans another one.
func (m *Machine) Unfix() { m.s.Head.ClosePool() }

// Redraw gives the pool that is fixed another number, and so other draws.
func (m *Machine) Redraw() { m.s.Head.Pools.Fixed++ }

// Together reports whether two classes of a decision share a bucket.
func (d *Decision) Together(a, b int) bool {
	return len(d.of.Births) > max(a, b) && d.of.Births[a].Bucket == d.of.Births[b].Bucket
}

// CarryOver lets quarantined records wait again.
func (m *Machine) CarryOver() {
	m.s.Pending.Quarantined, m.s.Pending.Pools = nil, 0
	m.s.Sort()
	m.s.SortPending(nil)
}

// Unbar breaks the machine: it forgets who is barred.
func (m *Machine) Unbar() { m.s.Known = state.People{} }

// NewcomerShare gives a test the share of those who stay behind that newcomers must be.
func (m *Machine) NewcomerShare(of int) { m.planner.(*pools.Planner).Sizes.Newcomers = of }

// Ask is Cut by an operator.
func (m *Machine) Ask(createdAt int64, policy [32]byte) (*state.Intent, error) {
	d, err := m.Decide(state.Asked)
	if err != nil {
		return nil, err
	}
	return m.Enact(d, createdAt, policy)
}

// LossSince is the mean loss of those who were published from a release on, and how many ticks they waited.
func (m *Machine) LossSince(release uint32) (loss, hold float64) {
	published := 0
	space, at := m.s.Records.Space(m.s.Records.Len()), map[uint32]int64{}
	for _, i := range m.s.History.Intents {
		at[i.Release] = i.CreatedAt
	}
	for _, c := range m.s.History.Classes {
		if c.Born < release {
			continue
		}
		loss += float64(len(c.Members)) * lossOf(&m.s.Records, space, c.Members)
		for _, r := range c.Members {
			hold += float64(at[c.Born] + 1 - m.s.Records.Arrived(r))
		}
		published += len(c.Members)
	}
	return loss / float64(published), hold / float64(published)
}

// SecondStart breaks the machine: it forgets who has lapsed, and that they were there.
func (m *Machine) SecondStart() {
	c := &m.s.Records
	for r := range c.Len() {
		if m.s.Why(c.Subject[r])&state.Lapsed != 0 {
			c.Subject[r] = ^c.Subject[r]
		}
	}
	m.s.Known = state.People{}
}

// SecondStartOfWhoLeft breaks the machine: it forgets who was in the parts that have left.
func (m *Machine) SecondStartOfWhoLeft() {
	for r, class := range m.s.Records.ClassOf {
		if class != state.None && m.s.History.Classes[class].Born <= m.s.History.Expired() {
			m.s.Records.Subject[r] = ^m.s.Records.Subject[r]
		}
	}
}

// LapseOf breaks the machine: of those who wait these have lapsed.
func (m *Machine) LapseOf(lapsed func(state.RecordID) bool) {
	var waiting []state.RecordID
	for _, r := range m.s.Pending.Waiting {
		if lapsed(r) {
			m.seen.add(state.Lapsed, m.s.Secrets.Person(m.s.Records.Subject[r]))
			m.s.Pending.Beyond++
		} else {
			waiting = append(waiting, r)
		}
	}
	m.s.Pending.Waiting = waiting
}

// NeedOf is what the next pool of a stratum needs.
func (m *Machine) NeedOf(of settle.Stratum) *plan.PoolNeed {
	need := m.planner.Need(of)
	need.Missing = m.planner.Missing(cutOf(&m.s, &m.place, state.Triggered), of)
	return need
}

// FixedPool is who is in the pool that is fixed; none: no pool is.
func (m *Machine) FixedPool() []state.RecordID {
	if m.s.Head.Pools.Open == nil {
		return nil
	}
	return m.s.Head.Pools.Open.People()
}

// Restratify breaks the machine: it puts people into other strata.
func (m *Machine) Restratify(to func(settle.Stratum) settle.Stratum) {
	for r, s := range m.s.Records.Stratum {
		m.s.Records.Stratum[r] = to(s)
	}
	m.s.Sort()
	m.s.SortPending(nil)
}

// Ungrown breaks the machine: it forgets that a hierarchy has grown.
func (m *Machine) Ungrown() { m.s.Head.Epoch = 0 }

// Window breaks the machine: of who comes from now on windows have another length.
func (m *Machine) Window(of int64) { m.s.Open.Rule.For = of }

// Correct breaks the machine: it gives a record the value of another one, and has judged pools judged again.
func (m *Machine) Correct(r, like state.RecordID) {
	column := &m.s.Records.Columns[m.s.Schema.SensitiveIndex()]
	codes := slices.Clone(column.Codes())
	codes[r] = codes[like]
	*column = equivclass.ColumnOf(codes)
	m.CarryOver()
}

// StratumOf is the stratum of a record.
func (m *Machine) StratumOf(r state.RecordID) settle.Stratum { return m.s.Records.StratumOf(r) }
