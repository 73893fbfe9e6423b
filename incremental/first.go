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

// firstLoad is what the machine knows of the load before release 1.
type firstLoad struct {
	// growing: it was cut in vain since the machine was opened, and takes in what
	// comes until a cut finds something to publish.
	growing bool
	refused *InfeasibleError // why the newest such cut was in vain; nil: too few records
}

// grow lets the first load take in what comes.
func (f *firstLoad) grow(h *head, p *pendingSet, records RecordID) {
	f.growing, f.refused, p.stuck = true, nil, 0
	h.reopenFirst(records)
}

// refuse lets it grow if err says that it was refused: all that waits is then
// infeasible.
func (f *firstLoad) refuse(err error, h *head, p *pendingSet, records RecordID) {
	var e *InfeasibleError
	if !errors.As(err, &e) {
		return
	}
	f.grow(h, p, records)
	f.refused, p.stuck = e, len(p.waiting)
}

// status tells operators of it.
func (f *firstLoad) status(records RecordID, policy *Policy) *FirstLoad {
	s := &FirstLoad{Records: int(records), Wanted: max(policy.Requirement.K, policy.InitialMin)}
	if e := f.refused; e != nil {
		s.Refused, s.Attribute, s.Share, s.Reachable = true, e.Attribute, e.Share, e.Reachable
	}
	return s
}

// InitialDone reports whether the first load is complete.
func (m *Machine) InitialDone() bool { return m.head.InitialDone }

// InitialReached reports whether every partition has been applied up to the end
// that it had at the first start, and the least number of records is there.
func (m *Machine) InitialReached() bool {
	return m.head.InitialEnds != nil && m.EnoughRecords() && m.intake.offsets.reached(m.head.InitialEnds)
}

// InitialEnds returns where the first load ends, nil if that is not known yet.
func (m *Machine) InitialEnds() map[Partition]int64 { return m.head.InitialEnds }

// SetInitialEnds stores where the first load ends, at the first start.
func (m *Machine) SetInitialEnds(ends map[Partition]int64) {
	m.head.InitialEnds, m.head.changed = ends, true
}

// EnoughRecords reports whether the records are there without which the first
// load does not end.
func (m *Machine) EnoughRecords() bool { return int(m.records.len()) >= m.policy.InitialMin }

// Growing reports whether the first load was cut in vain and grows.
func (m *Machine) Growing() bool { return m.first.growing }

// Refused returns why the first load was refused at the newest cut, nil if it was
// not.
func (m *Machine) Refused() *InfeasibleError { return m.first.refused }

// beforeRelease reports whether nothing is decided yet: no release, and no pool
// that was quarantined.
func (m *Machine) beforeRelease() bool {
	return m.history.latest() == nil && len(m.pending.quarantined) == 0
}
