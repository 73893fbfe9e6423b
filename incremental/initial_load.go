package incremental

import (
	"errors"

	"anond/incremental/plan"
	"anond/incremental/state"
)

// The first load and what comes before release 1.
//
// Before release 1 nothing binds at levels L0 and L1: no record was published, so
// nobody who reads releases can see what is refused, waits or changes. A first load
// that is too small, or that no partition can satisfy (rule I, infeasible), is
// therefore not final (at level L2 the first pool is fixed: fixed_pool.go): it stays the first load, takes in the records that follow, and
// is cut again whenever a release would be due. The next start reads up to the
// present end of the source before it cuts.

// FirstLoad is what operators are told before release 1: counts and shares.
type FirstLoad struct {
	// Records are those that count for the first load: at level L1 all that were accepted;
	// at level L2 those that may be in the first pool, without a subject's later ones.
	Records int `json:"records"`
	Wanted  int `json:"wanted"` // at least so many before release 1
	// Of a refused load: the attribute, the share of its most frequent value among
	// the records then there, and the largest l that they allow.
	Refused   bool    `json:"refused"`
	Attribute string  `json:"attribute,omitempty"`
	Share     float64 `json:"share,omitempty"`
	Reachable int     `json:"reachable_l,omitempty"`
	// Failed are all attributes whose promise the load does not keep, where there are several or promises by attribute.
	Failed []string `json:"failed,omitempty"`
}

// firstLoad is what the machine knows of the load before release 1.
type firstLoad struct {
	// growing: since the machine was opened a cut found nothing to publish. The load
	// takes in what comes until a cut finds something.
	growing bool
	refused *plan.InfeasibleError // why the newest such cut was refused; nil: too few records
}

// grow lets the first load take in what comes.
func (f *firstLoad) grow(h *state.Head, p *state.PendingSet, records state.RecordID, read uint64) {
	f.growing, f.refused, p.Stuck = true, nil, 0
	h.ReopenFirst(records, read)
}

// refuse lets it grow if err says that it was refused: all that waits is then
// infeasible.
func (f *firstLoad) refuse(err error, h *state.Head, p *state.PendingSet, records state.RecordID, read uint64) {
	var e *plan.InfeasibleError
	if !errors.As(err, &e) {
		return
	}
	f.grow(h, p, records, read)
	f.refused, p.Stuck = e, len(p.Waiting)
}

// status describes it for operators.
func (f *firstLoad) status(records int, policy *state.Policy) *FirstLoad {
	s := &FirstLoad{Records: records, Wanted: max(policy.Requirement.K, policy.InitialMin)}
	if e := f.refused; e != nil {
		s.Refused, s.Attribute, s.Share, s.Reachable = true, e.Attribute, e.Share, e.Reachable
		for _, v := range e.Failed {
			s.Failed = append(s.Failed, v.Attribute)
		}
	}
	return s
}

// initialLoad is the first load as the host sees it.
type initialLoad struct {
	s      *state.State
	intake *intake
	first  *firstLoad
}

// initialLoad returns the first load.
func (m *Machine) InitialLoad() initialLoad { return initialLoad{&m.s, &m.intake, &m.first} }

// Done reports whether the first load is complete.
func (l initialLoad) Done() bool { return l.s.Head.InitialDone }

// Reached reports whether every partition has been applied up to the end
// that it had at the first start, and the least number of records is there.
func (l initialLoad) Reached() bool { return l.s.Head.InitialEnds != nil && l.Enough() && l.Read() }

// Read is the same without the least number.
func (l initialLoad) Read() bool { return l.intake.offsets.reached(l.s.Head.InitialEnds) }

// Ends returns where the first load ends, nil if that is not known yet.
func (l initialLoad) Ends() map[state.Partition]int64 { return l.s.Head.InitialEnds }

// SetEnds stores where the first load ends, at the first start.
func (l initialLoad) SetEnds(ends map[state.Partition]int64) {
	l.s.Head.InitialEnds, l.s.Head.Changed = ends, true
}

// Enough reports whether the records are there without which the first
// load does not end.
func (l initialLoad) Enough() bool { return l.s.EnoughRecords() }

// Growing reports whether a cut of the first load found nothing to publish, so that
// the load grows.
func (l initialLoad) Growing() bool { return l.first.growing }

// Refused returns why the first load was refused at the newest cut, nil if it was
// not.
func (l initialLoad) Refused() *plan.InfeasibleError { return l.first.refused }
