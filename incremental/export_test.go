package incremental

// CutPool is Cut in transparent mode for a pool that rule T calls too small to
// be admitted: worlds can be enumerated for tiny pools only. coins takes the
// place of the secret draw; nil draws.
func (m *Machine) CutPool(createdAt int64, coins func(n int, swap func(i, j int))) (*Intent, error) {
	return m.cut(func() (decision, error) {
		if coins == nil {
			coins = m.draw(uint32(len(m.intents)+1), "deal").Shuffle
		}
		if len(m.pending.waiting) < m.policy.Requirement.K {
			return decision{}, nil
		}
		return m.admitPool(coins), nil
	}, createdAt, [32]byte{})
}

// Draw gives a test the numbers that one purpose draws in one release.
func (m *Machine) Draw(release uint32, purpose string) uint64 {
	return m.draw(release, purpose).Uint64()
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
