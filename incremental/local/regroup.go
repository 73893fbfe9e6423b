package local

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/place"
	"anond/incremental/plan"
	"anond/incremental/state"
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
// Cost: one position for each waiting record; if any waits, for each pure class one search and one
// cut of the classes of one signature around it; for each flat birth the same. Other classes are
// landmarks only.
func (p Planning) regroup(d *state.Decision, space *equivclass.Space, plans, chosen []plan.Plan) {
	var open []state.ClassID
	for _, c := range p.Classes {
		if c.Died == 0 && c.Regime == state.Pure && !p.Policy.Exhausted(c) {
			open = append(open, c.ID)
		}
	}
	if len(open) == 0 {
		return
	}
	r := newRegrouper(p, space, plans, chosen)
	if len(r.here) > 0 {
		for _, c := range open {
			if best := r.best(c); best != nil {
				r.apply(d, best)
			}
		}
	}
	r.join(d)
}

// regrouper is the state of regroup during one cut.
type regrouper struct {
	policy    *state.Policy
	records   *state.Records
	classes   []*state.Class
	place     *place.Counter
	space     *equivclass.Space
	spend     float64                             // spendGain or freeGain
	signature map[state.ClassID][]equivclass.Code // once asked for
	taken     map[state.ClassID]bool              // classes regrouped in this cut
	made      map[*state.Class]bool               // classes that regroupings of this cut made
	gone      state.RecordSet                     // records published by this cut
	planned   state.Ranks                         // of the records that are planned for a class
	lost      []float64                           // by rank: what they lose in it
	here      map[state.ClassID][]state.RecordID  // waiting records by the class they lie at
	rows      localScratch
}

func newRegrouper(from Planning, space *equivclass.Space, plans, chosen []plan.Plan) *regrouper {
	r := &regrouper{policy: from.Policy, records: from.Records, classes: from.Classes, place: from.Place, space: space,
		spend: spendGain, signature: map[state.ClassID][]equivclass.Code{}, taken: map[state.ClassID]bool{},
		made: map[*state.Class]bool{}, gone: state.NewRecordSet(from.Records.Len()), here: map[state.ClassID][]state.RecordID{}}
	if r.policy.MaxRegroups < 0 {
		r.spend = freeGain
	}
	r.plan(plans)
	for _, p := range chosen {
		for _, rec := range p.Members {
			r.gone.Add(rec)
		}
	}
	var left []state.RecordID
	for _, rec := range from.Pending.Waiting {
		if !r.gone.Has(rec) {
			left = append(left, rec)
		}
	}
	r.settle(left)
	return r
}

// plan notes what each record loses in the class that it is planned for.
func (r *regrouper) plan(plans []plan.Plan) {
	planned := state.NewRecordSet(r.records.Len())
	for _, p := range plans {
		for _, rec := range p.Members {
			planned.Add(rec)
		}
	}
	r.planned = state.RanksOf(planned)
	r.lost = make([]float64, r.planned.Len())
	for _, p := range plans {
		for _, rec := range p.Members {
			r.lost[r.planned.Of(rec)] = p.Loss
		}
	}
}

// settle positions records.
func (r *regrouper) settle(records []state.RecordID) {
	for i, class := range r.place.Positions(records, r.policy.Workers) {
		r.here[class] = append(r.here[class], records[i])
	}
}

// signatureOf returns the signature of a class.
func (r *regrouper) signatureOf(c state.ClassID) []equivclass.Code {
	sig, ok := r.signature[c]
	if !ok {
		sig = r.records.Bag(r.classes[c].Members).Signature()
		r.signature[c] = sig
	}
	return sig
}

// best returns the regrouping around a pure class that gains most, nil if none pays.
func (r *regrouper) best(c state.ClassID) *regrouping {
	if r.taken[c] {
		return nil
	}
	near := r.place.Around(r.classes[c].Members, r.policy.Neighbours)
	waiting := r.waitingAt(near)
	if len(waiting) == 0 {
		return nil
	}
	var best *regrouping
	for _, classes := range r.bySignature(near) {
		if g := r.try(classes, waiting); g != nil && (best == nil || g.gain > best.gain) {
			best = g
		}
	}
	return best
}

// waitingAt returns the records that still wait at classes.
func (r *regrouper) waitingAt(classes []state.ClassID) []state.RecordID {
	var out []state.RecordID
	for _, c := range classes {
		for _, rec := range r.here[c] {
			if !r.gone.Has(rec) {
				out = append(out, rec)
			}
		}
	}
	return out
}

// bySignature groups the classes that may be regrouped by signature, in
// order of the nearest of each.
func (r *regrouper) bySignature(near []state.ClassID) [][]state.ClassID {
	var out [][]state.ClassID
	var signatures [][]equivclass.Code
	for _, id := range near {
		if c := r.classes[id]; c.Regime != state.Pure || r.taken[id] || r.policy.Exhausted(c) {
			continue
		}
		sig := r.signatureOf(id)
		i := slices.IndexFunc(signatures, func(o []equivclass.Code) bool { return slices.Equal(o, sig) })
		if i < 0 {
			signatures, out = append(signatures, sig), append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], id)
	}
	return out
}

// try cuts the classes anew, with as many flat sets of waiting
// records as there are and a local update has room for, and without; it returns
// the better one if it pays.
func (r *regrouper) try(old []state.ClassID, waiting []state.RecordID) *regrouping {
	sig := r.signatureOf(old[0])
	room := max(1, localPool*r.policy.Requirement.K/len(sig))
	var best *regrouping
	for _, sets := range []int{min(room, r.flatSets(sig, waiting)), 0} {
		if sets == 0 && len(old) < 2 {
			continue
		}
		g := r.cut(&regrouping{signature: sig, old: old, new: r.pick(sig, waiting, sets, old[0])})
		if g != nil && (best == nil || g.gain > best.gain) {
			best = g
		}
	}
	return best
}
