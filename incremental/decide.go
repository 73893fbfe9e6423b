package incremental

import (
	"slices"

	"anond/equivclass"
)

// settlePool bounds the number of waiting records that a cut partitions anew as
// a whole: a matter of two or three seconds with Extract. Beyond it, what local
// updates have planned stays and only the rest is partitioned, at about a third
// more loss. (To improve the plans of local updates by exchange instead costs
// more time than to partition anew, and ends at a higher loss: measured with
// 40,000 waiting, 3.8 s to 0.150 against 1.2 s to 0.143.)
const settlePool = 200000

// decideInitial partitions the first load as a whole.
//
// Rule A: every birth consists of at least k never-published records with no
// value above 1/l. Rule I: a load that no partition can satisfy is refused.
func (m *Machine) decideInitial() (decision, error) {
	waiting := m.pending.waiting
	if len(waiting) < m.policy.Requirement.K {
		return decision{}, nil
	}
	bag := m.records.bag(waiting)
	want := m.policy.Requirement.WithReference(bag)
	if err := m.feasible(bag, want); err != nil {
		if m.meta.InitialDone { // the first load was too small for a class; what came since may still become eligible
			return decision{}, nil
		}
		return decision{}, err
	}
	pool := m.records.pool(m.records.space(m.records.len()), waiting)
	groups, rest := m.firstPartitioner().Partition(pool, want)
	if m.pending.infeasible && len(rest) > 0 {
		return decision{}, nil // rule I, after a first load that was too small
	}
	plans, _ := plansOf(pool, waiting, groups)
	d := decision{births: m.births(plans)}
	out := m.fixReferences(&d)
	switch {
	case len(out) > 0 && m.pending.infeasible:
		return decision{}, nil // rule I, as above
	case len(out) > 0 && len(d.births) == 0 && !m.meta.InitialDone:
		return decision{}, m.nothingClose(bag.Total)
	}
	return d, nil
}

// firstPartitioner is the method of the first load. One that draws gets a seed
// of this state and this release (rule R): a restart before the cut, and a retry
// after it, draw the same; who has the releases and the program cannot repeat it.
func (m *Machine) firstPartitioner() equivclass.Partitioner {
	if p, draws := m.policy.Initial.(equivclass.Drawing); draws {
		return p.WithSeed(m.draw(uint32(len(m.intents)+1), "first load").Uint64())
	}
	return m.policy.Initial
}

// decideUpdate chooses, among the planned classes, those to be published now.
//
// Rule A makes every choice safe: a birth consists of never-published records
// and satisfies the requirement, whichever of them are born. In mode regroup,
// rule P governs the rest (regroup.go). Rule I: while infeasible records wait,
// either all that waits is published or nothing.
func (m *Machine) decideUpdate() decision {
	if len(m.pending.waiting) == 0 && len(m.pending.repeats) == 0 {
		return decision{}
	}
	space := m.records.space(m.records.len())
	plans, rest := m.settle(space)
	if m.pending.infeasible {
		if len(rest) > 0 {
			return decision{}
		}
		return decision{births: m.births(plans)}
	}
	chosen := m.admit(plans)
	d := decision{births: m.births(chosen)}
	if m.policy.Republication == Regroup && m.policy.MaxRegroups != 0 {
		m.regroup(&d, space, plans, chosen)
	}
	return d
}

// settle plans everything that waits; rest is what finds no class. The result is
// a function of the published classes and the waiting records in order: so are
// the plans of local updates.
func (m *Machine) settle(space *equivclass.Space) (plans []plan, rest []RecordID) {
	todo := m.pending.waiting
	if len(todo) > settlePool {
		plans, todo = m.planner.plan(&m.records)
	}
	pool := m.records.pool(space, todo)
	groups, _ := m.policy.Local.Partition(pool, m.policy.Requirement)
	more, _ := plansOf(pool, todo, groups)
	return append(plans, more...), without(todo, more)
}

// without returns the records that are in none of the plans.
func without(records []RecordID, plans []plan) []RecordID {
	in := make(map[RecordID]bool, len(records))
	for _, p := range plans {
		for _, r := range p.members {
			in[r] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(records), func(r RecordID) bool { return in[r] })
}

// births turns plans into classes: pure where mode regroup allows it and the
// bag is flat (rule P), else frozen (rule A).
func (m *Machine) births(plans []plan) []*Class {
	out := make([]*Class, len(plans))
	for i, p := range plans {
		c := &Class{Regime: Frozen, Members: p.members}
		if m.policy.Republication == Regroup && m.records.bag(p.members).Flat() {
			c.Regime = Pure
		}
		out[i] = c
	}
	return out
}
