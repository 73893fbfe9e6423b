// Package local plans level L1: the multidimensional local update of Wang, Xu and Sun, "Protecting Privacy by Multi-dimensional
// K-anonymity", section IV, made safe, and the regrouping of pure classes. Who reads level L2 (package pools) needs none of it.
//
// Guarantee: a birth consists of never-published records and satisfies the requirement (rule A, frozen classes), or it follows from
// classes of its signature (rule P, pure classes). Cost: a local update is bounded by a number of classes and of records; a cut
// partitions what waits once.
package local

import (
	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Planner plans level L1.
type Planner struct{}

// FirstNeed implements planner.
func (Planner) FirstNeed(policy *state.Policy) int { return policy.InitialMin }

// Need implements planner: level L1 has no pools.
func (Planner) Need(settle.Stratum) *plan.PoolNeed { return nil }

// Missing implements planner: nobody waits for newcomers.
func (Planner) Missing(*plan.Cut, settle.Stratum) int { return 0 }

// StrataDue implements planner.
func (Planner) StrataDue(*plan.Cut) bool { return false }

// Due implements planner: updates have gathered, or somebody has waited max_hold and was not passed over.
func (Planner) Due(c *plan.Cut) bool {
	return c.Place.Due(c.Pending.Waiting) || c.Pending.Overdue(c.Records, c.Admission.Now, c.Policy)
}

// Published implements planner: what was published asks for nothing.
func (Planner) Published(*state.State) {}

// Fix implements planner: level L1 has no pools.
func (Planner) Fix(*plan.Cut) *state.Pool { return nil }

// Preview implements planner.
func (l Planner) Preview(p *plan.Cut) (classes [][]state.RecordID, err error) {
	d, err := l.Decide(p)
	for _, c := range d.Births {
		classes = append(classes, c.Members)
	}
	return classes, err
}

// Decide implements planner. Each branch names the rule that makes it safe.
func (Planner) Decide(p *plan.Cut) (state.Decision, error) {
	l := Planning{p}
	if p.Release == 1 {
		return l.first()
	}
	return l.update(), nil
}

// Planning is a cut at level L1.
type Planning struct{ *plan.Cut }

// settlePool bounds the number of waiting records that a cut partitions anew as
// a whole. That loses less than local updates and takes about as long: with 250,000 records
// waiting, .072 in 3.9 s of processor time against .088 in 3.5 s (BenchmarkPools). It
// needs about 300 bytes of memory for each of them while it runs. Beyond, what local updates
// have planned stays and only the rest is partitioned. (To improve the plans of local updates
// by exchange instead costs more time than to partition anew, and ends at a higher loss.)
const settlePool = 2000000

// first partitions the first load as a whole.
//
// Rule A (frozen classes): every birth consists of at least k never-published records with no
// value above 1/l. Rule I (infeasible): a load that no partition can satisfy is
// refused, and may grow (initial_load.go).
func (p Planning) first() (state.Decision, error) {
	waiting := p.Pending.Waiting
	if len(waiting) < p.Policy.Requirement.K {
		return state.Decision{}, nil
	}
	bag := p.Records.Bag(waiting)
	want := p.Policy.Requirement.WithReference(bag)
	if err := plan.Feasible(p.Sensitive(), bag, want); err != nil {
		return state.Decision{}, err
	}
	method := p.Progress.Partitioner(p.partitioner(), len(waiting))
	plans, _ := plan.Partition(p.Records, p.Records.Space(p.Records.Len()), waiting, method, p.Policy.Local, want)
	return p.firstRelease(plans, bag.Total)
}

// firstRelease makes release 1 out of planned classes: those that are close to what is
// published, where that is the reference distribution of t-closeness.
func (p Planning) firstRelease(plans []plan.Plan, records int) (state.Decision, error) {
	d := state.Decision{Births: p.births(plans)}
	if out := plan.FixReference(&d, p.Records, p.Policy.Requirement); len(out) > 0 && len(d.Births) == 0 {
		return state.Decision{}, plan.NothingClose(p.Sensitive(), records, p.Policy.Requirement)
	}
	return d, nil
}

// partitioner is the method of the first load. One that draws gets a seed of this
// state and this release (rule R, randomness): a restart before the cut, and a retry after
// it, draw the same; someone with the releases and the program cannot repeat it.
func (p Planning) partitioner() equivclass.Partitioner {
	if method, draws := p.Policy.Initial.(equivclass.Drawing); draws {
		return method.WithSeed(p.Secrets.Draw(p.Release, "first load").Uint64())
	}
	return p.Policy.Initial
}

// update chooses, among the planned classes, those to be published now.
//
// Rule A makes every choice safe: a birth consists of never-published records
// and satisfies the requirement, whichever of them are born. In mode regroup,
// rule P (pure classes) governs the rest (regroup.go). Rule I: while infeasible records wait,
// either all that waits is published or nothing.
func (p Planning) update() state.Decision {
	if len(p.Pending.Waiting) == 0 {
		return state.Decision{}
	}
	space := p.Records.Space(p.Records.Len())
	plans, rest := p.settle(space)
	chosen := plans
	switch {
	case p.Pending.Stuck > 0 && len(rest) > 0:
		plans, chosen = nil, nil
	case p.Pending.Stuck == 0 && p.Occasion != state.AtEnd:
		chosen = p.Admission.Admit(plans)
	}
	d := state.Decision{Births: p.births(chosen)}
	if p.Policy.Republication == state.Regroup && p.Policy.MaxRegroups != 0 && p.Pending.Stuck == 0 {
		p.regroup(&d, space, plans, chosen)
	}
	return d
}

// settle plans everything that waits; rest is what finds no class. The result is
// a function of the published classes and the waiting records in order: so are
// the plans of local updates.
func (p Planning) settle(space *equivclass.Space) (plans []plan.Plan, rest []state.RecordID) {
	todo := p.Pending.Waiting
	if len(todo) > settlePool {
		plans, todo = p.Plan(todo)
	}
	method := p.Progress.Partitioner(p.Policy.Local, len(todo))
	more, rest := plan.Partition(p.Records, space, todo, method, method, p.Policy.Requirement)
	return append(plans, more...), rest
}

// births turns plans into classes: pure where mode regroup allows it and the
// bag is flat (rule P), else frozen (rule A).
func (p Planning) births(plans []plan.Plan) []*state.Class {
	out := make([]*state.Class, len(plans))
	for i, pl := range plans {
		c := &state.Class{Regime: state.Frozen, Members: pl.Members}
		if p.Policy.Republication == state.Regroup && p.Records.Bag(pl.Members).Flat() {
			c.Regime = state.Pure
		}
		out[i] = c
	}
	return out
}
