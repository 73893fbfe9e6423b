package incremental

import (
	"fmt"

	"anond/internal/fault"
)

// ErrUnpublished: the newest release is decided but not published yet.
var ErrUnpublished = fault.Errorf(fault.Failed, "start anond run, which finishes the release, and run it again",
	"the release before is not published yet")

// Cut decides what the next release publishes, of the records applied so far,
// and commits the intent together with everything not committed yet. It returns
// nil if nothing is newly publishable: the release is skipped. The first cut
// with anything to publish ends the first load; a refused one (InfeasibleError)
// leaves the machine as it was, and what is staged is committed by Commit.
//
// createdAt is the moment in Unix seconds that the manifest will carry; policy
// the digest of schema, policy and recoding.
func (m *Machine) Cut(createdAt int64, policy [32]byte) (*Intent, error) {
	d, err := m.Decide(false)
	if err != nil {
		return nil, err
	}
	return m.Enact(d, createdAt, policy)
}

// Decision is what a cut would publish. It holds for the records applied when it
// was made: nothing may be applied between Decide and Enact.
type Decision struct {
	decision
	flushing bool
	// unchanged: the first load has not grown since a cut found nothing to publish,
	// so this one would not either.
	unchanged bool
}

// Decide is the first part of a cut, or of a flush, and takes nearly all the time. A
// flush is a cut at the end of a source: no record waits for a better class, because
// no more records will come. Without new records and without anything publishable it
// changes nothing, so that it may be repeated. Decide keeps nothing: after ErrInterrupted, or if the decision is thrown away, the same
// state decides the same again. It does not touch the store, but at level L2 for what the
// pool is, and that the first one is refused (fixedpool.go).
func (m *Machine) Decide(flush bool) (*Decision, error) {
	if m.intake.failed {
		return nil, ErrBroken
	}
	if m.history.unpublished() != nil {
		return nil, ErrUnpublished
	}
	m.staged.closeBlock(&m.records, m.now)
	if m.first.growing && m.newSinceCut() == 0 {
		return &Decision{unchanged: true}, nil
	}
	if err := m.Fix(flush); err != nil {
		return nil, err
	}
	d, err := m.planning(flush).decide()
	if m.interrupt.asked() { // the result is incomplete, whatever it is
		m.intake.failed = true
		return nil, ErrInterrupted
	}
	if err != nil {
		if failed := m.refuseFirst(flush, err); failed != nil {
			return nil, failed
		}
		return nil, err
	}
	return &Decision{decision: d, flushing: flush}, nil
}

// planning is what a cut may look at now.
func (m *Machine) planning(flush bool) *planning {
	m.measure()
	return &planning{
		policy: &m.policy, records: &m.records, classes: m.history.classes, pending: &m.pending, planner: &m.planner, secrets: &m.secrets,
		admission: newAdmission(&m.records, &m.history, m.policy.MaxHold, m.now),
		release:   m.history.releases() + 1, flushing: flush,
		head: &m.head, need: m.pools.need, fresh: m.newSinceCut(), bucket: m.history.bucket, draws: m.pools.draws, sizes: m.pools.sizes,
		progress: m.progress,
	}
}

// Enact is the second part of a cut: it commits what was decided.
func (m *Machine) Enact(made *Decision, createdAt int64, policy [32]byte) (*Intent, error) {
	d := made.decision
	if made.unchanged {
		return nil, m.Commit()
	}
	if len(d.pool) > 0 {
		m.countCut(made.flushing, Quarantined)
		return nil, m.quarantine(d.pool)
	}
	if m.policy.Level == L2 && m.beforeRelease() && len(d.births) == 0 && !m.head.Pools.Grown {
		return nil, m.Commit() // fewer records than the first pool needs
	}
	if m.beforeRelease() && len(d.births) == 0 {
		m.first.grow(&m.head, &m.pending, m.records.len(), m.intake.counters.Read)
		return nil, m.Commit()
	}
	if made.flushing && m.head.InitialDone && m.newSinceCut() == 0 && len(d.births) == 0 {
		return nil, m.Commit()
	}
	if err := newVerifier(&m.state, d.references).verify(d); err != nil {
		return nil, err
	}
	if len(d.births) == 0 {
		m.countCut(made.flushing, Skipped)
		m.sortPending(nil)
		m.planner.tried(m.head.LastCut)
		return nil, m.Commit()
	}
	m.countCut(made.flushing, Released)
	return m.commitIntent(d, createdAt, policy)
}

// countCut advances the machine's own clock and ends the first load.
func (m *Machine) countCut(flush bool, outcome CutOutcome) {
	m.attempted(flush, outcome)
	m.first = firstLoad{}
	m.head.countCut(m.now, m.records.len(), m.intake.counters.Read)
	if m.policy.HoldInCuts {
		m.now = m.head.Tick
	}
}

func (m *Machine) commitIntent(d decision, createdAt int64, policy [32]byte) (*Intent, error) {
	newcomers := 0
	for _, c := range d.births {
		for _, r := range c.Members {
			if m.records.classOf[r] == none {
				newcomers++
			}
		}
	}
	deaths := m.history.enter(d)
	// The intent comes first: records are positioned in the space of its cut, as by a
	// machine that opens this state.
	m.head.closePool()
	m.head.fixReferences(d.references)
	m.fixScale()
	m.policy.Requirement = withReference(m.policy.Requirement, m.schema, m.head.References)
	m.history.intents = append(m.history.intents,
		Intent{Release: m.history.releases() + 1, Cut: m.records.len(), CreatedAt: createdAt, Policy: policy, Newcomers: newcomers})
	m.history.settle(m.records.classOf, d.births)
	m.sortPending(nil)
	m.pools.publish(&m.state, d.births)
	m.planner.released(m.head.LastCut)
	intent := m.history.latest()
	intent.Records, intent.Classes, intent.Pending = m.published(), m.history.alive(), m.pending.counts()
	m.staged.cut(d.births, deaths, *intent)
	if err := m.Commit(); err != nil {
		return nil, err
	}
	return intent, nil
}

// rebuild makes everything that is derived from the durable state: which record
// is in which class, and what is pending. After a release the same follows from what it
// changed, so a restarted machine goes on exactly as one that never stopped.
func (m *Machine) rebuild() {
	m.history.settle(m.records.classOf, m.history.classes)
	m.records.vacate(m.history.classes)
	m.pending.sort(&m.records)
	m.sortPending(nil)
	m.pools.values = nil
	m.pools.publish(&m.state, m.history.classes)
	made := m.planner.made
	m.planner = newPlanner(&m.policy, &m.records, &m.history, m.head.LastCut)
	m.planner.made = made
}

// Published marks the newest release published under the SHA-256 of its
// manifest: the last durable step.
func (m *Machine) Published(release uint32, manifest [32]byte) error {
	i := m.history.unpublished()
	if i == nil || i.Release != release {
		return fmt.Errorf("release %d is not the one in progress", release)
	}
	i.Published, i.Manifest = true, manifest
	done := *i
	m.staged.delta.Intent = &done
	return m.Commit()
}
