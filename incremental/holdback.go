package incremental

import (
	"cmp"
	"slices"

	"anond/equivclass"
)

// holdback withholds planned classes from a cut where the promises or rule I
// (infeasible) demand it.
type holdback struct {
	promises
	infeasible map[flagSet]bool // the strata whose records that were passed over break 1/l by themselves
}

// allOrNothing drops the plans of each infeasible stratum in which somebody would
// be left (rule I); the other strata are not concerned.
func (h holdback) allOrNothing(plans []plan, rest []RecordID) []plan {
	left := map[flagSet]bool{}
	for _, r := range rest {
		left[h.records.flagged(r)] = true
	}
	return slices.DeleteFunc(plans, func(p plan) bool {
		f := h.records.flagged(p.members[0])
		return h.infeasible[f] && left[f]
	})
}

// urgent separates the plans of infeasible strata, which are admitted at once, from
// the others.
func (h holdback) urgent(plans []plan) (urgent, others []plan) {
	for _, p := range plans {
		if h.infeasible[h.records.flagged(p.members[0])] {
			urgent = append(urgent, p)
		} else {
			others = append(others, p)
		}
	}
	return urgent, others
}

// keep returns the classes that a cut may publish of those chosen: all but for
// those that holdBack holds, and with one of an infeasible stratum all of it
// (rule I).
func (h holdback) keep(plans []plan) []plan {
	if len(h.each) == 0 {
		return plans
	}
	for {
		kept, held := h.holdBack(plans)
		var left []RecordID
		for _, p := range held {
			left = append(left, p.members...)
		}
		if plans = h.allOrNothing(kept, left); len(plans) == len(kept) {
			return plans
		}
	}
}

// holdBack keeps, of the classes that a cut would publish, as many as leave the
// promise of every semi-sensitive attribute kept (rule D, difference, for each
// attribute: the values newly published have no share above 1/l, or are t-close).
// The others wait. Only whole classes are held: without a member a class would be
// another class.
//
// Method: as long as an attribute breaks its promise, hold the classes whose absence
// brings it nearest to the promise per record held; then take back every class that
// fits after all, the largest first. Deterministic; any choice is safe at L0 and L1,
// because a class that was never published is not visible (rule A, frozen classes). Cost: classes x
// values of the attributes with t, classes x log classes for those with l.
func (h holdback) holdBack(plans []plan) (kept, held []plan) {
	c := newHolding(h.promises, plans)
	for {
		broken := slices.IndexFunc(c.tallies, func(t *tally) bool { return !t.holds() })
		if broken < 0 {
			break
		}
		c.relieve(broken)
	}
	c.takeBack()
	for i, p := range plans {
		if c.out[i] {
			held = append(held, p)
		} else {
			kept = append(kept, p)
		}
	}
	return kept, held
}

// holding is the state of holdBack during one cut.
type holding struct {
	plans   []plan
	bags    [][]equivclass.Bag // by attribute, then plan: its sensitive values
	tallies []*tally
	out     []bool // by plan: held back
}

// tally counts the sensitive values of one attribute in the classes kept.
type tally struct {
	promise
	count map[equivclass.Code]int
	total int
}

func newHolding(ps promises, plans []plan) *holding {
	h := &holding{plans: plans, out: make([]bool, len(plans))}
	for _, p := range ps.each {
		t := &tally{promise: p, count: map[equivclass.Code]int{}}
		bags := make([]equivclass.Bag, len(plans))
		for i := range plans {
			bags[i] = ps.records.semiBag(p.j, plans[i].members)
			t.add(bags[i], 1)
		}
		h.tallies, h.bags = append(h.tallies, t), append(h.bags, bags)
	}
	return h
}

func (t *tally) add(b equivclass.Bag, sign int) {
	for _, c := range b.Counts {
		t.count[c.Code] += sign * c.N
	}
	t.total += sign * b.Total
}

// bag returns the tally as a bag, less another one.
func (t *tally) bag(less equivclass.Bag) (b equivclass.Bag) {
	away := map[equivclass.Code]int{}
	for _, c := range less.Counts {
		away[c.Code] = c.N
	}
	for code, n := range t.count {
		if n -= away[code]; n > 0 {
			b.Counts = append(b.Counts, equivclass.Count{Code: code, N: n})
			b.Total += n
		}
	}
	slices.SortFunc(b.Counts, func(a, b equivclass.Count) int { return cmp.Compare(a.Code, b.Code) })
	return b
}

func (t *tally) holds() bool { return t.promise.holds(t.bag(equivclass.Bag{})) }

// worst returns the most frequent value, of equals the first.
func (t *tally) worst() (worst equivclass.Code) {
	most := 0
	for code, n := range t.count {
		if n > most || n == most && code < worst {
			worst, most = code, n
		}
	}
	return worst
}

// relieve holds classes of a broken attribute: those that gain most per record.
// With l, what a class gains does not depend on which others are held, so one
// order serves until the value is rare enough. With t a sixteenth is held at a
// time, after which gains are computed anew.
func (h *holding) relieve(j int) {
	t := h.tallies[j]
	gain := t.gains()
	type candidate struct {
		plan int
		gain float64
	}
	var order []candidate
	for i := range h.plans {
		if b := h.bags[j][i]; !h.out[i] && b.Total > 0 {
			order = append(order, candidate{i, gain(b) / float64(len(h.plans[i].members))})
		}
	}
	slices.SortFunc(order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(h.plans[a.plan].members[0], h.plans[b.plan].members[0]))
	})
	if t.l == 0 {
		order = order[:max(1, len(order)/16)]
	}
	value := t.worst()
	for i, c := range order {
		if i > 0 && (t.l > 0 && t.count[value]*t.l <= t.total || t.l == 0 && t.holds()) {
			return
		}
		h.hold(c.plan)
	}
}

// gains returns by how much holding a class brings the attribute nearer to its
// promise.
func (t *tally) gains() func(class equivclass.Bag) float64 {
	if t.l > 0 {
		value := t.worst()
		return func(class equivclass.Bag) float64 { return float64(countOf(class, value)*t.l - class.Total) }
	}
	now := t.ground(t.bag(equivclass.Bag{}), t.reference)
	return func(class equivclass.Bag) float64 {
		left := t.bag(class)
		if left.Total == 0 {
			return now
		}
		return now - t.ground(left, t.reference)
	}
}

func countOf(b equivclass.Bag, value equivclass.Code) int {
	byCode := func(c equivclass.Count, v equivclass.Code) int { return cmp.Compare(c.Code, v) }
	if i, found := slices.BinarySearchFunc(b.Counts, value, byCode); found {
		return b.Counts[i].N
	}
	return 0
}

func (h *holding) hold(plan int) {
	h.out[plan] = true
	for j, t := range h.tallies {
		t.add(h.bags[j][plan], -1)
	}
}

// takeBack keeps classes that were held but fit together with the others after all.
func (h *holding) takeBack() {
	var order []int
	for i, out := range h.out {
		if out {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := h.plans[a].members, h.plans[b].members
		return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x[0], y[0]))
	})
	for _, i := range order {
		for j, t := range h.tallies {
			t.add(h.bags[j][i], 1)
		}
		h.out[i] = false
		if slices.ContainsFunc(h.tallies, func(t *tally) bool { return !t.fits(h.bags[t.j][i]) }) {
			h.hold(i)
		}
	}
}

// fits reports whether the promise holds after a class was added to classes with
// which it held: with l only the values of the class became more frequent.
func (t *tally) fits(class equivclass.Bag) bool {
	if t.l == 0 {
		return t.holds()
	}
	return !slices.ContainsFunc(class.Counts, func(c equivclass.Count) bool { return t.count[c.Code]*t.l > t.total })
}
