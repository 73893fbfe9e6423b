package incremental

import (
	"errors"

	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Outlook is what a cut would publish if it came now: counts and losses, for operators
// who may then ask for the cut.
//
// At level L2 it must not tell whether the pool is eligible, nor anything else about the
// values of those who wait: whoever sees that, and chooses the moment of a cut by it,
// chooses pools by value, and rule B (buckets) does not hold. So a pool that is planned
// here may still be quarantined by the cut.
type Outlook struct {
	Release   uint32 `json:"release"`   // the number that it would have
	Newcomers int    `json:"newcomers"` // people published for the first time; 0: nothing would be published
	Classes   int    `json:"classes"`   // that would be born
	Waiting   int    `json:"waiting"`   // people who wait, newcomers included
	// Stratum is that of the newcomers, where people settle and there are any.
	Stratum string `json:"stratum,omitempty"`
	// Loss is the mean over newcomers of the share of each quasi-identifier's domain that
	// their class spans.
	Loss float64 `json:"loss"`
	// Pool is what the next pool needs, at level L2: that of the stratum.
	Pool *plan.PoolNeed `json:"pool,omitempty"`
	// Refused: the first load cannot be published as it is (level L1); Infeasible says why.
	Refused    bool                  `json:"refused,omitempty"`
	Infeasible *plan.InfeasibleError `json:"-"`
}

// Outlook plans a cut, or with flush the one at the end of a source (Decide), and forgets the
// plan: nothing is stored, and a later cut decides what it would have decided. It takes as long
// as Decide. After ErrInterrupted the machine must be opened again.
func (m *Machine) Outlook(by state.Occasion) (*Outlook, error) {
	switch {
	case m.intake.failed:
		return nil, ErrBroken
	case m.s.History.Unpublished() != nil:
		return nil, state.ErrUnpublished
	}
	m.staged.closeBlock(&m.s.Records, m.s.Now)
	out := &Outlook{Release: m.s.History.Releases() + 1, Waiting: m.s.Pending.Counts().Waiting, Pool: m.planner.Need(settle.Plain)}
	classes, err := m.planner.Preview(m.planning(by))
	if out.Refused = errors.As(err, &out.Infeasible); err != nil && !out.Refused {
		return nil, err
	}
	if m.s.Interrupt.Asked() { // the plan is incomplete
		m.intake.failed = true
		return nil, state.ErrInterrupted
	}
	if m.s.Records.Stratum != nil && len(classes) > 0 {
		of := m.s.Records.StratumOf(classes[0][0])
		out.Stratum, out.Pool = of.String(), m.planner.Need(of)
	}
	measure(&m.s.Records, classes, out)
	return out, nil
}

// measure counts the newcomers of planned classes and their loss.
func measure(c *state.Records, classes [][]state.RecordID, out *Outlook) {
	out.Classes = len(classes)
	space, sum := c.Space(c.Len()), 0.0
	for _, members := range classes {
		fresh := 0
		for _, r := range members {
			if c.ClassOf[r] == state.None {
				fresh++
			}
		}
		out.Newcomers += fresh
		sum += float64(fresh) * lossOf(c, space, members)
	}
	if out.Newcomers > 0 {
		out.Loss = sum / float64(out.Newcomers)
	}
}

// lossOf is the loss of publishing records as one class.
func lossOf(c *state.Records, space *equivclass.Space, members []state.RecordID) float64 {
	d := c.Schema.D()
	pool := &equivclass.Pool{Space: space, X: make([]float32, len(members)*d)}
	rows := make([]int32, len(members))
	for i, r := range members {
		c.Coords(space, r, pool.X[i*d:(i+1)*d])
		rows[i] = int32(i)
	}
	return pool.Loss(rows)
}
