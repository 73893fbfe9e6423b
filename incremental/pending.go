package incremental

// pendingSet holds the accepted records that are in no published class, each
// list ascending. A record is in exactly one of the lists.
type pendingSet struct {
	waiting     []RecordID
	repeats     []RecordID // rule S: a later record of a subject
	quarantined []RecordID // rule T: of a pool that was ineligible as a whole
	// infeasible says that the records that were passed over although their loss
	// no longer mattered break 1/l by themselves (rule I).
	infeasible bool
	passedOver int // how many they are
}

func (m *Machine) pendingCounts() Pending {
	p := Pending{Waiting: len(m.pending.waiting), Quarantined: len(m.pending.quarantined), SubjectRepeat: len(m.pending.repeats)}
	if m.pending.infeasible {
		p.Waiting -= m.pending.passedOver
		p.Infeasible = m.pending.passedOver
	}
	return p
}

// arrive puts a new record among the pending ones and positions it.
func (m *Machine) arrive(r RecordID, first bool) {
	if !first && m.isRepeat(r) {
		m.pending.repeats = append(m.pending.repeats, r)
		return
	}
	m.pending.waiting = append(m.pending.waiting, r)
	if m.meta.InitialDone && !m.policy.Transparent {
		m.planner.place(&m.records, r)
	}
}

// rebuild makes everything that is derived from the durable state: which record
// is in which class, what is pending, and the plans. An uninterrupted machine
// does the same after each release, so a restart goes on exactly where a
// machine that never stopped would be.
func (m *Machine) rebuild() {
	for i := range m.records.classOf {
		m.records.classOf[i] = none
	}
	for _, c := range m.classes {
		if c.Died == 0 {
			for _, r := range c.Members {
				m.records.classOf[r] = c.ID
			}
		}
	}
	m.sortPending()
	m.replan()
}

// sortPending puts every record that is in no class into the list it belongs
// to, and finds those that were passed over.
func (m *Machine) sortPending() {
	p := &m.pending
	p.waiting, p.repeats = nil, nil
	quarantined := make(map[RecordID]bool, len(p.quarantined))
	for _, r := range p.quarantined {
		quarantined[r] = true
	}
	for r, c := range m.records.classOf {
		r := RecordID(r)
		switch {
		case c != none || quarantined[r]:
		case m.isRepeat(r):
			p.repeats = append(p.repeats, r)
		default:
			p.waiting = append(p.waiting, r)
		}
	}
	m.findPassedOver()
}

// findPassedOver counts the waiting records whose loss no longer mattered at
// the newest cut, and that found no class all the same. If at least k of them
// break 1/l by themselves, they are infeasible (rule I): no partition of them
// can be published, whatever it loses. Fewer than k could not form a class
// anyhow, and a handful always exceeds 1/l by chance.
func (m *Machine) findPassedOver() {
	p := &m.pending
	p.passedOver, p.infeasible = 0, false
	if !m.meta.InitialDone {
		return
	}
	for _, r := range p.waiting {
		if m.meta.CutTick-m.records.arrived(r) < m.policy.MaxHold {
			break
		}
		p.passedOver++
	}
	want := m.policy.Requirement
	p.infeasible = p.passedOver >= want.K && !m.records.bag(p.waiting[:p.passedOver]).Eligible(want.L)
}

// replan forgets all plans, indexes the classes alive, and positions the
// waiting records again in the order of their arrival.
func (m *Machine) replan() {
	m.planner = newPlanner(m)
	if !m.meta.InitialDone || m.policy.Transparent {
		return
	}
	for _, r := range m.pending.waiting {
		m.planner.place(&m.records, r)
	}
}
