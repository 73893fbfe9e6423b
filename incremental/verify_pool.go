package incremental

import (
	"errors"
	"fmt"

	"anond/equivclass"
)

// pool checks a decision at level L2 (rule B, buckets): every birth is a frozen class of
// exactly k records that were in no class, every bucket satisfies the requirement and has
// classes of this decision only, and every record arrived when all values of its bucket
// were valid. Cost: the records of the births.
func (v *verifier) pool(d decision) error {
	if len(d.deaths) > 0 {
		return fmt.Errorf("%w: a class dies at level L2", ErrUnsafe)
	}
	seen := newRecordSet(v.records.len())
	buckets := map[BucketID][]RecordID{}
	for i, c := range d.births {
		if err := v.blindBirth(c, seen); err != nil {
			return fmt.Errorf("%w: birth %d: %w", ErrUnsafe, i, err)
		}
		buckets[c.Bucket] = append(buckets[c.Bucket], c.Members...)
	}
	for id, members := range buckets {
		if err := v.records.bucket(members, v.want); err != nil {
			return fmt.Errorf("%w: bucket %d: %w", ErrUnsafe, id-v.bucket, err)
		}
	}
	return nil
}

func (v *verifier) blindBirth(c *Class, seen recordSet) error {
	switch {
	case len(c.Members) != v.policy.Requirement.K:
		return errors.New("it has not exactly k records (rule B)")
	case c.Regime != Frozen || c.Bucket <= v.bucket:
		return errors.New("it is not frozen in a bucket of its own release (rule B)")
	}
	for _, r := range c.Members {
		if seen.has(r) || v.records.classOf[r] != none {
			return errors.New("it holds a record of another class (rule F)")
		}
		seen.add(r)
	}
	return nil
}

// bucket reports what the members of a bucket break.
func (c *columns) bucket(members []RecordID, want equivclass.Requirement) error {
	if !want.Holds(c.bag(members)) {
		return errors.New("it breaks the requirement (rule B)")
	}
	return c.oneEpoch(members)
}
