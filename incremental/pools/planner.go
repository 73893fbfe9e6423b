// Package pools plans level L2: who is in the next pool and who shares a class, blind to values; then which classes share a bucket
// (package merge).
//
// Guarantee: rule B (buckets); the proof stands below. Cost: that of extract.Blind for those who wait, and of merge.Pool for the pool.
package pools

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Pools of level L2 (rule B, buckets).
//
// Claim. Who shares a class, in which pool a class is and when it is published are
// functions of quasi-identifiers, arrival, what was published before and which pools were
// refused or quarantined. So the duties of package merge are kept, and Theorem E holds:
// someone who keeps all releases and knows this program believes of a published person
// with probability count/size of their bucket that they have a value.
//
// Proof. candidates looks at the order of arrival, at who is a subject's first record and
// at versions of a public file; whole looks at numbers only. blind and near are given points without
// values. Which stratum has its turn follows from the same (strata). backlog and publishes look at numbers, ages and arrivals,
// newcomers among them, and at who asks for the cut, which nobody does
// who knows a value of those who wait; choose looks also at the loss of planned classes; all look at what a pool
// needs, which is a function of the published values and of the size of the first pool.
// When a cut is due follows from the same: the trigger `update` looks at the positions of
// published classes, which are numbered in an order that is blind. What came of it, people, classes and sub-pools, is
// committed (fixed_pool.go). Only then values are
// looked at: by the test of the bag of the whole pool, and by merge.Pool, of what was committed and of nothing else. If the test fails,
// the whole pool is quarantined, and none of its records is ever in another pool; or it is
// the first pool, which stays the same until a requirement holds for it, and every such
// test is a function of its bag. So later pools depend on earlier ones by what was published
// and by the outcome of tests, and both are functions of whole pools' bags.  QED
//
// A first pool that grows after it was refused breaks the proof (the refusal tells about
// those who were there before). The state keeps that (Pools.Grown), and the releases claim
// L0 and L1 only.

// Fix implements planner.
func (n *Planner) Fix(c *plan.Cut) *state.Pool {
	for _, s := range n.strata(c) {
		p := n.Planning(c, s)
		if plans := p.poolPlans(); len(plans) > 0 {
			return p.PoolOf(plans)
		}
	}
	return nil
}

// Preview implements planner: who would be in the pool, which may still be quarantined.
func (n *Planner) Preview(c *plan.Cut) ([][]state.RecordID, error) {
	of := c.Head.Pools.Open
	if of == nil {
		of = &state.Pool{}
		for _, s := range n.strata(c) {
			for _, pl := range n.Planning(c, s).poolPlans() {
				of.Members = append(of.Members, pl.Members...)
			}
			if len(of.Members) > 0 {
				break
			}
		}
	}
	return slices.Collect(slices.Chunk(of.Members, c.Policy.Requirement.K)), nil
}

// Decide implements planner: on the pool that is fixed.
func (n *Planner) Decide(c *plan.Cut) (state.Decision, error) {
	if of := c.Head.Pools.Open; of != nil {
		return n.Planning(c, c.Records.StratumOf(of.Members[0])).Pool(of)
	}
	return state.Decision{}, nil
}

// Planning is a cut at level L2, as far as it concerns one stratum.
type Planning struct {
	*plan.Cut
	*Planner
	stratum settle.Stratum
	need    plan.PoolNeed
	waiting []state.RecordID
}

// Planning is that of a stratum.
func (n *Planner) Planning(c *plan.Cut, of settle.Stratum) Planning {
	return Planning{c, n, of, *n.Need(of), c.Pending.Of(of)}
}

// poolPlans plans the classes of the next pool, none if there is none. It is blind to the
// values of those who wait.
func (p Planning) poolPlans() []plan.Plan {
	s, k, chooses := p.backlog(), p.Policy.Requirement.K, p.Head.InitialDone && p.Occasion != state.AtEnd
	if !p.need.Possible || len(s.records) < p.need.Records || chooses && !p.publishes(s) {
		return nil
	}
	if !p.Head.InitialDone {
		if s.records = p.whole(s.records); len(s.records) == 0 {
			return nil
		}
	}
	plans, _ := Blind(p.Records, p.Records.Space(p.Records.Len()), s.records, k, p.Policy.Workers, p.Progress)
	if p.Records.Interrupt.Asked() { // the plans are incomplete
		return nil
	}
	if chooses {
		plans = p.choose(s, plans)
	}
	subPools, each := p.blocks(len(plans))
	return plans[:subPools*each]
}

// Candidates returns the records that may be in the next pool, in order of arrival. After the hierarchy of the
// sensitive attribute has grown they are those that arrived under one version of it, the
// oldest of which there are enough: a value becomes valid between two pools only, and the
// bag of a pool may hold it for each of its records.
func (p Planning) Candidates() []state.RecordID {
	waiting := p.waiting
	for of := range p.Records.Versions(p.Head, waiting) {
		if waiting = of; len(of) >= p.need.Records {
			break
		}
	}
	return waiting
}

// whole returns the oldest records, as many as fit sub-pools of equal size.
func (p Planning) whole(records []state.RecordID) []state.RecordID {
	subPools, each := p.blocks(len(records) / p.Policy.Requirement.K)
	return records[:subPools*each*p.Policy.Requirement.K]
}

// blocks divides so many classes into sub-pools of equal size; the classes that are left
// over, the last ones, wait: never so many that the pool has fewer than it needs.
func (p Planning) blocks(classes int) (subPools, each int) {
	return merge.Blocks(classes, p.leastSubPool(), p.need.Records/p.Policy.Requirement.K)
}

func (p Planning) leastSubPool() int {
	k, need := p.Policy.Requirement.K, p.need.Records
	if !p.Head.InitialDone {
		need = p.Policy.MinPool
	}
	return max(p.Sizes.SubPool, (need+k-1)/k)
}

// division is that of a pool's classes, which fit.
func (p Planning) division(plans []plan.Plan) (subPools int, near bool) {
	return merge.Division(len(plans), p.leastSubPool(), p.Policy.LargestL())
}

// PoolOf is the pool of planned classes, as it will be fixed.
func (p Planning) PoolOf(plans []plan.Plan) *state.Pool {
	slices.SortFunc(plans, func(a, b plan.Plan) int { return cmp.Compare(a.Members[0], b.Members[0]) })
	of := &state.Pool{}
	of.SubPools, _ = p.division(plans)
	for _, pl := range p.near(plans) {
		of.Members = append(of.Members, pl.Members...)
	}
	return of
}

// Pool decides on a fixed pool: all of it is published, or
// all of it is quarantined, or it is the first pool and refused.
func (p Planning) Pool(of *state.Pool) (d state.Decision, err error) {
	all := of.People()
	want := p.Policy.Requirement
	if want.NeedsReference() { // a pool is published or quarantined as a whole, so its bag may be public
		bag := p.Records.Bag(all)
		want = want.WithReference(bag)
		d.Fix(p.Records.Schema.SensitiveIndex(), bag.Counts)
	}
	m, bag := newMerging(p.Records, p.Policy, want.Extra, all)
	if !m.want.Holds(bag, len(all)) {
		failed := slices.DeleteFunc(m.attributes.Verdicts(bag, len(all)), func(v promise.Verdict) bool { return v.Holds })
		if p.Head.InitialDone || p.Policy.OnRefusal == state.QuarantineRefused {
			if len(failed) == 0 { // policy.diversity, which is of a single attribute
				failed = []promise.Verdict{{Attribute: p.Sensitive()}}
			}
			return state.Decision{Pool: all, Failed: failed}, nil
		}
		return state.Decision{}, p.refusal(all, want, failed)
	}
	d.Births = p.buckets(of, m)
	return d, nil
}

// near puts the classes of a pool in an order in which class i is in sub-pool i modulo their
// number, and the classes of a sub-pool lie near each other.
func (p Planning) near(plans []plan.Plan) []plan.Plan {
	subPools, near := p.division(plans)
	if subPools < 2 || !near {
		return plans
	}
	c, k := p.Records, p.Policy.Requirement.K
	d, space := c.Schema.D(), c.Space(c.Len())
	points := equivclass.Points{Space: space, X: make([]float32, len(plans)*k*d)} // row i*k+j is member j of class i
	classes := make([][]int32, len(plans))
	for i, pl := range plans {
		for j, r := range pl.Members {
			row := i*k + j
			c.Coords(space, r, points.X[row*d:(row+1)*d])
			classes[i] = append(classes[i], int32(row))
		}
	}
	out := make([]plan.Plan, len(plans))
	for i, rows := range (extract.Blind{Workers: p.Policy.Workers}).WithStop(c.Interrupt.Asked).Near(points, classes, subPools) {
		out[i] = plans[int(rows[0])/k]
	}
	return out
}

// buckets lets Merge decide which of the classes share one. Classes keep their order,
// which is blind to values: the index of published classes, from which the trigger
// `update` follows, breaks ties by it.
func (p Planning) buckets(of *state.Pool, m *merging) []*state.Class {
	k := p.Policy.Requirement.K
	classes := slices.Collect(slices.Chunk(of.Members, k))
	bags := make([]merge.Bag, len(classes))
	for i, column := range m.columns {
		values := column.Codes()
		for j, members := range classes {
			bags[j] = append(bags[j], someOf(m, i, values, members)...)
		}
	}
	key := merge.Key{Release: uint64(p.Release), Pool: p.Head.Pools.Fixed, Purpose: "bucket"}
	run := merge.Run{Workers: p.Policy.Workers, Stop: p.Records.Interrupt.Asked}
	buckets, _ := merge.Pool(bags, k, of.SubPools, m.want, p.Draws(key), run)
	births := make([]*state.Class, len(classes))
	for i, b := range buckets {
		for _, class := range b {
			births[class] = &state.Class{Regime: state.Frozen, Bucket: p.Bucket + state.BucketID(i+1), Members: classes[class]}
		}
	}
	return births
}

// refusal says why the first pool is refused: of all attributes that fail at once, since it is a function of the bag of the pool.
func (p Planning) refusal(pool []state.RecordID, want equivclass.Requirement, failed []promise.Verdict) error {
	several := len(p.Records.Schema.Sensitive()) > 1 || p.Policy.Settle.Histories()
	if (p.Policy.Promises != nil || several) && len(failed) > 0 {
		return &plan.InfeasibleError{Attribute: failed[0].Attribute, Records: len(pool), Share: float64(failed[0].N) / float64(failed[0].People),
			Reachable: failed[0].L, Failed: failed, Fixed: p.Policy.OnRefusal == state.StopRefused && !p.Head.Pools.Grown}
	}
	bag := p.Records.Bag(pool)
	e := &plan.InfeasibleError{Attribute: p.Sensitive(), Records: bag.Total, Share: float64(bag.Max()) / float64(bag.Total), L: want.L,
		Reachable: bag.Total / bag.Max(), Principle: "policy.diversity"}
	if named, ok := plan.Feasible(p.Sensitive(), bag, want).(*plan.InfeasibleError); ok {
		e = named
	}
	e.Fixed = p.Policy.OnRefusal == state.StopRefused && !p.Head.Pools.Grown
	return e
}

// Blind plans classes of exactly k records by their quasi-identifiers alone; rest is the
// newest records, too few for another class. Cost: that of extract.Blind.
func Blind(c *state.Records, space *equivclass.Space, records []state.RecordID, k, workers int,
	tell state.Progress) (plans []plan.Plan, rest []state.RecordID) {
	d := c.Schema.D()
	pool := &equivclass.Pool{Space: space, X: make([]float32, len(records)*d)} // it has no values
	for i, r := range records {
		c.Coords(space, r, pool.X[i*d:(i+1)*d])
	}
	groups, left := extract.Blind{Workers: workers}.WithStop(c.Interrupt.Asked).WithProgress(tell).Classes(pool.Points(), k)
	plans, _ = plan.PlansOf(pool, records, groups)
	for _, row := range left {
		rest = append(rest, records[row])
	}
	return plans, rest
}
