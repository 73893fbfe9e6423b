package state

import "slices"

// PendingSet holds the accepted records that are in no published class, each
// list ascending. A record is in exactly one of the lists, or beyond.
type PendingSet struct {
	Waiting     []RecordID
	Quarantined []RecordID // of a pool that was ineligible as a whole (level L2)
	Vacated     []RecordID // likewise, of people who were forgotten since
	Pools       int        // that were
	Judged      int        // people of these, those who were forgotten since included
	Beyond      int        // records in none of the lists: an earlier one of their subject exists (rule S), or the person has lapsed
	passedOver  int        // how many were not published although their loss no longer mattered
	Stuck       int        // of them: all, if they break 1/l by themselves (rule I, infeasible)
}

// Counts counts the pending records by reason.
func (p *PendingSet) Counts() Pending {
	return Pending{Waiting: len(p.Waiting) - p.Stuck, Quarantined: len(p.Quarantined), Infeasible: p.Stuck}
}

// Arrive takes in a new record.
func (p *PendingSet) Arrive(r RecordID, beyond bool) {
	if beyond {
		p.Beyond++
	} else {
		p.Waiting = append(p.Waiting, r)
	}
}

// Quarantine takes in a pool that was quarantined.
func (p *PendingSet) Quarantine(pool []RecordID) {
	p.Quarantined = append(p.Quarantined, pool...)
	p.Pools, p.Judged = p.Pools+1, p.Judged+len(pool)
}

// Lapse takes the oldest n from those that wait.
func (p *PendingSet) Lapse(n int) { p.Waiting, p.Beyond = p.Waiting[n:], p.Beyond+n }

// drop takes records that are in a class or in a pool that was quarantined from those that
// wait, and forgets who was passed over. The pool ascends.
func (p *PendingSet) drop(classOf []ClassID, quarantined []RecordID) {
	p.passedOver, p.Stuck = 0, 0
	gone := func(r RecordID) bool {
		_, found := slices.BinarySearch(quarantined, r)
		return found || classOf[r] != None
	}
	p.Waiting = slices.DeleteFunc(p.Waiting, gone)
}

// Sort puts every record that is in no class into the list it belongs to.
func (s *State) Sort() {
	p, c := &s.Pending, &s.Records
	known := s.Known.Count(Lapsed)+s.Known.Count(Departed) > 0
	p.Waiting, p.Beyond = nil, 0
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
		case c.isBeyond(r) || known && s.Why(c.Subject[r])&(Lapsed|Departed) != 0:
			p.Beyond++
		default:
			p.Waiting = append(p.Waiting, r)
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
