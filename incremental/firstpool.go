package incremental

import "errors"

// The first pool at level L2.
//
// It is fixed once: by the ends of the source at the first start, or by count
// (initial.max_records; or the least number of records, if the source is shorter than
// that). What it is does not depend on values. If it is refused (rule I, infeasible), it
// stays what it is, and the refusal is stored: a pool that grows after a refusal would show
// that the earlier records alone were not eligible. Afterwards three things are possible: a
// lower l or another diversity, but not a stricter one (RaisedError), for the same pool,
// which is exact, because every test is a function of its bag; quarantine of the whole pool; or growth, after which level L2 is
// not claimed any more.

// fixFirst fixes the first pool if that is still to be done and there are enough records
// for one, and stores it. It must precede the first look at its values. Records may be
// too few although as many arrived as a pool needs: a subject's later ones do not count.
func (m *Machine) fixFirst() error {
	p := &m.head.Pools
	if m.policy.Level != L2 || m.head.InitialDone || p.First > 0 || p.Grown || len(m.planning(false).candidates()) < m.need.Records {
		return nil
	}
	p.First, m.head.changed = m.records.len(), true
	m.need = m.poolNeed()
	return m.Commit()
}

// refuseFirst keeps that the first pool was refused.
func (m *Machine) refuseFirst(err error) error {
	var e *InfeasibleError
	if m.policy.Level != L2 || !errors.As(err, &e) {
		m.first.refuse(err, &m.head, &m.pending, m.records.len(), m.intake.counters.Read)
		return nil
	}
	p := &m.head.Pools
	p.Refused, p.RefusedL, p.RefusedUnder, m.head.changed = true, m.policy.Requirement.L, demands(m.policy.Requirement), true
	if m.policy.OnRefusal != GrowRefused && !p.Grown {
		m.first.refused = e
		return m.Commit()
	}
	p.Grown, p.First = true, 0
	m.need = m.poolNeed()
	m.first.refuse(err, &m.head, &m.pending, m.records.len(), m.intake.counters.Read)
	return m.Commit()
}

// quarantine keeps a pool that is ineligible as a whole: none of its records is ever
// published, and none is in another pool (rule B, buckets).
func (m *Machine) quarantine(pool []RecordID) error {
	m.head.Pools.Decided++
	m.pending.quarantined, m.pending.pools = append(m.pending.quarantined, pool...), m.pending.pools+1
	m.staged.delta.Quarantined = pool
	m.sortPending(pool)
	m.planner.tried(m.head.LastCut)
	m.need = m.poolNeed()
	return m.Commit()
}

// poolNeed is what the next pool needs; zero at level L1.
func (m *Machine) poolNeed() PoolNeed {
	if m.policy.Level != L2 {
		return PoolNeed{}
	}
	return m.sizes.needOf(&m.policy, m.head.Pools, m.values.bag())
}
