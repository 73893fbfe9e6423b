package incremental

import (
	"slices"

	"anond/equivclass"
)

// partition cuts records into classes that satisfy the requirement; rest is what
// is in none, in order of arrival.
//
// The method whole cuts pools that satisfy the requirement as a whole; part cuts the
// others and may find nothing.
func (c *columns) partition(space *equivclass.Space, records []RecordID, whole, part equivclass.Partitioner,
	want equivclass.Requirement) (plans []plan, rest []RecordID) {
	first, later := c.epochs(records)
	plans, rest = c.partitionPool(space, first, whole, part, want)
	if later == nil {
		return plans, rest
	}
	second, left := later(rest)
	more, rest := c.partitionPool(space, second, whole, part, want)
	rest = append(rest, left...)
	slices.Sort(rest)
	return append(plans, more...), rest
}

// partitionPool cuts one pool.
func (c *columns) partitionPool(space *equivclass.Space, records []RecordID, whole, part equivclass.Partitioner,
	want equivclass.Requirement) (plans []plan, rest []RecordID) {
	if len(records) == 0 {
		return nil, nil
	}
	if c.interrupt.asked() { // the caller drops the incomplete plan
		return nil, records
	}
	method := whole
	if c.since != nil && !want.Holds(c.bag(records)) {
		method = part
	}
	pool := c.pool(space, records)
	groups, left := method.Partition(pool, want)
	plans, _ = plansOf(pool, records, groups)
	for _, row := range left {
		rest = append(rest, records[row])
	}
	slices.Sort(rest)
	return plans, rest
}
