package incremental

import (
	"errors"
	"fmt"
	"slices"

	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/pools"
	"anond/incremental/state"
	"anond/internal/fault"
)

// ErrUnsafe: a decision would have broken a rule. Nothing of it was kept. It is a
// fault of the machine; the auditor would have found it before publication (exit 3).
var ErrUnsafe = fault.Errorf(fault.Privacy, "nothing was published and the intent stays; this is a fault of anond: report it with "+
	"the output of anond state check",
	"the machine refused its own decision")

// verifier checks a decision against the rules before anything of it is kept. It
// knows the records and the published classes, and nothing of how the decision was
// made.
type verifier struct {
	policy  *state.Policy
	records *state.Records
	classes []*state.Class
	want    equivclass.Requirement // its tests completed by the references that the decision fixes
	bucket  state.BucketID         // the newest one before
}

// newVerifier judges a decision that fixes the given references.
func newVerifier(s *state.State, fixed map[int][]equivclass.Count) *verifier {
	return &verifier{policy: &s.Policy, records: &s.Records, classes: s.History.Classes, bucket: s.History.Bucket,
		want: plan.WithReference(s.Policy.Requirement, s.Schema, fixed)}
}

// verify returns what a decision breaks. Every birth satisfies the requirement
// (rule A, frozen classes). A pure birth is flat and has the signature of the classes it
// takes records from (rule P, pure classes). No record is in two classes (rule F,
// forbidden operations). A class that dies is pure, has regroupings left (rule E,
// equality patterns) and gives all its records to births (rule N, insert-only). Cost:
// the records of the births and deaths.
func (v *verifier) verify(d state.Decision) error {
	if v.policy.Level == state.L2 {
		return v.pool(d)
	}
	dying := make(map[state.ClassID]int, len(d.Deaths))
	for _, id := range d.Deaths {
		c := v.classes[id]
		if c.Regime != state.Pure || c.Died != 0 || v.policy.Exhausted(c) {
			return fmt.Errorf("%w: class %d may not be regrouped (rules A, E)", ErrUnsafe, id)
		}
		dying[id] = len(c.Members)
	}
	seen := state.NewRecordSet(v.records.Len())
	for i, c := range d.Births {
		if err := v.birth(c, dying, seen); err != nil {
			return fmt.Errorf("%w: birth %d: %w", ErrUnsafe, i, err)
		}
	}
	for id, left := range dying {
		if left != 0 {
			return fmt.Errorf("%w: %d records of class %d would disappear (rule N)", ErrUnsafe, left, id)
		}
	}
	return nil
}

func (v *verifier) birth(c *state.Class, dying map[state.ClassID]int, seen state.RecordSet) error {
	bag := v.records.Bag(c.Members)
	if !v.want.Holds(bag) {
		return errors.New("it breaks the requirement (rule A)")
	}
	if err := v.records.OneEpoch(c.Members); err != nil {
		return err
	}
	if c.Regime == state.Pure && !bag.Flat() {
		return errors.New("it is pure but not flat (rule P)")
	}
	signature := ""
	if c.Regime == state.Pure {
		signature = signatureKey(bag)
	}
	from := state.None
	for _, r := range c.Members {
		if seen.Has(r) {
			return errors.New("it holds a record of another birth (rule F)")
		}
		seen.Add(r)
		old := v.records.ClassOf[r]
		if old == state.None {
			continue
		}
		if _, ok := dying[old]; !ok {
			return fmt.Errorf("it takes a record from class %d, which lives (rule F)", old)
		}
		dying[old]--
		if old != from && signatureKey(v.records.Bag(v.classes[old].Members)) != signature {
			return fmt.Errorf("its signature is not that of class %d (rule P)", old)
		}
		from = old
	}
	return nil
}

// pool checks a decision at level L2 (rule B, buckets): every birth is a frozen class of
// exactly k records that were in no class, all of one stratum, every bucket satisfies the requirement and has
// classes of this decision only, and every record arrived when all values of its bucket
// were valid. Cost: the records of the births.
func (v *verifier) pool(d state.Decision) error {
	if err := v.withdrawal(d.Deaths); err != nil {
		return err
	}
	seen := state.NewRecordSet(v.records.Len())
	for i, c := range d.Births {
		if err := v.blindBirth(c, d.Births, seen); err != nil {
			return fmt.Errorf("%w: birth %d: %w", ErrUnsafe, i, err)
		}
	}
	buckets := v.buckets(d.Births)
	judge := pools.Judge(v.records, v.policy, v.want.Extra, slices.Concat(buckets...))
	for i, members := range buckets {
		if len(members) == 0 {
			continue
		}
		if err := judge(members); err != nil {
			return fmt.Errorf("%w: bucket %d: %w", ErrUnsafe, i+1, err)
		}
	}
	return nil
}

// withdrawal checks that what leaves are whole buckets that have not left (rule W, what may leave). Cost: none if nothing leaves, else
// all classes.
func (v *verifier) withdrawal(deaths []state.ClassID) error {
	if len(deaths) == 0 {
		return nil
	}
	left, leaves := map[state.BucketID]int{}, map[state.BucketID]int{}
	for _, c := range v.classes {
		left[c.Bucket]++
	}
	for _, id := range deaths {
		c := v.classes[id]
		if leaves[c.Bucket]++; c.Bucket == 0 || c.Died != 0 {
			return fmt.Errorf("%w: class %d leaves, and is in no bucket or has left (rule W)", ErrUnsafe, id)
		}
	}
	for bucket, n := range leaves {
		if n != left[bucket] {
			return fmt.Errorf("%w: %d of %d classes of a bucket leave (rule W)", ErrUnsafe, n, left[bucket])
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

// blindBirth reports what one of the classes of a pool breaks.
func (v *verifier) blindBirth(c *state.Class, of []*state.Class, seen state.RecordSet) error {
	switch {
	case len(c.Members) != v.policy.Requirement.K:
		return errors.New("it has not exactly k records (rule B)")
	case c.Regime != state.Frozen || c.Bucket <= v.bucket:
		return errors.New("it is not frozen in a bucket of its own release (rule B)")
	case int64(c.Bucket-v.bucket) > int64(len(of)):
		return errors.New("the number of its bucket is above that of the classes (rule B)")
	}
	for _, r := range c.Members {
		if seen.Has(r) || v.records.ClassOf[r] != state.None {
			return errors.New("it holds a record of another class (rule F)")
		}
		seen.Add(r)
		if v.records.StratumOf(r) != v.records.StratumOf(of[0].Members[0]) {
			return errors.New("it holds a person of another stratum (rule U)")
		}
	}
	return nil
}
