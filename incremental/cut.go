package incremental

import (
	"fmt"

	"anond/incremental/place"
	"anond/incremental/plan"
	"anond/incremental/state"
)

// Cut decides what the next release publishes, of the records applied so far,
// and commits the intent together with everything not committed yet. It returns
// nil if nothing is newly publishable: the release is skipped. The first cut
// with anything to publish ends the first load; a refused one (InfeasibleError)
// leaves the machine as it was, and what is staged is committed by Commit.
//
// createdAt is the moment in Unix seconds that the manifest will carry; policy
// the digest of schema, policy and recoding.
func (m *Machine) Cut(createdAt int64, policy [32]byte) (*state.Intent, error) {
	d, err := m.Decide(state.Triggered)
	if err != nil {
		return nil, err
	}
	return m.Enact(d, createdAt, policy)
}

// Decision is what a cut would publish. It holds for the records applied when it
// was made: nothing may be applied between Decide and Enact.
type Decision struct {
	of state.Decision
	by state.Occasion
	// unchanged: the first load has not grown since a cut found nothing to publish,
	// so this one would not either.
	unchanged bool
}

// Failed are the attributes for which a pool is quarantined, and by how much they fail, for the operator; none: no pool is.
func (d *Decision) Failed() (attributes []string, why string) {
	for _, v := range d.of.Failed {
		attributes = append(attributes, v.Attribute)
	}
	return attributes, plan.Unkept(d.of.Failed)
}

// Decide is the first part of a cut, or of a flush, and takes nearly all the time. A
// flush is a cut at the end of a source: no record waits for a better class, because
// no more records will come. Without new records and without anything publishable it
// changes nothing, so that it may be repeated. Decide keeps nothing: after ErrInterrupted, or if the decision is thrown away, the same
// state decides the same again. It does not touch the store, but at level L2 for what the
// pool is, and that the first one is refused (fixed_pool.go).
func (m *Machine) Decide(by state.Occasion) (*Decision, error) {
	if m.intake.failed {
		return nil, ErrBroken
	}
	if m.s.History.Unpublished() != nil {
		return nil, state.ErrUnpublished
	}
	m.staged.closeBlock(&m.s.Records, m.s.Now)
	if m.first.growing && m.s.NewSinceCut() == 0 {
		return &Decision{unchanged: true}, nil
	}
	if err := m.Fix(by); err != nil {
		return nil, err
	}
	d, err := m.planner.Decide(m.planning(by))
	if m.s.Interrupt.Asked() { // the result is incomplete, whatever it is
		m.intake.failed = true
		return nil, state.ErrInterrupted
	}
	if err != nil {
		if failed := m.refuseFirst(by, err); failed != nil {
			return nil, failed
		}
		return nil, err
	}
	return &Decision{of: d, by: by}, nil
}

// planning is what a cut may look at now.
func (m *Machine) planning(by state.Occasion) *plan.Cut {
	m.s.MeasureScale()
	c := cutOf(&m.s, &m.place, by)
	c.Made = &m.made
	return c
}

// cutOf is what a cut may look at, as far as it is known at any time.
func cutOf(s *state.State, at *place.Counter, by state.Occasion) *plan.Cut {
	return &plan.Cut{
		Policy: &s.Policy, Records: &s.Records, Classes: s.History.Classes, Pending: &s.Pending, Place: at, Secrets: &s.Secrets,
		Admission: plan.NewAdmission(&s.Records, &s.History, s.Policy.MaxHold, s.Now),
		Release:   s.History.Releases() + 1, Occasion: by, Head: &s.Head, Fresh: s.NewSinceCut(), Since: s.History.Fed(),
		Bucket: s.History.Bucket, Progress: s.Progress,
	}
}

// Enact is the second part of a cut: it commits what was decided. A release is made, too, if it has no births and somebody
// leaves with it (package retire). Its time never falls: a clock that was set back lets nothing leave until it has caught up.
func (m *Machine) Enact(made *Decision, createdAt int64, policy [32]byte) (*state.Intent, error) {
	d := made.of
	if i := m.s.History.Latest(); i != nil {
		createdAt = max(createdAt, i.CreatedAt)
	}
	expired := m.s.Policy.Window.Leaves(&m.s.History, m.s.History.Expired(), createdAt)
	leaves := m.s.Policy.Window.Age() > 0 && m.s.History.Leaving(expired) > 0
	if made.unchanged {
		return nil, m.Commit()
	}
	if len(d.Pool) > 0 {
		m.countCut(made.by, state.Quarantined)
		return nil, m.quarantine(d.Pool)
	}
	if m.s.Policy.Level == state.L2 && m.s.BeforeRelease() && len(d.Births) == 0 && !m.s.Head.Pools.Grown {
		return nil, m.Commit() // fewer records than the first pool needs
	}
	if m.s.BeforeRelease() && len(d.Births) == 0 {
		m.first.grow(&m.s.Head, &m.s.Pending, m.s.Records.Len(), m.intake.counters.Read)
		return nil, m.Commit()
	}
	asked, withdrawn := m.leaving(createdAt, expired)
	d.Deaths = append(d.Deaths, withdrawn...)
	if leaves = leaves || asked || !d.Empty(); made.by == state.AtEnd && m.s.Head.InitialDone && m.s.NewSinceCut() == 0 && !leaves {
		return nil, m.Commit()
	}
	if err := newVerifier(&m.s, d.References).verify(d); err != nil {
		return nil, err
	}
	if !leaves {
		m.countCut(made.by, state.Skipped)
		m.s.SortPending(nil)
		m.place.Tried(m.s.Head.LastCut)
		return nil, m.Commit()
	}
	m.countCut(made.by, state.Released)
	return m.commitIntent(d, state.Intent{CreatedAt: createdAt, Policy: policy, Expired: expired})
}

// leaving are the classes of the buckets that leave with a release that is made at a time (package withdraw). asked: the release is made
// for them, which holds, too, where all of them are in parts that leave with it.
func (m *Machine) leaving(createdAt int64, expired uint32) (asked bool, withdrawn []state.ClassID) {
	before, rule, h := m.s.History.Latest(), m.s.Policy.Erasure, &m.s.History
	if before == nil || !rule.Due(before.CreatedAt, createdAt) || len(rule.Leave(m.s.Requests())) == 0 {
		return false, nil
	}
	if leave := rule.Leave(h.Requests(&m.s.Records, expired)); len(leave) > 0 {
		withdrawn = h.Of(leave)
	}
	return true, withdrawn
}

// countCut advances the machine's own clock and ends the first load.
func (m *Machine) countCut(by state.Occasion, outcome state.CutOutcome) {
	m.attempted(by, outcome)
	m.first = firstLoad{}
	m.s.Head.CountCut(m.s.Now, m.s.Records.Len(), m.intake.counters.Read)
	if m.s.Policy.HoldInCuts {
		m.s.Now = m.s.Head.Tick
	}
}

func (m *Machine) commitIntent(d state.Decision, next state.Intent) (*state.Intent, error) {
	for _, c := range d.Births {
		for _, r := range c.Members {
			if m.s.Records.ClassOf[r] == state.None {
				next.Newcomers++
			}
		}
	}
	var born *state.Born
	if m.s.Policy.Level == state.L2 && len(d.Births) > 0 {
		born = m.s.Records.Born(m.s.History.Releases()+1, d.Births)
		if err := m.s.AddBorn(born); err != nil {
			return nil, err
		}
	}
	deaths := m.s.History.Enter(d)
	// The intent comes first: records are positioned in the space of its cut, as by a
	// machine that opens this state.
	m.s.Head.ClosePool()
	m.s.Head.FixReferences(d.References)
	m.s.FixScale()
	m.s.Policy.Requirement = plan.WithReference(m.s.Policy.Requirement, m.s.Schema, m.s.Head.References)
	next.Release, next.Cut, next.Algorithm, next.Digests = m.s.History.Releases()+1, m.s.Records.Len(), Algorithm, m.Digests()
	next.Stale = len(m.s.Stale.List)
	m.s.History.Decide(next)
	m.s.History.Settle(m.s.Records.ClassOf, d.Births)
	m.s.SortPending(nil)
	m.planner.Published(&m.s)
	m.place.Released(m.s.Head.LastCut)
	intent := m.s.History.Latest()
	intent.Records, intent.Classes, intent.Pending = m.s.Published(), m.s.History.Alive(intent.Expired), m.s.CountPending()
	m.staged.cut(d.Births, deaths, *intent, born)
	if err := m.Commit(); err != nil {
		return nil, err
	}
	return intent, nil
}

// Born is the bag of classes that a release publishes first, of the values that this machine has: for a replay, which takes
// over what another program decided.
func (m *Machine) Born(release uint32, classes []*state.Class) *state.Born {
	return m.s.Records.Born(release, classes)
}

// rebuild makes everything that is derived from the durable state: which record
// is in which class, and what is pending. After a release the same follows from what it
// changed, so a restarted machine goes on exactly as one that never stopped.
func (m *Machine) rebuild() {
	m.s.History.Settle(m.s.Records.ClassOf, m.s.History.Classes)
	m.s.Records.Vacate(m.s.History.Classes)
	m.s.Sort()
	m.s.SortPending(nil)
	m.planner.Published(&m.s)
	m.place = place.NewCounter(&m.s.Policy, &m.s.Records, &m.s.History, m.s.Head.LastCut)
}

// Published marks the newest release published under the SHA-256 of its
// manifest: the last durable step.
func (m *Machine) Published(release uint32, manifest [32]byte) error {
	i := m.s.History.Unpublished()
	if i == nil || i.Release != release {
		return fmt.Errorf("release %d is not the one in progress", release)
	}
	i.Published, i.Manifest = true, manifest
	done := *i
	m.staged.delta.Intent = &done
	return m.Commit()
}
