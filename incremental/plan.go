package incremental

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// plan is a planned class: waiting records that satisfy the requirement.
type plan struct {
	members []state.RecordID
	loss    float64
}

// cost is what plans lose, and a record in none 1.
func cost(plans []plan, rest int) float64 {
	sum := float64(rest)
	for _, pl := range plans {
		sum += pl.loss * float64(len(pl.members))
	}
	return sum
}

// plansOf turns groups of pool rows into plans over record numbers.
func plansOf(points *equivclass.Pool, pool []state.RecordID, groups [][]int32) (plans []plan, planned int) {
	for _, g := range groups {
		members := make([]state.RecordID, len(g))
		for i, row := range g {
			members[i] = pool[row]
		}
		slices.Sort(members)
		plans = append(plans, plan{members: members, loss: points.Loss(g)})
		planned += len(g)
	}
	return plans, planned
}
