package state

import (
	"cmp"
	"iter"
	"slices"

	"anond/incremental/settle"
)

// PendingSet holds the accepted records that are in no published class, each
// list ascending. A record is in exactly one of the lists, or beyond.
type PendingSet struct {
	Waiting     []RecordID // of the plain stratum: everybody, where nobody settles
	Others      []Waits    // of the other strata, ascending by stratum
	Quarantined []RecordID // of a pool that was ineligible as a whole (level L2)
	Vacated     []RecordID // likewise, of people who were forgotten since
	Pools       int        // that were
	Judged      int        // people of these, those who were forgotten since included
	Beyond      int        // records in none of the lists: an earlier one of their subject exists (rule S), or the person has lapsed
	BeyondMore  int        // records of the source that those who are beyond have besides one each
	passedOver  int        // how many were not published although their loss no longer mattered
	Stuck       int        // of them: all, if they break 1/l by themselves (rule I, infeasible)
}

// Counts counts the pending records by reason.
func (p *PendingSet) Counts() Pending {
	waiting := 0
	for of := range p.Strata() {
		waiting += len(*of)
	}
	return Pending{Waiting: waiting - p.Stuck, Quarantined: len(p.Quarantined), Infeasible: p.Stuck}
}

// Waits are the people of one stratum who wait, ascending.
type Waits struct {
	Stratum settle.Stratum
	Records []RecordID
}

// Of returns those of a stratum who wait.
func (p *PendingSet) Of(s settle.Stratum) []RecordID {
	if at, found := p.other(s); found {
		return p.Others[at].Records
	} else if s == settle.Plain {
		return p.Waiting
	}
	return nil
}

func (p *PendingSet) other(s settle.Stratum) (at int, found bool) {
	return slices.BinarySearchFunc(p.Others, s, func(w Waits, s settle.Stratum) int { return cmp.Compare(w.Stratum, s) })
}

// Strata are the lists of all who wait.
func (p *PendingSet) Strata() iter.Seq[*[]RecordID] {
	return func(yield func(*[]RecordID) bool) {
		if !yield(&p.Waiting) {
			return
		}
		for i := range p.Others {
			if !yield(&p.Others[i].Records) {
				return
			}
		}
	}
}

// Kept are the lists of all who are in no class and stay in the state: those who wait, and those of pools that were quarantined.
func (p *PendingSet) Kept() iter.Seq[[]RecordID] {
	return func(yield func([]RecordID) bool) {
		for of := range p.Strata() {
			if !yield(*of) {
				return
			}
		}
		_ = yield(p.Quarantined) && yield(p.Vacated)
	}
}

// Arrive takes in a new record.
func (p *PendingSet) Arrive(r RecordID, s settle.Stratum, beyond bool) {
	switch {
	case beyond:
		p.Beyond, p.BeyondMore = p.Beyond+1, p.BeyondMore+s.Inserts()-1
	case s == settle.Plain:
		p.Waiting = append(p.Waiting, r)
	default:
		at, found := p.other(s)
		if !found {
			p.Others = slices.Insert(p.Others, at, Waits{Stratum: s})
		}
		p.Others[at].Records = append(p.Others[at].Records, r)
	}
}

// Quarantine takes in a pool that was quarantined.
func (p *PendingSet) Quarantine(pool []RecordID) {
	p.Quarantined = append(p.Quarantined, pool...)
	p.Pools, p.Judged = p.Pools+1, p.Judged+len(pool)
}

// Lapse takes from those that wait whoever has waited too long: from is where in a list those begin who have not. It returns who lapses.
func (p *PendingSet) Lapse(c *Records, from func(waiting []RecordID) int) (lapsed []RecordID) {
	for of := range p.Strata() {
		n := from(*of)
		lapsed, *of = append(lapsed, (*of)[:n]...), (*of)[n:]
	}
	p.Beyond, p.BeyondMore = p.Beyond+len(lapsed), p.BeyondMore+c.More(lapsed)
	return lapsed
}

// drop takes records that are in a class or in a pool that was quarantined from those that
// wait, and forgets who was passed over. The pool ascends.
func (p *PendingSet) drop(classOf []ClassID, quarantined []RecordID) {
	p.passedOver, p.Stuck = 0, 0
	gone := func(r RecordID) bool {
		_, found := slices.BinarySearch(quarantined, r)
		return found || classOf[r] != None
	}
	for of := range p.Strata() {
		*of = slices.DeleteFunc(*of, gone)
	}
}

// Sort puts every record that is in no class into the list it belongs to.
func (s *State) Sort() {
	p, c := &s.Pending, &s.Records
	known := s.Known.Count(Lapsed)+s.Known.Count(Departed) > 0
	p.Waiting, p.Others, p.Beyond, p.BeyondMore = nil, nil, 0, 0
	p.Vacated = nil
	p.Quarantined = slices.DeleteFunc(p.Quarantined, func(r RecordID) bool {
		if c.Erased(r) {
			p.Vacated = append(p.Vacated, r)
		}
		return c.Erased(r)
	})
	quarantined := make(map[RecordID]bool, len(p.Quarantined))
	for _, r := range p.Quarantined {
		quarantined[r] = true
	}
	for r, class := range c.ClassOf {
		r := RecordID(r)
		switch {
		case class != None || quarantined[r] || c.Erased(r):
		default:
			p.Arrive(r, c.StratumOf(r), c.isBeyond(r) || known && s.Why(c.Subject[r])&(Lapsed|Departed) != 0)
		}
	}
}

// passOver counts the waiting records whose loss no longer mattered at the newest
// cut, and that found no class nevertheless. If at least k break 1/l
// by themselves, they are infeasible (rule I): no partition of them can be
// published, whatever it loses. Fewer than k could not form a class in any case, and
// a handful often exceeds 1/l by chance. A record behind the cut may have arrived in the
// same tick, and was not passed over. At level L2 nobody is: no count of waiting records may depend on their values, and what makes
// a pool due is known without a cut (package pools).
func (p *PendingSet) passOver(c *Records, at *Head, policy *Policy) {
	if policy.Level == L2 {
		return
	}
	for _, r := range p.Waiting {
		if r >= at.LastCut || at.CutTick-c.Arrived(r) < policy.MaxHold {
			break
		}
		p.passedOver++
	}
	if passed := p.Waiting[:p.passedOver]; len(passed) >= policy.Requirement.K && !c.Bag(passed).Eligible(policy.Requirement.L) {
		p.Stuck = len(passed)
	}
}

// Overdue reports whether the oldest waiting record has waited for max_hold and
// was not passed over already.
func (p *PendingSet) Overdue(c *Records, now int64, policy *Policy) bool {
	return len(p.Waiting) > p.passedOver && len(p.Waiting) >= policy.Requirement.K &&
		now-c.Arrived(p.Waiting[p.passedOver]) >= policy.MaxHold
}
