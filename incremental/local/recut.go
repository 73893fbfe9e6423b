package local

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental/state"
)

// enterGain is the share of its planned loss that a newcomer must save, besides,
// to enter a published class now. Waiting improves plans, and a plan without one of
// its members loses more. Measured on Adult, where classes have few neighbours of
// their signature: newcomers that enter at any gain raise the loss by 1-3 %; if they
// enter only at a gain of a half, they lower it by up to 1 %.
const enterGain = 0.5

// regrouping is one attempt to take classes of one signature apart and put them
// together anew, with a flat set of newcomers.
type regrouping struct {
	signature []equivclass.Code
	old       []state.ClassID    // the classes taken apart
	new       []state.RecordID   // newcomers: equally many of each value of the signature
	groups    [][]state.RecordID // the classes that result
	born      bool               // the newcomers are a birth of this cut, whatever becomes of the regrouping
	gain      float64
}

// cut forms the classes of a regrouping; nil if it does not pay or would put
// two records of a subject into one class (rule S, one record of a subject).
func (r *regrouper) cut(g *regrouping) *regrouping {
	var members []state.RecordID
	before, fresh := 0.0, 0.0 // losses: of all, of the newcomers
	for _, id := range g.old {
		c := r.classes[id]
		members = append(members, c.Members...)
		before += r.loss(c.Members) * float64(len(c.Members))
	}
	for _, rec := range g.new {
		fresh += r.waitingLoss(rec)
	}
	before += fresh
	members = append(members, g.new...)
	pool := r.records.Pool(r.space, members)
	after := 0.0
	for _, rows := range extract.Recut(pool, g.signature, r.policy.Requirement.K) {
		if !pool.DistinctSubjects(rows) || !r.policy.Requirement.Holds(pool.Bag(rows)) {
			return nil
		}
		after += pool.Loss(rows) * float64(len(rows))
		group := make([]state.RecordID, len(rows))
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

func (r *regrouper) loss(members []state.RecordID) float64 {
	pool := r.records.Pool(r.space, members)
	return pool.Loss(r.rows.allRows(pool.Len()))
}

// waitingLoss is the loss of a waiting record before it is published: that of the
// class it is planned for, which it gets by waiting, and 1 if it is in no plan. (To
// count 1 in any case would let a class absorb records that lose less one release
// later.)
func (r *regrouper) waitingLoss(rec state.RecordID) float64 {
	if r.planned.Has(rec) {
		return r.lost[r.planned.Of(rec)]
	}
	return 1
}

// apply enters a regrouping into the decision. A class that results unchanged stays:
// its records are not regrouped.
func (r *regrouper) apply(d *state.Decision, g *regrouping) {
	regroups := uint16(0)
	kept := map[int]bool{}
	for _, id := range g.old {
		c := r.classes[id]
		r.taken[id] = true
		if i := slices.IndexFunc(g.groups, func(o []state.RecordID) bool { return slices.Equal(o, c.Members) }); i >= 0 {
			kept[i] = true
			continue
		}
		regroups = max(regroups, c.Regroups+1)
		d.Deaths = append(d.Deaths, c.ID)
	}
	for i, members := range g.groups {
		if kept[i] {
			continue
		}
		n := regroups
		if !slices.ContainsFunc(members, func(rec state.RecordID) bool { return r.records.ClassOf[rec] != state.None }) {
			n = 0
		}
		c := &state.Class{Regime: state.Pure, Regroups: n, Members: members}
		r.made[c] = true
		d.Births = append(d.Births, c)
	}
	for _, rec := range g.new {
		r.gone.Add(rec)
	}
}
