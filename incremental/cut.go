package incremental

import (
	"errors"
	"fmt"
	"sort"

	"anond/equivclass"
)

// ErrUnpublished: the newest release is decided but not published yet.
var ErrUnpublished = errors.New("the release before is not published yet")

// decision is what a cut changes: classes that are born, and those whose
// records the births take over.
type decision struct {
	births []*Class
	deaths []ClassID
	// references are the distributions of t-closeness that release 1 fixes, by
	// attribute.
	references map[int][]equivclass.Count
}

// CutDue reports whether the records applied so far end a release: the first
// load is complete, or trigger `records` has counted enough.
func (m *Machine) CutDue() bool {
	n := m.records.len()
	if !m.meta.InitialDone && !m.growing {
		return m.policy.InitialMax > 0 && int(n) >= m.policy.InitialMax
	}
	return m.policy.CutEvery > 0 && n >= m.meta.LastCut+RecordID(m.policy.CutEvery)
}

// NewSinceCut returns the number of records accepted since the newest cut tried.
func (m *Machine) NewSinceCut() int { return int(m.records.len() - m.meta.LastCut) }

// UpdateDue reports whether updates have gathered such that a release may have
// something new to publish (trigger `update`).
func (m *Machine) UpdateDue() bool {
	if !m.meta.InitialDone {
		return m.growing && m.NewSinceCut() > 0 && len(m.pending.waiting) >= m.policy.Requirement.K
	}
	return m.planner.due() || m.overdue()
}

// overdue reports whether the oldest waiting record has waited for max_hold and
// was not passed over already.
func (m *Machine) overdue() bool {
	w := m.pending.waiting
	return len(w) > m.pending.passedOver && len(w) >= m.policy.Requirement.K &&
		m.now-m.records.arrived(w[m.pending.passedOver]) >= m.policy.MaxHold
}

// InitialDone reports whether the first load is complete.
func (m *Machine) InitialDone() bool { return m.meta.InitialDone }

// InitialReached reports whether every partition has been applied up to the end
// that it had at the first start, and the least number of records is there.
func (m *Machine) InitialReached() bool {
	if m.meta.InitialEnds == nil || !m.EnoughRecords() {
		return false
	}
	for p, end := range m.meta.InitialEnds {
		if m.positions[p].Next < end {
			return false
		}
	}
	return true
}

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

// Flush is Cut at the end of a source: no class is held back in the hope of a
// better one, for nothing more is to come. Without new records and without
// anything publishable it changes nothing, so that it may be repeated.
func (m *Machine) Flush(createdAt int64, policy [32]byte) (*Intent, error) {
	d, err := m.Decide(true)
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
	// unchanged: the first load has not grown since it was decided in vain, so the
	// answer is the one before.
	unchanged bool
}

// Decide is the first part of a cut, or of a flush, and the long one. It keeps
// nothing: after ErrInterrupted, or if the decision is thrown away, the same
// state decides the same again. It does not touch the store.
func (m *Machine) Decide(flush bool) (*Decision, error) {
	m.flushing = flush
	defer func() { m.flushing = false }()
	if m.broken {
		return nil, ErrBroken
	}
	if i := m.Latest(); i != nil && !i.Published {
		return nil, ErrUnpublished
	}
	m.flushBlock()
	if m.growing && m.NewSinceCut() == 0 {
		return &Decision{unchanged: true}, nil
	}
	d, err := m.decide()
	if m.interrupt.asked() { // whatever came out: part of the work was left out
		m.broken = true
		return nil, ErrInterrupted
	}
	if err != nil {
		m.refuse(err)
		return nil, err
	}
	return &Decision{decision: d, flushing: m.flushing}, nil
}

// Enact is the second part of a cut: it commits what was decided.
func (m *Machine) Enact(made *Decision, createdAt int64, policy [32]byte) (*Intent, error) {
	d := made.decision
	if made.unchanged {
		return nil, m.Commit()
	}
	if m.beforeRelease() && len(d.births) == 0 {
		m.grow()
		return nil, m.Commit()
	}
	if made.flushing && m.meta.InitialDone && m.NewSinceCut() == 0 && len(d.births) == 0 {
		return nil, m.Commit()
	}
	if err := m.verify(d); err != nil {
		return nil, err
	}
	m.countCut()
	if len(d.births) == 0 {
		m.sortPending()
		m.planner.tried()
		return nil, m.Commit()
	}
	return m.commitIntent(d, createdAt, policy)
}

// decide chooses the births. Each branch names the rule that makes it safe.
func (m *Machine) decide() (decision, error) {
	if len(m.intents) == 0 {
		return m.decideInitial()
	}
	return m.decideUpdate(), nil
}

// countCut advances the machine's own clock and ends the first load.
func (m *Machine) countCut() {
	m.growing, m.refused = false, nil
	m.meta.Tick++
	m.meta.CutTick = m.now
	m.meta.InitialDone = true
	m.meta.LastCut = m.records.len()
	if m.policy.HoldInCuts {
		m.now = m.meta.Tick
	}
	m.staged.delta.Meta = &m.meta
}

func (m *Machine) commitIntent(d decision, createdAt int64, policy [32]byte) (*Intent, error) {
	release := uint32(len(m.intents) + 1)
	newcomers := 0
	for _, c := range d.births {
		c.ID, c.Born = ClassID(len(m.classes)), release
		for _, r := range c.Members {
			if m.records.classOf[r] == none {
				newcomers++
			}
			m.records.classOf[r] = c.ID
		}
		m.classes = append(m.classes, c)
	}
	for _, id := range d.deaths {
		m.classes[id].Died = release
		m.died[release] = append(m.died[release], id)
		m.staged.delta.Deaths = append(m.staged.delta.Deaths, Death{id, release})
	}
	// The intent goes in first: the plans are made in the space of its cut, as a
	// machine does that opens this state.
	m.storeReferences(d)
	m.intents = append(m.intents, Intent{Release: release, Cut: m.records.len(), CreatedAt: createdAt, Policy: policy, Newcomers: newcomers})
	m.rebuild()
	intent := m.Latest()
	intent.Records, intent.Classes, intent.Pending = m.published(), len(m.classes)-m.dead(), m.pendingCounts()
	m.staged.delta.Births = d.births
	decided := *intent
	m.staged.delta.Intent = &decided
	if err := m.Commit(); err != nil {
		return nil, err
	}
	return m.Latest(), nil
}

func (m *Machine) published() int { return int(m.records.len()) - m.pendingCounts().Total() }

func (m *Machine) dead() int {
	n := 0
	for _, c := range m.classes {
		if c.Died != 0 {
			n++
		}
	}
	return n
}

// Published marks the newest release published under the SHA-256 of its
// manifest: the last durable step.
func (m *Machine) Published(release uint32, manifest [32]byte) error {
	i := m.Latest()
	if i == nil || i.Release != release || i.Published {
		return fmt.Errorf("release %d is not the one in the making", release)
	}
	i.Published, i.Manifest = true, manifest
	done := *i
	m.staged.delta.Intent = &done
	return m.Commit()
}

// View returns what a release shows. It can be asked for any release at any
// time: a retry after a crash sees exactly what the first attempt saw.
func (m *Machine) View(release uint32) (*View, error) {
	if release < 1 || int(release) > len(m.intents) {
		return nil, fmt.Errorf("there is no release %d; the newest is %d", release, len(m.intents))
	}
	v := m.view(m.intents[release-1])
	for _, c := range m.classes {
		switch {
		case c.Born > release:
		case c.Died == 0 || c.Died > release:
			v.Classes = append(v.Classes, c.view(0))
		default:
			v.Dead = append(v.Dead, c.view(c.Died))
		}
	}
	v.Local = m.localViews(v)
	return v, nil
}

// Change is View with the classes alone that are born or die in the release. It
// costs what is new: a log of the births, and the deaths.
func (m *Machine) Change(release uint32) (*View, error) {
	if release < 1 || int(release) > len(m.intents) {
		return nil, fmt.Errorf("there is no release %d; the newest is %d", release, len(m.intents))
	}
	v := m.view(m.intents[release-1])
	v.Since = release - 1
	born := sort.Search(len(m.classes), func(i int) bool { return m.classes[i].Born >= release })
	for _, c := range m.classes[born:] {
		if c.Born != release {
			break
		}
		v.Classes = append(v.Classes, c.view(0))
	}
	for _, id := range m.died[release] {
		v.Dead = append(v.Dead, m.classes[id].view(release))
	}
	v.Local = m.localViews(v)
	return v, nil
}

func (c *Class) view(died uint32) ClassView {
	return ClassView{Regime: c.Regime, Born: c.Born, Died: died, Members: c.Members}
}

// view shows the records below the cut of an intent, without classes.
func (m *Machine) view(intent Intent) *View {
	n := intent.Cut
	v := &View{Intent: intent, Seeded: m.meta.Seeded, Schema: m.schema, SA: m.records.sa[:n:n],
		Dictionaries: make([]*equivclass.Dictionary, len(m.records.dicts))}
	if len(m.meta.References) > 0 {
		v.References = make(map[int]equivclass.Bag, len(m.meta.References))
		for a, counts := range m.meta.References {
			v.References[a] = equivclass.NewBag(counts)
		}
	}
	for i, d := range m.records.dicts {
		if d != nil {
			v.Dictionaries[i] = d.Frozen()
		}
	}
	for _, column := range m.records.qi {
		v.QI = append(v.QI, column[:n:n])
	}
	for _, column := range m.records.semi {
		v.Semi = append(v.Semi, column[:n:n])
	}
	if m.records.flags.of != nil {
		v.Flags = m.records.flags.of[:n:n]
	}
	if m.records.firsts != nil {
		v.Subject = m.records.subject[:n:n]
	}
	return v
}

// Regroups returns how often each record had been regrouped up to a release:
// the number of classes that held it, less one. For the auditor's gate.
func (m *Machine) Regroups(release uint32) []uint16 {
	out := make([]uint16, m.records.len())
	seen := make([]bool, m.records.len())
	for _, c := range m.classes {
		if c.Born > release {
			break
		}
		for _, r := range c.Members {
			if seen[r] {
				out[r]++
			}
			seen[r] = true
		}
	}
	return out
}

// All returns a view of every record in state, published or not, without
// classes: for the private export.
func (m *Machine) All() *View { return m.view(Intent{Cut: m.records.len()}) }
