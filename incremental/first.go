package incremental

import "errors"

// The first load and what comes before release 1.
//
// Before release 1 nothing binds at levels L0 and L1: no record was published, so
// whatever is refused, waits or changes can be seen by nobody who reads releases.
// A first load that is too small, or that no partition can satisfy (rule I), is
// therefore not the end: it stays the first load, grows by what comes, and is cut
// again whenever a release would be due. The next start reads up to the present
// end of the source before it cuts.

// FirstLoad is what operators are told before release 1: counts and shares.
type FirstLoad struct {
	Records int `json:"records"` // accepted so far
	Wanted  int `json:"wanted"`  // at least so many before release 1
	// Of a refused load: the attribute, the share of its most frequent value among
	// the records then there, and the largest l that they allow.
	Refused   bool    `json:"refused"`
	Attribute string  `json:"attribute,omitempty"`
	Share     float64 `json:"share,omitempty"`
	Reachable int     `json:"reachable_l,omitempty"`
}

func (m *Machine) firstLoad() *FirstLoad {
	if !m.beforeRelease() {
		return nil
	}
	f := &FirstLoad{Records: int(m.records.len()), Wanted: max(m.policy.Requirement.K, m.policy.InitialMin)}
	if e := m.refused; e != nil {
		f.Refused, f.Attribute, f.Share, f.Reachable = true, e.Attribute, e.Share, e.Reachable
	}
	return f
}

// beforeRelease reports whether nothing is decided yet: no release, and no pool
// that was quarantined.
func (m *Machine) beforeRelease() bool { return len(m.intents) == 0 && len(m.pending.quarantined) == 0 }

// EnoughRecords reports whether the records are there without which the first
// load does not end.
func (m *Machine) EnoughRecords() bool { return int(m.records.len()) >= m.policy.InitialMin }

// Growing reports whether the first load was cut in vain and grows.
func (m *Machine) Growing() bool { return m.growing }

// Refused returns why the first load was refused at the newest cut, nil if it was
// not.
func (m *Machine) Refused() *InfeasibleError { return m.refused }

// refuse notes that the first load was refused, if that is what err says.
func (m *Machine) refuse(err error) {
	var e *InfeasibleError
	if !errors.As(err, &e) {
		return
	}
	m.grow()
	m.refused, m.pending.stuck = e, len(m.pending.waiting)
}

// grow lets the first load take in what comes. Where it ends is forgotten, so
// that the next start asks the source again.
func (m *Machine) grow() {
	m.growing, m.refused, m.pending.stuck = true, nil, 0
	m.meta.InitialDone, m.meta.InitialEnds, m.meta.LastCut = false, nil, m.records.len()
	m.staged.delta.Meta = &m.meta
}
