package incremental

import (
	"errors"

	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// A pool at level L2 is fixed before it is decided: who is in it, who shares a class and what Merge will see of the
// classes are committed in one transaction before any value of these people is looked at. So whatever ends a process, a
// stop, a crash or a disk without room, and whenever it does, the next one decides the same people with the same draws, which
// are keyed by the pool's number. Otherwise those who know that a process ended, and see a pool of other people, know that
// the earlier one was eligible: an ineligible one would have been quarantined (rule B, buckets; TestBrokenPools).
//
// A fixed pool takes in nobody and loses nobody. Who arrives meanwhile is of a later pool. Who is to be forgotten
// is forgotten when the pool is decided (package erase).
//
// The first pool begins with what the source held at the first start (stored offsets) or with a count
// (initial.max_records), and has as many people as initial.min_pool asks for. What it is does not depend on values. If it
// is refused (rule I, infeasible), it stays what it is, and the refusal is stored: a pool that grows after a refusal would show
// that the earlier records alone were not eligible. Afterwards three things are possible: a
// lower l, another diversity or promise in a new era (settings.go), for the same pool,
// which is exact, because every test is a function of its bag; quarantine of the whole pool; or growth, after which level L2 is
// not claimed any more.

// Fix ends the wait of people who have lapsed, and fixes the next pool, if there is one; neither while one is fixed.
// Decide does so first; alone it serves a replay.
func (m *Machine) Fix(by state.Occasion) error {
	if m.intake.failed {
		return ErrBroken
	}
	if m.s.Head.Pools.Open != nil {
		return nil
	}
	m.staged.closeBlock(&m.s.Records, m.s.Now)
	m.lapse()
	of := m.planner.Fix(m.planning(by))
	if m.s.Interrupt.Asked() { // the plans are incomplete
		m.intake.failed = true
		return state.ErrInterrupted
	}
	if of == nil {
		return nil
	}
	if m.s.Head.Pools.Fixed++; m.s.History.Latest() == nil {
		m.s.Head.Pools.Need = m.planner.Need(settle.Plain).Records
	}
	m.s.Head.Pools.Open, m.s.Head.Pools.Turn, m.s.Head.Changed = of, m.s.Records.StratumOf(of.Members[0]), true
	m.s.FixScale()
	m.attempted(by, state.Fixed)
	return m.Commit()
}

// refuseFirst keeps that the first pool was refused.
func (m *Machine) refuseFirst(by state.Occasion, err error) error {
	var e *plan.InfeasibleError
	if m.s.Policy.Level != state.L2 || !errors.As(err, &e) {
		m.first.refuse(err, &m.s.Head, &m.s.Pending, m.s.Records.Len(), m.intake.counters.Read)
		return nil
	}
	p := &m.s.Head.Pools
	m.attempted(by, state.Refused)
	p.Refused, m.s.Head.Changed = true, true
	if m.s.Policy.OnRefusal != state.GrowRefused && !p.Grown {
		m.first.refused = e
		return m.Commit()
	}
	m.s.Head.ClosePool()
	p.Grown = true
	m.first.refuse(err, &m.s.Head, &m.s.Pending, m.s.Records.Len(), m.intake.counters.Read)
	return m.Commit()
}

// quarantine keeps a pool that is ineligible as a whole: none of its records is ever
// published, and none is in another pool (rule B, buckets).
func (m *Machine) quarantine(pool []state.RecordID) error {
	if m.s.BeforeRelease() {
		m.s.Head.Pools.First = len(pool)
	}
	m.s.Head.ClosePool()
	m.s.Pending.Quarantine(pool)
	m.staged.delta.Quarantined = pool
	m.s.SortPending(pool)
	m.place.Tried(m.s.Head.LastCut)
	m.planner.Published(&m.s)
	return m.Commit()
}
