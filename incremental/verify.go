package incremental

import (
	"errors"
	"fmt"

	"anond/equivclass"
)

// ErrUnsafe: a decision would have broken a rule. Nothing of it was kept; this is
// a fault of the machine, which the gate would have found too (exit 3).
var ErrUnsafe = errors.New("the machine refused its own decision")

// verify holds a decision against the rules before anything of it is kept,
// whoever planned it: every birth satisfies the requirement (A), a pure one is
// flat (P) and has one signature with those it takes records from, no record is
// in two classes, and who dies is pure and gives all its records to births (A,
// N). Cost: the records of the births and deaths.
func (m *Machine) verify(d decision) error {
	dying := make(map[ClassID]int, len(d.deaths))
	for _, id := range d.deaths {
		c := m.classes[id]
		if c.Regime != Pure || c.Died != 0 || m.exhausted(c) {
			return fmt.Errorf("%w: class %d may not be regrouped (rules A, E)", ErrUnsafe, id)
		}
		dying[id] = len(c.Members)
	}
	seen := map[RecordID]bool{}
	want := m.requirement(d.references)
	for i, c := range d.births {
		if err := m.verifyBirth(c, want, dying, seen); err != nil {
			return fmt.Errorf("%w: birth %d: %w", ErrUnsafe, i, err)
		}
	}
	for id, left := range dying {
		if left != 0 {
			return fmt.Errorf("%w: %d records of class %d would disappear (rule N)", ErrUnsafe, left, id)
		}
	}
	for _, fault := range m.checkPromises(d.births, d.references) {
		return fmt.Errorf("%w: %s", ErrUnsafe, fault)
	}
	return nil
}

func (m *Machine) verifyBirth(c *Class, want equivclass.Requirement, dying map[ClassID]int, seen map[RecordID]bool) error {
	bag := m.records.bag(c.Members)
	if !want.Holds(bag) {
		return errors.New("it breaks the requirement (rule A)")
	}
	if err := m.records.oneEpoch(c.Members); err != nil {
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
		if seen[r] {
			return errors.New("it holds a record of another birth (rule F)")
		}
		seen[r] = true
		old := m.records.classOf[r]
		if old == none {
			continue
		}
		if _, ok := dying[old]; !ok {
			return fmt.Errorf("it takes a record from class %d, which lives (rule F)", old)
		}
		dying[old]--
		if old != from && signatureKey(m.records.bag(m.classes[old].Members)) != signature {
			return fmt.Errorf("its signature is not that of class %d (rule P)", old)
		}
		from = old
	}
	return nil
}
