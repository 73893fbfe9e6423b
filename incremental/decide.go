package incremental

import "anond/equivclass"

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
// value above 1/l. Rule I: a load that no partition can satisfy is refused, and
// may grow (first.go).
func (m *Machine) decideInitial() (decision, error) {
	waiting := m.pending.waiting
	if len(waiting) < m.policy.Requirement.K {
		return decision{}, nil
	}
	bag := m.records.bag(waiting)
	want := m.policy.Requirement.WithReference(bag)
	if err := m.feasible(bag, want); err != nil {
		return decision{}, err
	}
	if err := m.feasibleSemi(waiting); err != nil {
		return decision{}, err
	}
	plans, _ := m.records.partition(m.records.space(m.records.len()), waiting, m.firstPartitioner(), m.policy.Local, want)
	return m.decideFirst(plans, bag.Total)
}

// decideFirst makes release 1 out of planned classes: those that keep the
// promises of the semi-sensitive attributes and, where a reference distribution
// is that of what is published, stand beside it. Each may cost the other some.
func (m *Machine) decideFirst(plans []plan, records int) (d decision, err error) {
	lost := 0
	for {
		d = decision{births: m.births(m.keepPromises(plans))}
		out := m.fixReferences(&d)
		if len(out) == 0 {
			break
		}
		lost += len(out)
		plans = plans[:0]
		for _, c := range d.births {
			plans = append(plans, plan{members: c.Members})
		}
	}
	if lost > 0 && len(d.births) == 0 {
		return decision{}, m.nothingClose(records)
	}
	return d, m.fixSemiReferences(&d)
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
	urgent, others := m.urgent(m.allOrNothing(plans, rest))
	chosen := m.keepPromises(append(m.admit(others), urgent...))
	d := decision{births: m.births(chosen)}
	if m.policy.Republication == Regroup && m.policy.MaxRegroups != 0 && len(m.pending.infeasible) == 0 {
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
	more, rest := m.records.partition(space, todo, m.policy.Local, m.policy.Local, m.policy.Requirement)
	return append(plans, more...), rest
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
