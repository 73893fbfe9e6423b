package pools

import (
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/plan"
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
func (s Sizes) needOf(policy *state.Policy, pools state.Pools, all promise.Attributes, published merge.Bag,
	people int) plan.PoolNeed {
	if people == 0 {
		need := max(firstNeed(policy), pools.First)
		if policy.MaxPool > 0 {
			need = min(need, policy.MaxPool)
		}
		return plan.PoolNeed{Records: need, Possible: true}
	}
	asked := s.Need(all, published, people)
	need := plan.PoolNeed{Records: max(policy.MinPool, policy.Requirement.K, asked.People), Possible: asked.Possible,
		Attribute: asked.Attribute}
	if most := policy.MaxPool; most > 0 && asked.Kept && (!asked.Possible || need.Records > most) {
		return plan.PoolNeed{Records: most, Possible: true, Bounded: true, Attribute: asked.Attribute}
	}
	return need
}

// firstNeed is how many records the first pool has at least.
func firstNeed(policy *state.Policy) int {
	l := max(1, policy.Requirement.L)
	for _, of := range policy.Promises {
		l = max(l, of.L)
	}
	return max(policy.MinPool, policy.InitialMin, policy.Requirement.K*l)
}

// Planner plans level L2, and knows what the next pool needs.
type Planner struct {
	need plan.PoolNeed
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
func (n *Planner) Need() *plan.PoolNeed {
	need := n.need
	return &need
}

// Missing implements planner.
func (n *Planner) Missing(c *plan.Cut) int { return Planning{c, n}.backlog().missing }

// Due implements planner: updates have gathered, or somebody has waited max_hold, and a pool does not wait for newcomers.
func (n *Planner) Due(c *plan.Cut) bool {
	p := Planning{c, n}
	s := p.backlog()
	return n.need.Possible && s.planned >= n.need.Records && !p.rests(s) && (c.Place.Due(c.Pending.Waiting) || s.overdue)
}

// Published implements planner: what the next pool needs follows from the bags that pools had at birth.
func (n *Planner) Published(s *state.State) {
	m, of := numbered(&s.Records, &s.Policy), s.History.Values
	if of.Counts == nil {
		of.Counts = make([][]int, len(m.attributes))
	}
	n.need = n.Sizes.needOf(&s.Policy, s.Head.Pools, m.attributes, m.counted(of.Counts), of.People)
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
