package plan

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// Plan is a planned class: waiting records that satisfy the requirement.
type Plan struct {
	Members []state.RecordID
	Loss    float64
}

// Cost is what plans lose, and a record in none 1.
func Cost(plans []Plan, rest int) float64 {
	sum := float64(rest)
	for _, pl := range plans {
		sum += pl.Loss * float64(len(pl.Members))
	}
	return sum
}

// PlansOf turns groups of pool rows into plans over record numbers.
func PlansOf(points *equivclass.Pool, pool []state.RecordID, groups [][]int32) (plans []Plan, planned int) {
	for _, g := range groups {
		members := make([]state.RecordID, len(g))
		for i, row := range g {
			members[i] = pool[row]
		}
		slices.Sort(members)
		plans = append(plans, Plan{Members: members, Loss: points.Loss(g)})
		planned += len(g)
	}
	return plans, planned
}
