package incremental

import (
	"maps"

	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Status is what the machine tells operators: counts only (rule H, held values, and
// rule V, no person's value is shown).
type Status struct {
	Sent      uint64 `json:"sent"`
	Published int    `json:"published"`
	// People is how many people the published records are of, where people have histories.
	People int `json:"people,omitempty"`
	// Expired are records of people who have left with their parts (package retire). None of them comes back.
	Expired    int           `json:"expired,omitempty"`
	Pending    state.Pending `json:"pending"`
	DeadLetter uint64        `json:"dead_letter"`
	// Withdrawn are records in buckets that have left because their people asked to be erased (package withdraw), until their parts leave:
	// then they are among Expired.
	Withdrawn int `json:"withdrawn,omitempty"`
	// Beyond are later records of people of whom an earlier one was accepted, or refused for something that its sensitive
	// value can have caused (seen.go), and all records of those who have lapsed. None of them is ever published (rule S).
	Beyond int `json:"beyond"`
	// Elsewhere are those of Beyond whose people belong to another dataset of the subject ledger (subject.ledger).
	Elsewhere uint64 `json:"elsewhere,omitempty"`
	// Ahead are records whose time stamps count as none, since they lie more than a day ahead of the host's clock (Machine.Stamp).
	Ahead uint64 `json:"stamps_ahead,omitempty"`
	// Observed are people whose window has not ended (package settle).
	Observed int `json:"observed,omitempty"`
	// Lapsed is how many people waited longer than policy.max_wait, ever (lapse.go).
	Lapsed int `json:"lapsed,omitempty"`
	// Forgotten are records of people who were forgotten: that waited then, or came later. A
	// published row that has no owner any more stays in Published.
	Forgotten uint64 `json:"forgotten"`
	// ForgetDue are people whose deletes were read, and whose records are still among Published
	// and Pending until the next erasure.
	ForgetDue int `json:"forget_due,omitempty"`
	// Stale are published people of whom an update or a delete has come since, at level L2; they stay in Published.
	Stale   int                          `json:"stale,omitempty"`
	Refused map[equivclass.Reason]uint64 `json:"refused"`
	Ignored map[equivclass.Reason]uint64 `json:"ignored"`
	// Replayed counts the dead letters that were judged again and left Refused, by reason.
	Replayed map[equivclass.Reason]uint64 `json:"replayed,omitempty"`
	Outbox   int                          `json:"outbox"` // dead letters not delivered yet
	Letters  uint64                       `json:"-"`      // dead letters ever made; Outbox of them are not delivered
	Classes  int                          `json:"classes"`
	Release  uint32                       `json:"release"` // newest decided
	// Public is the newest that was marked as published: Release, or the one before it.
	Public     uint32 `json:"public_release"`
	Infeasible bool   `json:"infeasible"`
	// OldestTick is the arrival of the record that waits longest; Now the
	// machine's time; both in ticks. OldestTick = Now if none waits.
	OldestTick int64 `json:"oldest_tick"`
	Now        int64 `json:"now"`
	InitialEnd bool  `json:"initial_done"`
	// Pool is what the next pool needs, at level L2.
	Pool *plan.PoolNeed `json:"pool,omitempty"`
	// Strata are those other than the plain one of whom somebody waits, where people settle: whoever had an update or a fault within the
	// window is never in a pool with others. Pool is that of the plain one.
	Strata []Stratum `json:"strata,omitempty"`
	// Outdated is how many of those who wait arrived under an earlier version of the
	// hierarchy of the sensitive attribute, and are too few for a pool of their own, at
	// level L2. They wait permanently, unless a pool needs fewer records some day.
	Outdated int `json:"outdated,omitempty"`
	// FirstLoad describes the first load until release 1 is decided.
	FirstLoad *FirstLoad `json:"first_load,omitempty"`
}

// Stratum is how many people of a stratum wait, and what its next pool needs (package settle).
type Stratum struct {
	Stratum string `json:"stratum"`
	Waiting int    `json:"waiting"`
	// Length is how many records each of them has; 0: one.
	Length int `json:"length,omitempty"`
	plan.PoolNeed
}

// WaitingPlain is how many people of the plain stratum wait: everybody, where nobody settles.
func (s *Status) WaitingPlain() int {
	n := s.Pending.Waiting
	for _, of := range s.Strata {
		n -= of.Waiting * max(1, of.Length)
	}
	return n
}

// RefusedShare is how many of the records read are dead letters.
func (s *Status) RefusedShare() float64 { return float64(s.DeadLetter) / float64(max(1, s.Sent)) }

// Accounted is what Sent always is: everything that became of records.
func (s *Status) Accounted() uint64 {
	return uint64(s.Published+s.Expired+s.Withdrawn+s.Pending.Total()+s.Beyond) + s.DeadLetter + s.Forgotten
}

// Status returns the machine's counts. sent = published + expired + pending + dead_letter + forgotten + beyond
// holds at every moment. Cost: one pass over the reasons, none over records.
func (m *Machine) Status() Status {
	s := Status{Sent: m.intake.counters.Sent, Pending: m.s.CountPending(),
		Beyond:    m.s.Pending.Beyond + m.s.Pending.BeyondMore + int(m.intake.counters.Beyond),
		Elsewhere: m.intake.counters.Elsewhere, Ahead: m.intake.counters.Ahead, Observed: m.s.Open.Len(),
		Ignored: maps.Clone(m.intake.counters.Ignored), Outbox: m.intake.waiting, Letters: m.intake.last,
		Lapsed:   m.s.Known.Count(state.Lapsed),
		Replayed: maps.Clone(m.intake.counters.Replayed),
		Release:  m.s.History.Releases(), Infeasible: m.s.Pending.Stuck > 0 || m.first.refused != nil,
		Now: m.s.Now, OldestTick: m.s.Now, InitialEnd: m.s.Head.InitialDone}
	s.Published, s.Expired, s.Withdrawn = m.s.Shown()
	if m.s.Policy.Settle.Histories() {
		s.People = m.s.Published()
	}
	s.Refused, s.DeadLetter = m.intake.refused()
	s.Forgotten, s.ForgetDue = uint64(m.s.Records.VacantRecords())+m.intake.counters.Blocked, m.seen.due
	s.Stale = len(m.s.Stale.List)
	if need := m.planner.Need(settle.Plain); need != nil {
		s.Pool, s.Outdated = need, m.s.Outdated(need.Records)
		c := cutOf(&m.s, &m.place, state.Triggered)
		need.Missing = m.planner.Missing(c, settle.Plain)
		for _, w := range m.s.Pending.Others {
			if len(w.Records) > 0 {
				of := Stratum{Stratum: w.Stratum.String(), Waiting: len(w.Records), PoolNeed: *m.planner.Need(w.Stratum)}
				if n := w.Stratum.Inserts(); n > 1 {
					of.Length = n
				}
				of.Missing = m.planner.Missing(c, w.Stratum)
				s.Strata = append(s.Strata, of)
			}
		}
	}
	if m.s.BeforeRelease() {
		s.FirstLoad = m.first.status(m.s.FirstRecords(), &m.s.Policy)
		s.FirstLoad.Refused = s.FirstLoad.Refused || m.s.Head.Pools.Refused
	}
	if i := m.s.History.Latest(); i != nil {
		s.Classes, s.Public = i.Classes, i.Release
		if !i.Published {
			s.Public--
		}
	}
	for w := range m.s.Pending.Strata() {
		if len(*w) > 0 {
			s.OldestTick = min(s.OldestTick, m.s.Records.Arrived((*w)[0]))
		}
	}
	return s
}

// Updates returns these counts. Decisions carry out local updates, so it must not be
// called next to one.
func (m *Machine) Updates() plan.Updates { return m.made }

// Judged counts what was decided about people and is in no release: their values were looked at, and everybody may know
// what came of it. It decreases only by a reset.
//
// Rule B (buckets): a pool that was quarantined is never mixed with other records, and the
// first pool, once refused, stays what it is. A copy of a state that is older than such a
// decision would cut again, at another moment and so with other people: what the earlier
// decision told would be about some of them. So would one that is older than a pool that was fixed: that it was lost
// meanwhile may tell that the pool was eligible. Rule S (subjects): a copy that does not know who is barred would take these
// people in once their values are valid. No release shows that a copy is that old. So
// these counts are kept outside of the state, too (publish.Publisher.KeepJudged).
type Judged struct {
	Fixed       int  // pools whose people were committed
	Quarantined int  // pools
	Refused     bool // the first pool was
	People      int  // of the quarantined pools
	Barred      int  // people (seen.go)
}

// Ahead reports whether something was decided here that was not decided there.
func (j Judged) Ahead(o Judged) bool {
	return j.Fixed > o.Fixed || j.Quarantined > o.Quarantined || j.Refused && !o.Refused || j.People > o.People || j.Barred > o.Barred
}

// Digests is how many people the state knows by a digest: it has a record of theirs, or has forgotten them, or they are barred,
// or came before settings changed for others. None of them is published a second time (rule S, subjects). Without an attribute of role
// subject it is 0.
//
// It never decreases, so that a state that knows fewer than the ledger counted has lost somebody, whom it would publish
// again. A person who is forgotten moves from the first of these to the second, and is due, in both, until then.
func (m *Machine) Digests() int {
	if m.s.Records.Firsts == nil {
		return 0
	}
	return m.s.Records.Firsts.Subjects() + m.s.Known.Count(state.Forgotten) - m.seen.due + m.s.Known.Count(state.Barred) +
		m.s.Known.Count(state.Departed) + m.s.Known.Count(state.Closed) + m.s.Known.Count(state.Earlier)
}

// Judged returns these counts.
func (m *Machine) Judged() Judged {
	return Judged{Fixed: int(m.s.Head.Pools.Fixed), Quarantined: m.s.Pending.Pools,
		Refused: m.s.Head.Pools.Refused, People: m.s.Pending.Judged, Barred: m.seen.written}
}
