package pools

import (
	"math"
	"slices"

	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// poolTail is holdTail at level L2. Measured on Adult (k=5, l=3, 15,000 records and 30
// batches of 500): at a mean hold of 2 batches the loss is 0.0294, with 4.35 it is 0.0301,
// because fewer classes are published for their age alone.
const poolTail = 5.6

// newcomerShare: a pool is planned once newcomers are a twentieth of those who stay behind. It is public. docs/DECISIONS.md has what
// other shares, and keeping planned classes, cost and lose.
const newcomerShare = 20

// backlog is what counts, ages and arrivals alone say of the next pool, before anything is planned: whether there is one, and
// how many are in it at least. The trigger, the cut and the outlook ask it, so none of them plans what will not be published.
//
// Who waits is planned anew by every pool, so a cut costs what waits, not what is new. Therefore a pool is planned only once so many
// have come since the newest release that they are a twentieth of those who stay behind (missing): that bounds the cost of a newcomer,
// however short the slots are. A pool that was quarantined does not count: the next one is planned the sooner.
//
// Rule B (buckets): see the proof in planner.go. How many have come, when, and what waits are arrivals; the rate is theirs; ages follow
// from the public times of cuts; need is public. No value is read, and no state is kept: a restarted machine finds the same.
//
// Method: that of admission, if what it leaves waiting is enough for a pool of its own.
// Otherwise all planned classes are one pool, once so many wait that the mean waiting
// time is that which max_hold asks for: the number waiting then rises from 0 to twice
// its mean. A record that has waited max_hold makes a pool of need records, as soon as
// there are so many; and nothing stays behind when no more records come, as far as need
// allows.
//
// Strata other than the plain one are few people, who would wait for years if they waited for better classes, too: all that are
// planned are a pool as soon as there are so many as it needs.
type backlog struct {
	records []state.RecordID // that may be in the pool, in order of arrival
	planned int              // of them, in classes of exactly k: all but the newest
	keep    float64          // that wait for better classes meanwhile (plan.Admission.Keep)
	overdue bool             // the oldest has waited max_hold
	missing int              // so many have to come before a pool is planned
}

func (p Planning) backlog() backlog {
	s := backlog{records: p.Candidates()}
	if p.plain() {
		s.keep = p.Admission.Keep(poolTail)
	}
	k := p.Policy.Requirement.K
	if s.planned = len(s.records) / k * k; s.planned > 0 {
		s.overdue = p.Admission.Waited(s.records[0]) >= p.Policy.MaxHold
	}
	s.missing = max(0, p.need.Records-s.planned)
	if !p.Head.InitialDone { // the first pool may leave fewer people than a class has
		s.missing = max(0, p.need.Records-len(s.records))
	}
	if s.planned > 0 && s.keep >= float64(p.need.Records) && !p.late(s) {
		s.missing = max(s.missing, int(math.Ceil(s.keep/float64(p.Sizes.Newcomers)))-p.came())
	}
	return s
}

// late reports whether the oldest has waited so long that nobody waits for newcomers any more.
func (p Planning) late(s backlog) bool {
	over := p.Admission.Waited(s.records[0]) - p.Policy.MaxHold
	return over*int64(p.Sizes.Newcomers) > p.Policy.MaxHold
}

// came is how many of those who wait have come since the newest release.
func (p Planning) came() int {
	at, _ := slices.BinarySearch(p.waiting, p.Since)
	return len(p.waiting) - at
}

// rests reports whether a pool waits for newcomers. In a slot to which nobody came it does not: there is nothing to gain. An
// operator who asks for a release does not wait for them.
func (p Planning) rests(s backlog) bool {
	return s.missing > 0 && p.fresh() > 0 && p.Occasion == state.Triggered
}

// publishes reports whether a cut after the first one makes a pool of what waits. It is exact: choose finds at least need records
// in any plan of them, since a plan has classes of k, and all but the newest records are in it, so who is overdue is.
func (p Planning) publishes(s backlog) bool {
	k, need := p.Policy.Requirement.K, p.need.Records
	switch {
	case s.planned < need || p.rests(s):
		return false
	case s.overdue:
		return true
	case s.keep < float64(need):
		return float64(s.planned-p.fresh()) >= 2*s.keep
	}
	return float64(s.planned-(need+k-1)/k*k) >= s.keep
}

// choose returns the planned classes that form the pool. It looks at their loss and ages.
func (p Planning) choose(s backlog, plans []plan.Plan) []plan.Plan {
	k, need := p.Policy.Requirement.K, p.need.Records
	if s.keep < float64(need) {
		return plans
	}
	chosen, others := p.Admission.Split(plans, poolTail)
	if short := (need+k-1)/k - len(chosen); short > 0 { // somebody is overdue
		chosen, others = append(chosen, others[:short]...), others[short:]
	}
	if len(others)*k < need && p.fresh() == 0 {
		return plans
	}
	return chosen
}

// plain reports whether the pool is one of the plain stratum: everybody, where nobody settles.
func (p Planning) plain() bool { return p.stratum == settle.Plain }

// fresh is how many have come since the newest cut tried, for whom a pool may wait: where people settle, those of the plain stratum.
func (p Planning) fresh() int {
	switch {
	case p.Records.Stratum == nil:
		return p.Fresh
	case !p.plain():
		return 0
	}
	at, _ := slices.BinarySearch(p.waiting, p.Head.LastCut)
	return len(p.waiting) - at
}

// strata are those of which a cut may make a pool, in the order in which it asks them: those behind the stratum of the newest pool
// first, by number, then from the plain one on again. So each that has a pool gets its turn. Before the first pool it is the
// plain one alone, of which that is.
//
// Rule B (buckets): a cut makes one pool, of the first stratum that has one by counts, ages and published values (publishes): so who is
// in which pool, and with which number, goes on to follow from arrivals, and from which pools there were. In which stratum somebody
// is follows from what kinds of messages came of the person (package settle), and is the same for all people of a pool. That a pool
// fails decides nothing about whose turn it is: the turn moves when a pool is fixed, in the transaction that fixes it. Two pools of
// one cut would need numbers of their own for their draws: with a shared one the second tells of the first (.604 for 1/2).
func (n *Planner) strata(c *plan.Cut) []settle.Stratum {
	all := []settle.Stratum{settle.Plain}
	if !c.Head.InitialDone {
		return all
	}
	for _, w := range c.Pending.Others {
		all = append(all, w.Stratum)
	}
	slices.Sort(all)
	behind, _ := slices.BinarySearch(all, c.Head.Pools.Turn+1)
	return append(all[behind:len(all):len(all)], all[:behind]...)
}
