package incremental

import "anond/equivclass/merge"

// Draw gives a test the numbers that one purpose draws in one release.
func (m *Machine) Draw(release uint32, purpose string) uint64 {
	return m.secrets.draw(release, purpose).Uint64()
}

// EachLocalUpdate carries out the local updates that plan would, each through
// around, and forgets the plans again.
func (m *Machine) EachLocalUpdate(around func(update func())) {
	p := &m.planner
	for s := range p.slots {
		for n := len(p.slots[s].here); n > 0; {
			m.records.coords(p.space, p.slots[s].here[n-1], p.at)
			around(func() { p.localUpdate(&m.records, int32(s)) })
			left := len(p.slots[s].here)
			if left >= n {
				break
			}
			n = left
		}
	}
	p.forget()
}

// LocalPlans returns the classes that local updates plan, as a cut asks for them
// when more wait than it partitions anew.
func (m *Machine) LocalPlans() (classes [][]RecordID) {
	plans, _ := m.planner.plan(&m.records)
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
