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

// JustUpdated reports whether the newest record applied triggered a local update.
func (m *Machine) JustUpdated() bool {
	p := &m.planner
	return len(p.slots) > 0 && p.fresh[p.index.leaf[p.index.position(p.at)]] == 0
}
