package incremental

import (
	"cmp"
	"slices"

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
	m.draws, m.sizes = draws, sizes{minPool, subPool}
	m.need = m.poolNeed()
}

// CutAs makes a release of the blind classes of all that waits, in the buckets that form
// makes of them, each a list of classes; none: nothing is published. It is for rules that
// are broken on purpose.
func (m *Machine) CutAs(form func(classes [][]RecordID) (buckets [][]int)) (*Intent, error) {
	m.staged.closeBlock(&m.records, m.now)
	p := m.planning(false)
	plans, _ := p.records.blind(p.records.space(p.records.len()), p.candidates(), p.policy.Requirement.K, 1)
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
	plans, _ := p.records.blind(p.records.space(p.records.len()), p.candidates(), p.policy.Requirement.K, 1)
	plans = slices.DeleteFunc(plans, func(pl plan) bool { return !choose(pl.members) })
	if len(plans) == 0 {
		return nil, nil
	}
	d, err := p.pool(plans)
	if err != nil {
		return nil, err
	}
	return m.Enact(&Decision{decision: d}, 1, [32]byte{})
}

// CarryOver lets quarantined records wait again.
func (m *Machine) CarryOver() {
	m.pending.quarantined = nil
	m.pending.sort(&m.records)
	m.sortPending(nil)
}
