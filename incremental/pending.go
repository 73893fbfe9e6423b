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
	// infeasible are the strata (one, without semi-sensitive attributes) whose
	// passed-over records break 1/l by themselves (rule I, infeasible); stuck counts them.
	infeasible map[flagSet]bool
	stuck      int
	// shortfalls are the promises that passed-over values break by themselves.
	shortfalls []Shortfall
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
	p.passedOver, p.infeasible, p.stuck, p.shortfalls = 0, nil, 0, nil
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
// cut, and that found no class nevertheless. If at least k of a stratum break 1/l
// by themselves, they are infeasible (rule I): no partition of them can be
// published, whatever it loses. Fewer than k could not form a class in any case, and
// a handful often exceeds 1/l by chance. A record behind the cut may have arrived in the
// same tick, and was not passed over.
func (p *pendingSet) passOver(ps promises, at *head, policy *Policy) {
	c, want := ps.records, policy.Requirement
	for _, r := range p.waiting {
		if r >= at.LastCut || at.CutTick-c.arrived(r) < policy.MaxHold {
			break
		}
		p.passedOver++
	}
	if policy.Level == L2 { // no count of waiting records may depend on their values
		return
	}
	for _, s := range c.strata(p.waiting[:p.passedOver]) {
		if len(s.records) < want.K || c.bag(s.records).Eligible(want.L) {
			continue
		}
		if p.infeasible == nil {
			p.infeasible = map[flagSet]bool{}
		}
		p.infeasible[s.flags] = true
		p.stuck += len(s.records)
	}
	p.shortfalls = ps.shortfalls(p.waiting[:p.passedOver], want.K)
}

// overdue reports whether the oldest waiting record has waited for max_hold and
// was not passed over already.
func (p *pendingSet) overdue(c *columns, now int64, policy *Policy) bool {
	return len(p.waiting) > p.passedOver && len(p.waiting) >= policy.Requirement.K &&
		now-c.arrived(p.waiting[p.passedOver]) >= policy.MaxHold
}
