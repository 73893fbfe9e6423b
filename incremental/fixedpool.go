package incremental

import (
	"errors"
	"fmt"
	"slices"
)

// A pool at level L2 is fixed before it is decided: who is in it, who shares a class and what Merge will see of the
// classes are committed in one transaction before any value of these people is looked at. So whatever ends a process, a
// stop, a crash or a disk without room, and whenever it does, the next one decides the same people with the same draws, which
// are keyed by the pool's number. Otherwise those who know that a process ended, and see a pool of other people, know that
// the earlier one was eligible: an ineligible one would have been quarantined (rule B, buckets; TestBrokenPools).
//
// A fixed pool takes in nobody and loses nobody. Who arrives meanwhile is of a later pool. Who is to be forgotten
// is forgotten when the pool is decided (forget.go).
//
// The first pool begins with what the source held at the first start (stored offsets) or with a count
// (initial.max_records), and has as many people as initial.min_pool asks for. What it is does not depend on values. If it
// is refused (rule I, infeasible), it stays what it is, and the refusal is stored: a pool that grows after a refusal would show
// that the earlier records alone were not eligible. Afterwards three things are possible: a
// lower l or another diversity, but not a stricter one (RaisedError), for the same pool,
// which is exact, because every test is a function of its bag; quarantine of the whole pool; or growth, after which level L2 is
// not claimed any more.

// Fix fixes the next pool, if there is one and none is fixed. Decide does so first; alone it serves a replay.
func (m *Machine) Fix(flush bool) error {
	if m.intake.failed {
		return ErrBroken
	}
	if m.policy.Level != L2 || m.head.Pools.Open != nil {
		return nil
	}
	m.staged.closeBlock(&m.records, m.now)
	p := m.planning(flush)
	plans := p.poolPlans()
	if m.interrupt.asked() { // the plans are incomplete
		m.intake.failed = true
		return ErrInterrupted
	}
	if len(plans) == 0 {
		return nil
	}
	if m.head.Pools.Fixed++; m.history.latest() == nil {
		m.head.Pools.Need = m.pools.need.Records
	}
	m.head.Pools.Open, m.head.changed = p.poolOf(plans), true
	m.fixScale()
	m.attempted(flush, Fixed)
	return m.Commit()
}

// PoolFixed is how many people are in a pool that is fixed and not decided; 0: there is none.
func (m *Machine) PoolFixed() int {
	if p := m.head.Pools.Open; p != nil {
		return len(p.Members)
	}
	return 0
}

// closePool closes the pool that was fixed, with the next commit.
func (h *head) closePool() { h.Pools.Open, h.changed = nil, true }

// refuseFirst keeps that the first pool was refused.
func (m *Machine) refuseFirst(flush bool, err error) error {
	var e *InfeasibleError
	if m.policy.Level != L2 || !errors.As(err, &e) {
		m.first.refuse(err, &m.head, &m.pending, m.records.len(), m.intake.counters.Read)
		return nil
	}
	p := &m.head.Pools
	m.attempted(flush, Refused)
	p.Refused, m.head.changed = true, true
	if m.policy.OnRefusal != GrowRefused && !p.Grown {
		m.first.refused = e
		return m.Commit()
	}
	m.head.closePool()
	p.Grown = true
	m.first.refuse(err, &m.head, &m.pending, m.records.len(), m.intake.counters.Read)
	return m.Commit()
}

// quarantine keeps a pool that is ineligible as a whole: none of its records is ever
// published, and none is in another pool (rule B, buckets).
func (m *Machine) quarantine(pool []RecordID) error {
	if m.beforeRelease() {
		m.head.Pools.First = len(pool)
	}
	m.head.closePool()
	m.pending.quarantine(pool)
	m.staged.delta.Quarantined = pool
	m.sortPending(pool)
	m.planner.tried(m.head.LastCut)
	m.pools.measure(&m.state)
	return m.Commit()
}

// check judges what a store says of a pool.
func (p *Pool) check(c *columns) error {
	if p != nil && slices.ContainsFunc(p.Members, func(r RecordID) bool { return r >= c.len() }) {
		return fmt.Errorf("%w: the pool that is fixed names records that are not there", ErrCorrupt)
	}
	return nil
}

// members are the people of a pool, ascending.
func (p *Pool) members() []RecordID { return slices.Sorted(slices.Values(p.Members)) }
