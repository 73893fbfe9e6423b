package incremental

import (
	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental/state"
)

// planning decides what a release publishes. It is made for one cut, of what the
// cut may look at: the records, the published classes, what waits and how it is
// positioned. It changes none of it, and does not know the store or what is
// staged, so a decision that is thrown away leaves no trace.
type planning struct {
	policy    *state.Policy
	records   *state.Records
	classes   []*state.Class
	pending   *state.PendingSet
	planner   *planner
	secrets   *state.Secrets
	admission admission
	release   uint32 // the one to be decided
	flushing  bool   // it is the last of its source: no record waits for a better class
	// at level L2 (pool.go)
	head   *state.Head
	need   PoolNeed
	fresh  int            // records since the newest cut tried
	bucket state.BucketID // the newest one
	draws  func(merge.Key) merge.Draws
	sizes  sizes
	// progress is told how far the partitioning is
	progress state.Progress
}

// decide chooses the births. Each branch names the rule that makes it safe.
func (p *planning) decide() (state.Decision, error) {
	switch {
	case p.policy.Level == state.L2:
		return p.blindly()
	case p.release == 1:
		return p.first()
	default:
		return p.update(), nil
	}
}

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
func (p *planning) first() (state.Decision, error) {
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

func (p *planning) sensitive() string {
	s := p.records.Schema
	return s.Attributes()[s.SensitiveIndex()].Name
}

// firstRelease makes release 1 out of planned classes: those that are close to what is
// published, where that is the reference distribution of t-closeness.
func (p *planning) firstRelease(plans []plan, records int) (state.Decision, error) {
	d := state.Decision{Births: p.births(plans)}
	if out := fixReference(&d, p.records, p.policy.Requirement); len(out) > 0 && len(d.Births) == 0 {
		return state.Decision{}, nothingClose(p.sensitive(), records, p.policy.Requirement)
	}
	return d, nil
}

// partitioner is the method of the first load. One that draws gets a seed of this
// state and this release (rule R, randomness): a restart before the cut, and a retry after
// it, draw the same; someone with the releases and the program cannot repeat it.
func (p *planning) partitioner() equivclass.Partitioner {
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
func (p *planning) update() state.Decision {
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
func (p *planning) settle(space *equivclass.Space) (plans []plan, rest []state.RecordID) {
	todo := p.pending.Waiting
	if len(todo) > settlePool {
		plans, todo = p.planner.plan(todo)
	}
	method := p.progress.Partitioner(p.policy.Local, len(todo))
	more, rest := partition(p.records, space, todo, method, method, p.policy.Requirement)
	return append(plans, more...), rest
}

// births turns plans into classes: pure where mode regroup allows it and the
// bag is flat (rule P), else frozen (rule A).
func (p *planning) births(plans []plan) []*state.Class {
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
