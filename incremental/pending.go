package incremental

// pendingSet holds the accepted records that are in no published class, each
// list ascending. A record is in exactly one of the lists.
type pendingSet struct {
	waiting     []RecordID
	repeats     []RecordID // rule S: a later record of a subject
	quarantined []RecordID // of a pool that was ineligible as a whole; the state has them, nothing adds to them (Delta.Quarantined)
	passedOver  int        // how many were passed over although their loss no longer mattered
	// infeasible are the strata (one, without semi-sensitive attributes) whose
	// passed-over records break 1/l by themselves (rule I); stuck counts them.
	infeasible map[flagSet]bool
	stuck      int
	// shortfalls are the promises that passed-over values break by themselves.
	shortfalls []Shortfall
}

func (m *Machine) pendingCounts() Pending {
	p := Pending{Waiting: len(m.pending.waiting), Quarantined: len(m.pending.quarantined), SubjectRepeat: len(m.pending.repeats)}
	p.Waiting -= m.pending.stuck
	p.Infeasible = m.pending.stuck
	return p
}

// arrive puts a new record among the pending ones and positions it.
func (m *Machine) arrive(r RecordID, first bool) {
	if !first && m.isRepeat(r) {
		m.pending.repeats = append(m.pending.repeats, r)
		return
	}
	m.pending.waiting = append(m.pending.waiting, r)
	if m.meta.InitialDone {
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
// the newest cut, and that found no class all the same. If at least k of a
// stratum break 1/l by themselves, they are infeasible (rule I): no partition of
// them can be published, whatever it loses. Fewer than k could not form a class
// anyhow, and a handful always exceeds 1/l by chance.
func (m *Machine) findPassedOver() {
	p := &m.pending
	p.passedOver, p.infeasible, p.stuck, p.shortfalls = 0, nil, 0, nil
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
	for _, s := range m.records.strata(p.waiting[:p.passedOver]) {
		if len(s.records) < want.K || m.records.bag(s.records).Eligible(want.L) {
			continue
		}
		if p.infeasible == nil {
			p.infeasible = map[flagSet]bool{}
		}
		p.infeasible[s.flags] = true
		p.stuck += len(s.records)
	}
	p.shortfalls = m.findShortfalls(p.waiting[:p.passedOver])
}

// replan forgets all plans, indexes the classes alive, and positions the
// waiting records again in the order of their arrival.
func (m *Machine) replan() {
	m.planner = newPlanner(m)
	if !m.meta.InitialDone {
		return
	}
	for _, r := range m.pending.waiting {
		m.planner.place(&m.records, r)
	}
}
