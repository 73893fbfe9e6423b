package plan

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// Partition cuts records into classes that satisfy the requirement; rest is what
// is in none, in order of arrival.
//
// The method whole cuts pools that satisfy the requirement as a whole; part cuts the
// others and may find nothing.
func Partition(c *state.Records, space *equivclass.Space, records []state.RecordID, whole, part equivclass.Partitioner,
	want equivclass.Requirement) (plans []Plan, rest []state.RecordID) {
	first, later := c.Epochs(records)
	plans, rest = partitionPool(c, space, first, whole, part, want)
	if later == nil {
		return plans, rest
	}
	second, left := later(rest)
	more, rest := partitionPool(c, space, second, whole, part, want)
	rest = append(rest, left...)
	slices.Sort(rest)
	return append(plans, more...), rest
}

// partitionPool cuts one pool.
func partitionPool(c *state.Records, space *equivclass.Space, records []state.RecordID, whole, part equivclass.Partitioner,
	want equivclass.Requirement) (plans []Plan, rest []state.RecordID) {
	if len(records) == 0 {
		return nil, nil
	}
	if c.Interrupt.Asked() { // the caller drops the incomplete plan
		return nil, records
	}
	method := whole
	if c.Since != nil && !want.Holds(c.Bag(records)) {
		method = part
	}
	pool := c.Pool(space, records)
	groups, left := method.Partition(pool, want)
	plans, _ = PlansOf(pool, records, groups)
	for _, row := range left {
		rest = append(rest, records[row])
	}
	slices.Sort(rest)
	return plans, rest
}
