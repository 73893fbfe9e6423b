package incremental

import (
	"anond/equivclass"
	"anond/equivclass/merge"
)

// decision is what a cut changes: classes that are born, and those whose
// records the births take over.
type decision struct {
	births []*Class
	deaths []ClassID
	// references are the distributions of t-closeness that release 1 fixes, by
	// attribute.
	references map[int][]equivclass.Count
	// pool is the pool that is quarantined, at level L2; then nothing is born.
	pool []RecordID
}

// fix notes the reference distribution of an attribute.
func (d *decision) fix(attribute int, counts []equivclass.Count) {
	if d.references == nil {
		d.references = map[int][]equivclass.Count{}
	}
	d.references[attribute] = counts
}

// planning decides what a release publishes. It is made for one cut, of what the
// cut may look at: the records, the published classes, what waits and how it is
// positioned. It changes none of it, and does not know the store or what is
// staged, so a decision that is thrown away leaves no trace.
type planning struct {
	policy    *Policy
	records   *columns
	classes   []*Class
	pending   *pendingSet
	planner   *planner
	secrets   *secrets
	admission admission
	release   uint32 // the one to be decided
	flushing  bool   // it is the last of its source: no record waits for a better class
	// at level L2 (pool.go)
	head   *head
	need   PoolNeed
	fresh  int      // records since the newest cut tried
	bucket BucketID // the newest one
	draws  func(merge.Key) merge.Draws
	sizes  sizes
	// progress is told how far the partitioning is
	progress progress
}

// decide chooses the births. Each branch names the rule that makes it safe.
func (p *planning) decide() (decision, error) {
	switch {
	case p.policy.Level == L2:
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
func (p *planning) first() (decision, error) {
	waiting := p.pending.waiting
	if len(waiting) < p.policy.Requirement.K {
		return decision{}, nil
	}
	bag := p.records.bag(waiting)
	want := p.policy.Requirement.WithReference(bag)
	if err := feasible(p.sensitive(), bag, want); err != nil {
		return decision{}, err
	}
	method := p.progress.partitioner(p.partitioner(), len(waiting))
	plans, _ := p.records.partition(p.records.space(p.records.len()), waiting, method, p.policy.Local, want)
	return p.firstRelease(plans, bag.Total)
}

func (p *planning) sensitive() string {
	s := p.records.schema
	return s.Attributes()[s.SensitiveIndex()].Name
}

// firstRelease makes release 1 out of planned classes: those that are close to what is
// published, where that is the reference distribution of t-closeness.
func (p *planning) firstRelease(plans []plan, records int) (decision, error) {
	d := decision{births: p.births(plans)}
	if out := fixReference(&d, p.records, p.policy.Requirement); len(out) > 0 && len(d.births) == 0 {
		return decision{}, nothingClose(p.sensitive(), records, p.policy.Requirement)
	}
	return d, nil
}

// partitioner is the method of the first load. One that draws gets a seed of this
// state and this release (rule R, randomness): a restart before the cut, and a retry after
// it, draw the same; someone with the releases and the program cannot repeat it.
func (p *planning) partitioner() equivclass.Partitioner {
	if method, draws := p.policy.Initial.(equivclass.Drawing); draws {
		return method.WithSeed(p.secrets.draw(p.release, "first load").Uint64())
	}
	return p.policy.Initial
}

// update chooses, among the planned classes, those to be published now.
//
// Rule A makes every choice safe: a birth consists of never-published records
// and satisfies the requirement, whichever of them are born. In mode regroup,
// rule P (pure classes) governs the rest (regroup.go). Rule I: while infeasible records wait,
// either all that waits is published or nothing.
func (p *planning) update() decision {
	if len(p.pending.waiting) == 0 {
		return decision{}
	}
	space := p.records.space(p.records.len())
	plans, rest := p.settle(space)
	chosen := plans
	switch {
	case p.pending.stuck > 0 && len(rest) > 0:
		plans, chosen = nil, nil
	case p.pending.stuck == 0 && !p.flushing:
		chosen = p.admission.admit(plans)
	}
	d := decision{births: p.births(chosen)}
	if p.policy.Republication == Regroup && p.policy.MaxRegroups != 0 && p.pending.stuck == 0 {
		p.regroup(&d, space, plans, chosen)
	}
	return d
}

// settle plans everything that waits; rest is what finds no class. The result is
// a function of the published classes and the waiting records in order: so are
// the plans of local updates.
func (p *planning) settle(space *equivclass.Space) (plans []plan, rest []RecordID) {
	todo := p.pending.waiting
	if len(todo) > settlePool {
		plans, todo = p.planner.plan(todo)
	}
	method := p.progress.partitioner(p.policy.Local, len(todo))
	more, rest := p.records.partition(space, todo, method, method, p.policy.Requirement)
	return append(plans, more...), rest
}

// births turns plans into classes: pure where mode regroup allows it and the
// bag is flat (rule P), else frozen (rule A).
func (p *planning) births(plans []plan) []*Class {
	out := make([]*Class, len(plans))
	for i, pl := range plans {
		c := &Class{Regime: Frozen, Members: pl.members}
		if p.policy.Republication == Regroup && p.records.bag(pl.members).Flat() {
			c.Regime = Pure
		}
		out[i] = c
	}
	return out
}
