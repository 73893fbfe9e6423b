package plan

import (
	"anond/equivclass"
	"anond/incremental/state"
)

// FixReference makes the reference distribution of t-closeness out of the births
// of release 1, if there is one to be made: the bag of all births, once those that
// fail against it are taken out. It returns the births taken out. What is stored
// with the intent is never changed again, and every later birth is tested against
// it.
//
// equivclass.PublishedReference says why it is the bag of what is published, not of
// what was loaded (promise SA: no posterior above 1/l). At L0 and L1 any births may be
// taken out: they were never published (rule A, frozen classes).
func FixReference(d *state.Decision, c *state.Records, want equivclass.Requirement) (out []*state.Class) {
	if !want.NeedsReference() || len(d.Births) == 0 {
		return nil
	}
	var bags []equivclass.Bag
	for _, b := range d.Births {
		bags = append(bags, c.Bag(b.Members))
	}
	holds := func(class, reference equivclass.Bag) bool { return want.WithReference(reference).Holds(class) }
	refs, keep := equivclass.PublishedReference([][]equivclass.Bag{bags}, []func(class, reference equivclass.Bag) bool{holds})
	births := d.Births
	d.Births = nil
	for i, b := range births {
		if keep[i] {
			d.Births = append(d.Births, b)
		} else {
			out = append(out, b)
		}
	}
	if len(d.Births) > 0 {
		d.Fix(c.Schema.SensitiveIndex(), refs[0].Counts)
	}
	return out
}

// WithReference completes the tests of a requirement by the references that are
// fixed.
func WithReference(want equivclass.Requirement, s *equivclass.Schema, references map[int][]equivclass.Count) equivclass.Requirement {
	if counts, ok := references[s.SensitiveIndex()]; ok {
		return want.WithReference(equivclass.NewBag(counts))
	}
	return want
}
