package incremental

import (
	"anond/equivclass"
	"anond/incremental/state"
)

// localPlanner plans level L1.
type localPlanner struct{}

// FirstNeed implements planner.
func (localPlanner) FirstNeed(policy *state.Policy) int { return policy.InitialMin }

// Need implements planner: level L1 has no pools.
func (localPlanner) Need() PoolNeed { return PoolNeed{} }

// Published implements planner: what was published asks for nothing.
func (localPlanner) Published(*state.State, []*state.Class) {}

// Fix implements planner: level L1 has no pools.
func (localPlanner) Fix(*planning) *state.Pool { return nil }

// Preview implements planner.
func (l localPlanner) Preview(p *planning) (classes [][]state.RecordID, err error) {
	d, err := l.Decide(p)
	for _, c := range d.Births {
		classes = append(classes, c.Members)
	}
	return classes, err
}

// Decide implements planner. Each branch names the rule that makes it safe.
func (localPlanner) Decide(p *planning) (state.Decision, error) {
	l := localPlanning{p}
	if p.release == 1 {
		return l.first()
	}
	return l.update(), nil
}

// localPlanning is a cut at level L1.
type localPlanning struct{ *planning }

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
// refused, and may grow (first.go).
func (p localPlanning) first() (state.Decision, error) {
	waiting := p.pending.Waiting
	if len(waiting) < p.policy.Requirement.K {
		return state.Decision{}, nil
	}
	bag := p.records.Bag(waiting)
	want := p.policy.Requirement.WithReference(bag)
	if err := feasible(p.sensitive(), bag, want); err != nil {
		return state.Decision{}, err
	}
	method := p.progress.Partitioner(p.partitioner(), len(waiting))
	plans, _ := partition(p.records, p.records.Space(p.records.Len()), waiting, method, p.policy.Local, want)
	return p.firstRelease(plans, bag.Total)
}

// firstRelease makes release 1 out of planned classes: those that are close to what is
// published, where that is the reference distribution of t-closeness.
func (p localPlanning) firstRelease(plans []plan, records int) (state.Decision, error) {
	d := state.Decision{Births: p.births(plans)}
	if out := fixReference(&d, p.records, p.policy.Requirement); len(out) > 0 && len(d.Births) == 0 {
		return state.Decision{}, nothingClose(p.sensitive(), records, p.policy.Requirement)
	}
	return d, nil
}

// partitioner is the method of the first load. One that draws gets a seed of this
// state and this release (rule R, randomness): a restart before the cut, and a retry after
// it, draw the same; someone with the releases and the program cannot repeat it.
func (p localPlanning) partitioner() equivclass.Partitioner {
	if method, draws := p.policy.Initial.(equivclass.Drawing); draws {
		return method.WithSeed(p.secrets.Draw(p.release, "first load").Uint64())
	}
	return p.policy.Initial
}

// update chooses, among the planned classes, those to be published now.
//
// Rule A makes every choice safe: a birth consists of never-published records
// and satisfies the requirement, whichever of them are born. In mode regroup,
// rule P (pure classes) governs the rest (regroup.go). Rule I: while infeasible records wait,
// either all that waits is published or nothing.
func (p localPlanning) update() state.Decision {
	if len(p.pending.Waiting) == 0 {
		return state.Decision{}
	}
	space := p.records.Space(p.records.Len())
	plans, rest := p.settle(space)
	chosen := plans
	switch {
	case p.pending.Stuck > 0 && len(rest) > 0:
		plans, chosen = nil, nil
	case p.pending.Stuck == 0 && !p.flushing:
		chosen = p.admission.admit(plans)
	}
	d := state.Decision{Births: p.births(chosen)}
	if p.policy.Republication == state.Regroup && p.policy.MaxRegroups != 0 && p.pending.Stuck == 0 {
		p.regroup(&d, space, plans, chosen)
	}
	return d
}

// settle plans everything that waits; rest is what finds no class. The result is
// a function of the published classes and the waiting records in order: so are
// the plans of local updates.
func (p localPlanning) settle(space *equivclass.Space) (plans []plan, rest []state.RecordID) {
	todo := p.pending.Waiting
	if len(todo) > settlePool {
		plans, todo = p.plan(todo)
	}
	method := p.progress.Partitioner(p.policy.Local, len(todo))
	more, rest := partition(p.records, space, todo, method, method, p.policy.Requirement)
	return append(plans, more...), rest
}

// births turns plans into classes: pure where mode regroup allows it and the
// bag is flat (rule P), else frozen (rule A).
func (p localPlanning) births(plans []plan) []*state.Class {
	out := make([]*state.Class, len(plans))
	for i, pl := range plans {
		c := &state.Class{Regime: state.Frozen, Members: pl.members}
		if p.policy.Republication == state.Regroup && p.records.Bag(pl.members).Flat() {
			c.Regime = state.Pure
		}
		out[i] = c
	}
	return out
}
