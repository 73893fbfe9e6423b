package incremental

import (
	"slices"

	"anond/equivclass"
)

// spendGain is the share of its loss that a regrouping must save to be worth
// one of the records' regroupings (rule E, equality patterns: the budget is limited).
// Few large steps lose less than many small ones. freeGain takes its place where
// max_regroups is unlimited.
const (
	spendGain = 0.15
	freeGain  = 0.02
)

// regroup adds to the decision what rule P (pure classes) allows around the records that still
// wait: growth of a signature by flat sets, and cutting its classes in one
// neighbourhood anew, alone or with the flat births of this cut.
//
// Rule P: every class that results has the one signature of the classes taken
// apart, each value equally often, and at least k records, so each member's
// posterior stays exactly 1/|S| at L0 and L1 (Theorem P). Rule D (difference): newcomers
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

// tie positions the repeats whose twin is published in a pure class (rule S, one
// record of a subject; sticky): they may join that class's signature and no other.
func (r *regrouper) tie(repeats []RecordID) {
	if r.policy.Repeat != RepeatSticky || len(r.planner.slots) == 0 {
		return
	}
	r.tied, r.must = map[int32][]RecordID{}, map[RecordID]ClassID{}
	x := make([]float32, r.records.schema.D())
	for _, rec := range repeats {
		class := r.records.classOf[r.records.firsts.first(r.records, rec)]
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
