package incremental

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/extract"
)

// spendGain is the share of its loss that a regrouping must save to be worth
// one of the records' regroupings (rule E: the budget only where it pays): few
// large steps do better than many small ones, as in the compaction of a log.
// freeGain takes its place where max_regroups is unlimited.
const (
	spendGain = 0.15
	freeGain  = 0.02
)

// enterGain is the share of its planned loss that a newcomer must save, besides,
// to enter a published class now. Waiting improves plans, and a plan that loses
// a member loses more: measured on Adult, where classes have few neighbours of
// their signature, newcomers at any gain cost 1-3 % of the loss, at a half they
// save up to 1 %.
const enterGain = 0.5

// regrouping is one attempt to take classes of one signature apart and put them
// together anew, with a flat set of newcomers.
type regrouping struct {
	signature []equivclass.Code
	old       []int32      // slots of the classes taken apart
	new       []RecordID   // newcomers: equally many of each value of the signature
	groups    [][]RecordID // the classes that result
	born      bool         // the newcomers are a birth of this cut, whatever becomes of the regrouping
	gain      float64
}

// regroup adds to the decision what rule P allows around the records that still
// wait: growth of a signature by flat sets, and cutting its classes in one
// neighbourhood anew, alone or with the flat births of this cut.
//
// Rule P: every class that results has the one signature of the classes taken
// apart, each value equally often, and at least k records, so each member's
// posterior stays exactly 1/|S| at L0 and L1 (Theorem P). Rule D: newcomers
// enter in sets with equally many of each value, so no value has more than
// 1/|S| of them. Rule E: only classes whose members all have regroupings left.
//
// Cost: for each class with waiting records and each flat birth, one search and
// one cut of the classes of one signature around it.
func (p *planning) regroup(d *decision, space *equivclass.Space, plans, chosen []plan) {
	if !slices.ContainsFunc(p.planner.slots, func(s slot) bool { return s.class.Regime == Pure && !p.policy.exhausted(s.class) }) {
		return
	}
	r := newRegrouper(p, space, plans, chosen)
	for s := range p.planner.slots {
		best := r.best(int32(s))
		if best != nil {
			r.apply(d, best)
		}
	}
	r.join(d)
}

// regrouper is the state of regroup during one cut.
type regrouper struct {
	policy    *Policy
	records   *columns
	classes   []*Class
	planner   *planner
	space     *equivclass.Space
	spend     float64                     // spendGain or freeGain
	signature map[int32][]equivclass.Code // by slot, once asked for
	taken     map[int32]bool              // slots regrouped in this cut
	made      map[*Class]bool             // classes that regroupings of this cut made
	gone      map[RecordID]bool           // records published by this cut
	planned   map[RecordID]float64        // what each record loses in the class it is planned for
	tied      map[int32][]RecordID        // sticky: repeats by the slot they lie at
	must      map[RecordID]ClassID        // sticky: the class whose signature a repeat must get
}

func newRegrouper(from *planning, space *equivclass.Space, plans, chosen []plan) *regrouper {
	r := &regrouper{policy: from.policy, records: from.records, classes: from.classes, planner: from.planner, space: space,
		spend: spendGain, signature: map[int32][]equivclass.Code{}, taken: map[int32]bool{},
		made: map[*Class]bool{}, gone: map[RecordID]bool{}, planned: map[RecordID]float64{}}
	if r.policy.MaxRegroups < 0 {
		r.spend = freeGain
	}
	for _, p := range plans {
		for _, rec := range p.members {
			r.planned[rec] = p.loss
		}
	}
	for _, p := range chosen {
		for _, rec := range p.members {
			r.gone[rec] = true
		}
	}
	r.tie(from.pending.repeats)
	return r
}

// signatureOf returns the signature of the class at a slot.
func (r *regrouper) signatureOf(s int32) []equivclass.Code {
	sig, ok := r.signature[s]
	if !ok {
		sig = r.records.bag(r.planner.slots[s].class.Members).Signature()
		r.signature[s] = sig
	}
	return sig
}

// tie positions the repeats whose twin is published in a pure class (rule S,
// sticky): they may join that class's signature and no other.
func (r *regrouper) tie(repeats []RecordID) {
	if r.policy.Repeat != RepeatSticky || len(r.planner.slots) == 0 {
		return
	}
	r.tied, r.must = map[int32][]RecordID{}, map[RecordID]ClassID{}
	x := make([]float32, r.records.schema.D())
	for _, rec := range repeats {
		twin, _ := r.records.twin(rec)
		class := r.records.classOf[twin]
		if class == none || r.classes[class].Regime != Pure {
			continue
		}
		r.records.coords(r.planner.space, rec, x)
		s := r.planner.index.position(x)
		r.tied[s] = append(r.tied[s], rec)
		r.must[rec] = class
	}
}

// best returns the regrouping around a slot that gains most, nil if none pays.
func (r *regrouper) best(s int32) *regrouping {
	if !r.waits(s) {
		return nil
	}
	p := r.planner
	centre := make([]float32, p.index.d)
	for j := range centre {
		centre[j] = p.index.centre(s, j)
	}
	near := p.index.neighbours(centre, p.policy.Neighbours, nil)
	waiting := r.waitingAt(near)
	var best *regrouping
	for _, slots := range r.bySignature(near) {
		if g := r.try(slots, waiting); g != nil && (best == nil || g.gain > best.gain) {
			best = g
		}
	}
	return best
}

func (r *regrouper) waits(s int32) bool { return len(r.waitingAt([]int32{s})) > 0 }

// waitingAt returns the records that still wait at the slots.
func (r *regrouper) waitingAt(slots []int32) []RecordID {
	var out []RecordID
	add := func(records []RecordID) {
		for _, rec := range records {
			if !r.gone[rec] {
				out = append(out, rec)
			}
		}
	}
	for _, s := range slots {
		sl := &r.planner.slots[s]
		add(sl.here)
		for _, p := range sl.plans {
			add(p.members)
		}
		add(r.tied[s])
	}
	return out
}

// bySignature groups the slots whose class may be regrouped by signature, in
// order of the nearest of each.
func (r *regrouper) bySignature(near []int32) [][]int32 {
	var out [][]int32
	var signatures [][]equivclass.Code
	for _, s := range near {
		c := r.planner.slots[s].class
		if c.Regime != Pure || r.taken[s] || r.policy.exhausted(c) {
			continue
		}
		sig := r.signatureOf(s)
		i := slices.IndexFunc(signatures, func(o []equivclass.Code) bool { return slices.Equal(o, sig) })
		if i < 0 {
			signatures, out = append(signatures, sig), append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], s)
	}
	return out
}

// exhausted reports whether a member of a class has no regrouping left (rule E).
func (p *Policy) exhausted(c *Class) bool {
	return p.MaxRegroups >= 0 && int(c.Regroups) >= p.MaxRegroups
}

// try cuts the classes at the slots anew, with as many flat sets of waiting
// records as there are and a local update has room for, and without; it returns
// the better one if it pays.
func (r *regrouper) try(slots []int32, waiting []RecordID) *regrouping {
	sig := r.signatureOf(slots[0])
	room := max(1, localPool*r.policy.Requirement.K/len(sig))
	var best *regrouping
	for _, sets := range []int{min(room, r.flatSets(sig, waiting)), 0} {
		if sets == 0 && len(slots) < 2 {
			continue
		}
		g := r.cut(&regrouping{signature: sig, old: slots, new: r.pick(sig, waiting, sets, slots)})
		if g != nil && (best == nil || g.gain > best.gain) {
			best = g
		}
	}
	return best
}

// cut forms the classes of a regrouping; nil if it does not pay or would put
// two records of a subject into one class (rule S).
func (r *regrouper) cut(g *regrouping) *regrouping {
	var members []RecordID
	before, fresh := 0.0, 0.0 // losses: of all, of the newcomers
	for _, s := range g.old {
		c := r.planner.slots[s].class
		members = append(members, c.Members...)
		before += r.loss(c.Members) * float64(len(c.Members))
	}
	for _, rec := range g.new {
		fresh += r.waitingLoss(rec)
	}
	before += fresh
	members = append(members, g.new...)
	pool := r.records.pool(r.space, members)
	after := 0.0
	for _, rows := range extract.Recut(pool, g.signature, r.policy.Requirement.K) {
		if !pool.DistinctSubjects(rows) || !r.policy.Requirement.Holds(pool.Bag(rows)) {
			return nil
		}
		after += pool.Loss(rows) * float64(len(rows))
		group := make([]RecordID, len(rows))
		for i, row := range rows {
			group[i] = members[row]
		}
		slices.Sort(group)
		g.groups = append(g.groups, group)
	}
	need := r.spend * before
	if !g.born {
		need += enterGain * fresh
	}
	if g.gain = before - after; g.gain <= need {
		return nil
	}
	return g
}

func (r *regrouper) loss(members []RecordID) float64 {
	pool := r.records.pool(r.space, members)
	return pool.Loss(r.planner.scratch.allRows(pool.Len()))
}

// waitingLoss is what a waiting record counts before it is published: what it
// loses in the class it is planned for, which it will get by waiting, and 1 if it
// is in no plan. (The contract counts 1 in any case; that would let a class
// absorb records that do better one release later.)
func (r *regrouper) waitingLoss(rec RecordID) float64 {
	if loss, ok := r.planned[rec]; ok {
		return loss
	}
	return 1
}

// apply enters a regrouping into the decision. A class that comes out as it was
// stays: nothing about it is regrouped.
func (r *regrouper) apply(d *decision, g *regrouping) {
	regroups := uint16(0)
	kept := map[int]bool{}
	for _, s := range g.old {
		c := r.planner.slots[s].class
		r.taken[s] = true
		if i := slices.IndexFunc(g.groups, func(o []RecordID) bool { return slices.Equal(o, c.Members) }); i >= 0 {
			kept[i] = true
			continue
		}
		regroups = max(regroups, c.Regroups+1)
		d.deaths = append(d.deaths, c.ID)
	}
	for i, members := range g.groups {
		if kept[i] {
			continue
		}
		n := regroups
		if !slices.ContainsFunc(members, func(rec RecordID) bool { return r.records.classOf[rec] != none }) {
			n = 0
		}
		c := &Class{Regime: Pure, Regroups: n, Members: members}
		r.made[c] = true
		d.births = append(d.births, c)
	}
	for _, rec := range g.new {
		r.gone[rec] = true
	}
}
