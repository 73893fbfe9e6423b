package pools

import (
	"errors"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental/state"
)

// Judge returns what tells whether the buckets of a pool may be published: each keeps the promise of every attribute, with the caps of
// the whole pool, and passes the tests besides, and everybody arrived when all values of the bucket were valid. It
// knows nothing of how Merge found them.
func Judge(c *state.Records, policy *state.Policy, extra []equivclass.Principle, pool []state.RecordID) func([]state.RecordID) error {
	m := numbered(c, policy)
	caps := merge.Requirement{Caps: m.attributes.Caps(m.bagOf(pool), len(pool))}
	return func(bucket []state.RecordID) error {
		if !caps.Holds(m.bagOf(bucket), len(bucket)) {
			return errors.New("it breaks the requirement (rule B)")
		}
		for _, p := range extra {
			if !p.Holds(c.Bag(bucket)) {
				return errors.New("it breaks " + p.Name() + " (rule B)")
			}
		}
		return c.OneEpoch(bucket)
	}
}
