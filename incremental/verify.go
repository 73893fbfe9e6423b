package incremental

import (
	"errors"
	"fmt"

	"anond/equivclass"
	"anond/internal/fault"
)

// ErrUnsafe: a decision would have broken a rule. Nothing of it was kept. It is a
// fault of the machine; the auditor would have found it before publication (exit 3).
var ErrUnsafe = fault.Errorf(fault.Privacy, "nothing was published and the intent stays; this is a fault of anond: report it with the output of anond state "+
	"check",
	"the machine refused its own decision")

// verifier checks a decision against the rules before anything of it is kept. It
// knows the records and the published classes, and nothing of how the decision was
// made.
type verifier struct {
	policy  *Policy
	records *columns
	classes []*Class
	want    equivclass.Requirement // its tests completed by the references that the decision fixes
	bucket  BucketID               // the newest one before
}

// newVerifier judges a decision that fixes the given references.
func newVerifier(s *state, fixed map[int][]equivclass.Count) *verifier {
	return &verifier{policy: &s.policy, records: &s.records, classes: s.history.classes, bucket: s.history.bucket,
		want: withReference(s.policy.Requirement, s.schema, fixed)}
}

// verify returns what a decision breaks. Every birth satisfies the requirement
// (rule A, frozen classes). A pure birth is flat and has the signature of the classes it
// takes records from (rule P, pure classes). No record is in two classes (rule F,
// forbidden operations). A class that dies is pure, has regroupings left (rule E,
// equality patterns) and gives all its records to births (rule N, insert-only). Cost:
// the records of the births and deaths.
func (v *verifier) verify(d decision) error {
	dying := make(map[ClassID]int, len(d.deaths))
	for _, id := range d.deaths {
		c := v.classes[id]
		if c.Regime != Pure || c.Died != 0 || v.policy.exhausted(c) {
			return fmt.Errorf("%w: class %d may not be regrouped (rules A, E)", ErrUnsafe, id)
		}
		dying[id] = len(c.Members)
	}
	if v.policy.Level == L2 {
		return v.pool(d)
	}
	seen := newRecordSet(v.records.len())
	for i, c := range d.births {
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

func (v *verifier) birth(c *Class, dying map[ClassID]int, seen recordSet) error {
	bag := v.records.bag(c.Members)
	if !v.want.Holds(bag) {
		return errors.New("it breaks the requirement (rule A)")
	}
	if err := v.records.oneEpoch(c.Members); err != nil {
		return err
	}
	if c.Regime == Pure && !bag.Flat() {
		return errors.New("it is pure but not flat (rule P)")
	}
	signature := ""
	if c.Regime == Pure {
		signature = signatureKey(bag)
	}
	from := none
	for _, r := range c.Members {
		if seen.has(r) {
			return errors.New("it holds a record of another birth (rule F)")
		}
		seen.add(r)
		old := v.records.classOf[r]
		if old == none {
			continue
		}
		if _, ok := dying[old]; !ok {
			return fmt.Errorf("it takes a record from class %d, which lives (rule F)", old)
		}
		dying[old]--
		if old != from && signatureKey(v.records.bag(v.classes[old].Members)) != signature {
			return fmt.Errorf("its signature is not that of class %d (rule P)", old)
		}
		from = old
	}
	return nil
}
