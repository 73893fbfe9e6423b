package incremental

import (
	"anond/incremental/place"
	"anond/incremental/state"
)

// Reopen opens the state again after its store has forgotten people in place, with what this
// machine had in memory alone: how cuts are triggered (Trigger.Set), and what it counted. Of this
// machine only Digest may be used any more. What it held is let go first, so that the state is in memory
// once.
func (m *Machine) Reopen(o Options) (*Machine, error) {
	o.Policy.CutEvery, o.Policy.OnUpdate = m.s.Policy.CutEvery, m.s.Policy.OnUpdate
	made := m.made
	// secrets stays, which others may read now.
	m.intake = Intake{failed: true}
	m.s.Head, m.s.Records, m.s.History, m.s.Pending = state.Head{}, state.Records{}, state.History{}, state.PendingSet{}
	m.staged, m.forgotten, m.barred, m.place, m.planner = staged{}, forgotten{}, barred{}, place.Counter{}, nil
	next, err := Open(m.store, o)
	if err != nil {
		return nil, err
	}
	next.made = made
	return next, nil
}
