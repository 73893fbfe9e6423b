package incremental

import "slices"

// pendingSet holds the accepted records that are in no published class, each
// list ascending. A record is in exactly one of the lists, or beyond.
type pendingSet struct {
	waiting     []RecordID
	quarantined []RecordID // of a pool that was ineligible as a whole (level L2)
	pools       int        // that were
	judged      int        // people of these, those who were forgotten since included
	beyond      int        // records in none of the lists, as an earlier one of their subject exists (rule S)
	passedOver  int        // how many were not published although their loss no longer mattered
	stuck       int        // of them: all, if they break 1/l by themselves (rule I, infeasible)
}

// counts counts the pending records by reason.
func (p *pendingSet) counts() Pending {
	return Pending{Waiting: len(p.waiting) - p.stuck, Quarantined: len(p.quarantined), Infeasible: p.stuck}
}

// arrive takes in a new record.
func (p *pendingSet) arrive(r RecordID, beyond bool) {
	if beyond {
		p.beyond++
	} else {
		p.waiting = append(p.waiting, r)
	}
}

// quarantine takes in a pool that was quarantined.
func (p *pendingSet) quarantine(pool []RecordID) {
	p.quarantined = append(p.quarantined, pool...)
	p.pools, p.judged = p.pools+1, p.judged+len(pool)
}

// drop takes records that are in a class or in a pool that was quarantined from those that
// wait, and forgets who was passed over. The pool ascends.
func (p *pendingSet) drop(classOf []ClassID, quarantined []RecordID) {
	p.passedOver, p.stuck = 0, 0
	gone := func(r RecordID) bool {
		_, found := slices.BinarySearch(quarantined, r)
		return found || classOf[r] != none
	}
	p.waiting = slices.DeleteFunc(p.waiting, gone)
}

// sort puts every record that is in no class into the list it belongs to.
func (p *pendingSet) sort(c *columns) {
	p.waiting, p.beyond = nil, 0
	p.quarantined = slices.DeleteFunc(p.quarantined, c.erased)
	quarantined := make(map[RecordID]bool, len(p.quarantined))
	for _, r := range p.quarantined {
		quarantined[r] = true
	}
	for r, class := range c.classOf {
		r := RecordID(r)
		switch {
		case class != none || quarantined[r] || c.erased(r):
		case c.isBeyond(r):
			p.beyond++
		default:
			p.waiting = append(p.waiting, r)
		}
	}
}

// passOver counts the waiting records whose loss no longer mattered at the newest
// cut, and that found no class nevertheless. If at least k break 1/l
// by themselves, they are infeasible (rule I): no partition of them can be
// published, whatever it loses. Fewer than k could not form a class in any case, and
// a handful often exceeds 1/l by chance. A record behind the cut may have arrived in the
// same tick, and was not passed over.
func (p *pendingSet) passOver(c *columns, at *head, policy *Policy) {
	for _, r := range p.waiting {
		if r >= at.LastCut || at.CutTick-c.arrived(r) < policy.MaxHold {
			break
		}
		p.passedOver++
	}
	if policy.Level == L2 { // no count of waiting records may depend on their values
		return
	}
	if passed := p.waiting[:p.passedOver]; len(passed) >= policy.Requirement.K && !c.bag(passed).Eligible(policy.Requirement.L) {
		p.stuck = len(passed)
	}
}

// overdue reports whether the oldest waiting record has waited for max_hold and
// was not passed over already.
func (p *pendingSet) overdue(c *columns, now int64, policy *Policy) bool {
	return len(p.waiting) > p.passedOver && len(p.waiting) >= policy.Requirement.K &&
		now-c.arrived(p.waiting[p.passedOver]) >= policy.MaxHold
}
