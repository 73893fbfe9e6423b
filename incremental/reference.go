package incremental

import (
	"fmt"
	"maps"
	"slices"

	"anond/equivclass"
)

// A closeTest is the t-closeness of one attribute whose reference distribution
// release 1 makes: which values a class has, and whether they may stand beside a
// reference.
type closeTest struct {
	attribute int // in the schema
	bag       func(members []RecordID) equivclass.Bag
	holds     func(class, reference equivclass.Bag) bool
}

// closeTests lists the attributes whose reference is not known yet.
func (m *Machine) closeTests() []closeTest {
	want := m.policy.Requirement
	if !want.NeedsReference() {
		return nil
	}
	return []closeTest{{m.schema.SensitiveIndex(), m.records.bag, func(class, reference equivclass.Bag) bool {
		return want.WithReference(reference).Holds(class)
	}}}
}

// fixReferences makes the reference distributions out of the births of release
// 1, if there are any to be made: the bag of all births, once those that fail
// against it are taken out. It returns the births taken out. What is stored with
// the intent is never changed again, and every later birth is tested against it.
//
// Rule SA: equivclass.PublishedReference tells why it is the bag of what is
// published, not of what was loaded. At L0 and L1 taking births out is safe
// whichever they are (rule A): they were published never.
func (m *Machine) fixReferences(d *decision) (out []*Class) {
	tests := m.closeTests()
	if len(tests) == 0 || len(d.births) == 0 {
		return nil
	}
	bags := make([][]equivclass.Bag, len(tests))
	holds := make([]func(class, reference equivclass.Bag) bool, len(tests))
	for j, t := range tests {
		holds[j] = t.holds
		for _, c := range d.births {
			bags[j] = append(bags[j], t.bag(c.Members))
		}
	}
	refs, keep := equivclass.PublishedReference(bags, holds)
	births := d.births
	d.births = nil
	for i, c := range births {
		if keep[i] {
			d.births = append(d.births, c)
		} else {
			out = append(out, c)
		}
	}
	if len(d.births) == 0 {
		return out
	}
	d.references = map[int][]equivclass.Count{}
	for j, t := range tests {
		d.references[t.attribute] = refs[j].Counts
	}
	return out
}

// storeReferences puts the references of a decision into state, beside those
// that were declared.
func (m *Machine) storeReferences(d decision) {
	if len(d.references) == 0 {
		return
	}
	all := maps.Clone(m.meta.References)
	if all == nil {
		all = map[int][]equivclass.Count{}
	}
	maps.Copy(all, d.references)
	m.meta.References = all
	m.staged.delta.Meta = &m.meta
	m.useReferences()
}

// useReferences completes the requirement by the references that state holds.
func (m *Machine) useReferences() {
	m.policy.Requirement = m.requirement(m.meta.References)
}

// requirement is the policy's, its tests completed by the given references.
func (m *Machine) requirement(references map[int][]equivclass.Count) equivclass.Requirement {
	want := m.policy.Requirement
	if len(references) == 0 {
		return want
	}
	if counts, ok := references[m.schema.SensitiveIndex()]; ok {
		want = want.WithReference(equivclass.NewBag(counts))
	}
	return want
}

// declared returns the declared distributions: of the policy, and of the promises
// of the semi-sensitive attributes.
func (m *Machine) declared() map[int][]equivclass.ValueCount {
	all := map[int][]equivclass.ValueCount{}
	maps.Copy(all, m.policy.References)
	for _, i := range m.schema.Semi() {
		if r := m.schema.Attributes()[i].Promise.Reference; len(r) > 0 {
			all[i] = r
		}
	}
	return all
}

// declareReferences takes the declared distributions into a fresh state: their
// values get codes before any record's.
func (m *Machine) declareReferences() error {
	declared := m.declared()
	for _, i := range slices.Sorted(maps.Keys(declared)) {
		d := m.records.Dicts[i]
		var b equivclass.Bag
		for _, v := range declared[i] {
			known := d.Len()
			code, why := d.EncodeLabel(v.Value)
			if why != equivclass.Accepted {
				return fmt.Errorf("a value of the declared reference of attribute %q is refused: %s", d.Attribute().Name, why)
			}
			if d.Len() > known {
				m.learn(i, code)
			}
			b.Add(code, v.Count)
		}
		if m.meta.References == nil {
			m.meta.References = map[int][]equivclass.Count{}
		}
		m.meta.References[i] = b.Counts
	}
	return nil
}
