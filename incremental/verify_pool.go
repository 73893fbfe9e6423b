package incremental

import (
	"errors"
	"fmt"

	"anond/incremental/state"
)

// pool checks a decision at level L2 (rule B, buckets): every birth is a frozen class of
// exactly k records that were in no class, every bucket satisfies the requirement and has
// classes of this decision only, and every record arrived when all values of its bucket
// were valid. Cost: the records of the births.
func (v *verifier) pool(d state.Decision) error {
	if len(d.Deaths) > 0 {
		return fmt.Errorf("%w: a class dies at level L2", ErrUnsafe)
	}
	seen := state.NewRecordSet(v.records.Len())
	for i, c := range d.Births {
		if err := v.blindBirth(c, len(d.Births), seen); err != nil {
			return fmt.Errorf("%w: birth %d: %w", ErrUnsafe, i, err)
		}
	}
	for i, members := range v.buckets(d.Births) {
		if len(members) == 0 {
			continue
		}
		if err := v.records.Bucket(members, v.want); err != nil {
			return fmt.Errorf("%w: bucket %d: %w", ErrUnsafe, i+1, err)
		}
	}
	return nil
}

// buckets gives the members of each bucket of a pool by its number, which is at most that of
// the classes.
func (v *verifier) buckets(births []*state.Class) [][]state.RecordID {
	sizes, all := make([]int, len(births)), 0
	for _, c := range births {
		sizes[c.Bucket-v.bucket-1] += len(c.Members)
		all += len(c.Members)
	}
	out, room := make([][]state.RecordID, len(births)), make([]state.RecordID, all)
	for i, n := range sizes {
		out[i], room = room[:0:n], room[n:]
	}
	for _, c := range births {
		members := &out[c.Bucket-v.bucket-1]
		*members = append(*members, c.Members...)
	}
	return out
}

// blindBirth reports what one of so many classes of a pool breaks.
func (v *verifier) blindBirth(c *state.Class, classes int, seen state.RecordSet) error {
	switch {
	case len(c.Members) != v.policy.Requirement.K:
		return errors.New("it has not exactly k records (rule B)")
	case c.Regime != state.Frozen || c.Bucket <= v.bucket:
		return errors.New("it is not frozen in a bucket of its own release (rule B)")
	case int64(c.Bucket-v.bucket) > int64(classes):
		return errors.New("the number of its bucket is above that of the classes (rule B)")
	}
	for _, r := range c.Members {
		if seen.Has(r) || v.records.ClassOf[r] != state.None {
			return errors.New("it holds a record of another class (rule F)")
		}
		seen.Add(r)
	}
	return nil
}
