package incremental

import (
	"anond/incremental/place"
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/internal/fault"
)

// Trigger says when a cut is due.
type Trigger struct {
	s       *state.State
	intake  *intake
	first   *firstLoad
	place   *place.Counter
	planner plan.Planner
}

// Trigger returns what says when a cut is due.
func (m *Machine) Trigger() Trigger {
	return Trigger{&m.s, &m.intake, &m.first, &m.place, m.planner}
}

// CutDue reports whether the records read so far end a release: the first
// load is complete, or trigger `records` has counted enough.
func (t Trigger) CutDue() bool {
	left, counted := t.UntilCut()
	return counted && left <= 0 && (t.s.Head.InitialDone || t.first.growing || t.s.EnoughRecords())
}

// UntilCut is how many records are still to be read before a cut is due by count, if one is due so. A record that
// is refused or left out takes its place like every other: otherwise what is invalid about one
// person would move others into another pool (rule B, buckets).
func (t Trigger) UntilCut() (left int, counted bool) {
	read := t.intake.counters.Read
	if !t.s.Head.InitialDone && !t.first.growing {
		return t.s.Policy.InitialMax - int(read), t.s.Policy.InitialMax > 0
	}
	return t.s.Policy.CutEvery - int(read-t.s.Head.CutRead), t.s.Policy.CutEvery > 0
}

// NewSinceCut returns the number of records accepted since the newest cut that was
// tried, with or without a release.
func (t Trigger) NewSinceCut() int { return t.s.NewSinceCut() }

// MostNamed is how many records the classes of the next release name at most: those that
// wait, and in mode regroup those that are published.
func (t Trigger) MostNamed() int {
	if t.s.Policy.Republication == state.Regroup {
		return int(t.s.Records.Len())
	}
	return t.s.Pending.Counts().Total()
}

// UpdateDue reports whether updates have gathered such that a release may have
// something new to publish (trigger `update`).
func (t Trigger) UpdateDue() bool {
	if !t.s.Head.InitialDone {
		return t.first.growing && t.NewSinceCut() > 0 && len(t.s.Pending.Waiting) >= t.s.Policy.Requirement.K
	}
	return t.planner.Due(cutOf(t.s, t.place, state.Triggered))
}

// StrataDue reports, after a cut that made a pool, whether the next one is to follow at once: a cut makes a pool of one stratum, so that
// others may have one, too, or it was not the turn of the plain one.
func (t Trigger) StrataDue() bool {
	return t.s.Head.Pools.Turn > settle.Plain || t.planner.StrataDue(cutOf(t.s, t.place, state.Triggered))
}

// Leaves reports whether a release is due because a part leaves, at a time in Unix seconds, and Next when one is; 0: none is.
func (t Trigger) Leaves(now int64) bool {
	at := t.Next()
	return at != 0 && at <= now
}

// Next is when the oldest part leaves that somebody is in, or buckets whose people have asked for it.
func (t Trigger) Next() int64 {
	window, erasure := t.nextPart(), t.nextErasure()
	if window == 0 || erasure != 0 && erasure < window {
		return erasure
	}
	return window
}

// nextErasure is when an erasure release is due; 0: nothing is to leave. Requests come with a machine that is opened anew, so they
// are counted once.
func (t Trigger) nextErasure() int64 {
	latest, rule := t.s.History.Latest(), t.s.Policy.Erasure
	if latest == nil || rule.Keeps() || len(rule.Leave(t.s.Requests())) == 0 {
		return 0
	}
	return rule.Next(latest.CreatedAt)
}

func (t Trigger) nextPart() int64 {
	w, h := t.s.Policy.Window, &t.s.History
	for expired := h.Expired(); ; expired++ {
		switch at, ok := w.Next(h, expired); {
		case !ok:
			return 0
		case h.Intents[expired].Newcomers > 0:
			return at
		}
	}
}

// Leap reports that the clock lies so far ahead of when it was seen last that all parts would leave at once, or that a release which is
// made now would put off later requests for long.
func (t Trigger) Leap(seen, now int64) error {
	latest := t.s.History.Latest()
	if latest == nil || !t.s.Policy.Window.Leaps(&t.s.History, seen, now) && !t.s.Policy.Erasure.Leaps(latest.CreatedAt, seen, now) {
		return nil
	}
	return ErrLeap
}

// ErrLeap: what has left does not come back, and public times never fall, so a wrong clock must not decide either.
var ErrLeap = fault.Errorf(fault.Config, "check the clock of this machine; if it is right, and nobody ran for so long, start once "+
	"with anond run --trust-clock",
	"the clock lies further ahead of when it was seen last than release.window, or than three periods of subject.erasure and a month: parts "+
		"would leave at once, or requests to erase wait for as long")

// Set changes what makes a cut due, as a restart under that policy would: a number of
// records (0: none), and at level L2 updates in neighbourhoods. What a cut decides does not
// depend on it.
func (t Trigger) Set(cutEvery int, onUpdate bool) {
	t.s.Policy.CutEvery, t.s.Policy.OnUpdate = cutEvery, onUpdate
}

// PoolFixed is how many people are in a pool that is fixed and not decided; 0: there is none.
func (t Trigger) PoolFixed() int {
	if p := t.s.Head.Pools.Open; p != nil {
		return len(p.Members)
	}
	return 0
}
