package pools

import (
	"slices"

	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Sizes say how large pools and sub-pools have to be. Tests that count all worlds of a
// stream have small ones.
type Sizes struct {
	// Need is how many people a pool needs next to so many published ones.
	Need    func(all promise.Attributes, published merge.Bag, people int) promise.Need
	SubPool int // the least number of classes of a sub-pool
	// Newcomers is of which share of those who stay behind newcomers must have come, and of max_hold how much longer one waits for them.
	Newcomers int
}

func usualSizes() Sizes { return Sizes{promise.Attributes.Need, merge.SubPoolClasses, newcomerShare} }

// needOf returns what the next pool needs: policy.min_pool, and as many records as make it
// improbable, by the published values, that the pool is ineligible and has to be
// quarantined (promise.Attributes.Need), but at most policy.max_pool. After the first pool was quarantined, as many as it had.
// It is public: a function of the configuration, of what is published, and of the size
// of the first pool. The bound costs availability alone: what a pool publishes, and that it is quarantined, follows from its
// bag, whatever its size (rule B, buckets).
//
// Of people who settle each stratum has a need of its own, by what was published of it; before that 2*k*l. Of several records ever
// having a value is likelier than of one and drifts, so pools ask for twice the size.
func (s Sizes) needOf(policy *state.Policy, pools state.Pools, of settle.Stratum, all promise.Attributes, published merge.Bag,
	people int) plan.PoolNeed {
	switch {
	case people == 0 && of != settle.Plain:
		need := max(policy.MinPool, 2*policy.Requirement.K*largestL(policy))
		if policy.MaxPool > 0 {
			need = min(need, policy.MaxPool)
		}
		return plan.PoolNeed{Records: need, Possible: true}
	case people == 0:
		need := max(firstNeed(policy), pools.First)
		if policy.MaxPool > 0 {
			need = min(need, policy.MaxPool)
		}
		return plan.PoolNeed{Records: need, Possible: true}
	}
	asked := s.Need(all, published, people)
	if of.Inserts() > 1 {
		asked.People *= 2
	}
	need := plan.PoolNeed{Records: max(policy.MinPool, policy.Requirement.K, asked.People), Possible: asked.Possible,
		Attribute: asked.Attribute}
	if most := policy.MaxPool; most > 0 && asked.Kept && (!asked.Possible || need.Records > most) {
		return plan.PoolNeed{Records: most, Possible: true, Bounded: true, Attribute: asked.Attribute}
	}
	return need
}

// firstNeed is how many records the first pool has at least.
func firstNeed(policy *state.Policy) int {
	return max(policy.MinPool, policy.InitialMin, policy.Requirement.K*largestL(policy))
}

// largestL is the largest l that is asked for by name.
func largestL(policy *state.Policy) int {
	l := max(1, policy.Requirement.L)
	for _, of := range policy.Promises {
		l = max(l, of.L)
	}
	return l
}

// Planner plans level L2, and knows what the next pool needs.
type Planner struct {
	needs map[settle.Stratum]plan.PoolNeed // of strata of which somebody was published, and of the plain one
	other plan.PoolNeed                    // of any other
	// Draws are those of Merge for a key, sizes say how large pools have to be. A test
	// may put others in their place; no configuration does.
	Draws func(merge.Key) merge.Draws
	Sizes Sizes
}

// New plans level L2 with the draws of a seed, through orders where these are asked for (Options.Orders of the machine).
func New(seed [32]byte, orders func(merge.Key, []int32) []int32) *Planner {
	return &Planner{Sizes: usualSizes(), Draws: drawsOf(seed, orders)}
}

// FirstNeed implements planner.
func (n *Planner) FirstNeed(policy *state.Policy) int { return firstNeed(policy) }

// Need implements planner.
func (n *Planner) Need(of settle.Stratum) *plan.PoolNeed {
	need, known := n.needs[of]
	if !known {
		need = n.other
	}
	return &need
}

// Missing implements planner.
func (n *Planner) Missing(c *plan.Cut, of settle.Stratum) int {
	return n.Planning(c, of).backlog().missing
}

// Due implements planner: updates have gathered, or somebody has waited max_hold, and a pool does not wait for newcomers; or another
// stratum has a pool.
func (n *Planner) Due(c *plan.Cut) bool {
	p := n.Planning(c, settle.Plain)
	s := p.backlog()
	return p.need.Possible && s.planned >= p.need.Records && !p.rests(s) && (c.Place.Due(c.Pending.Waiting) || s.overdue) || n.StrataDue(c)
}

// StrataDue implements planner.
func (n *Planner) StrataDue(c *plan.Cut) bool {
	return c.Head.InitialDone && slices.ContainsFunc(c.Pending.Others, func(w state.Waits) bool {
		p := n.Planning(c, w.Stratum)
		return p.need.Possible && p.publishes(p.backlog())
	})
}

// Published implements planner: what the next pool of a stratum needs follows from the bags that its pools had at birth.
func (n *Planner) Published(s *state.State) {
	m := numbered(&s.Records, &s.Policy)
	need := func(of settle.Stratum, bag merge.Bag, people int) plan.PoolNeed {
		return n.Sizes.needOf(&s.Policy, s.Head.Pools, of, m.attributes, bag, people)
	}
	n.other = need(settle.Plain+1, nil, 0)
	n.needs = map[settle.Stratum]plan.PoolNeed{settle.Plain: need(settle.Plain, nil, 0)}
	for of, v := range s.History.Values {
		if of.Sensitive == len(m.attributes) {
			n.needs[of.Stratum] = need(of.Stratum, m.counted(v.Counts), v.People)
		}
	}
}

// drawsOf are the draws of Merge under a seed, through orders where these are asked for (Options).
func drawsOf(seed [32]byte, orders func(merge.Key, []int32) []int32) func(merge.Key) merge.Draws {
	return func(k merge.Key) merge.Draws {
		if d := merge.NewDraws(seed, k); orders == nil {
			return d
		} else {
			return d.Through(orders)
		}
	}
}
