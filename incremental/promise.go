package incremental

import (
	"fmt"

	"anond/equivclass"
)

// promise is what a semi-sensitive attribute keeps on its own (docs/THREAT_MODEL.md, What is
// promised): the sensitive values newly published in each release have no value above
// 1/l (rule D), or are t-close to the reference distribution.
type promise struct {
	j         int // among the semi-sensitive attributes
	attribute int // in the schema
	l         int
	t         float64
	ground    func(bucket, reference equivclass.Bag) float64
}

// promises returns those of all semi-sensitive attributes, in schema order.
func (m *Machine) promises() []promise {
	var out []promise
	for j, i := range m.schema.Semi() {
		a := m.schema.Attributes()[i]
		p := promise{j: j, attribute: i, l: a.Promise.L, t: a.Promise.T}
		if p.l == 0 {
			p.ground = equivclass.SemiGround(m.records.Dicts[i]).Distance
		}
		out = append(out, p)
	}
	return out
}

// holds tells whether a bag of sensitive values may be published together.
// Nothing always may; and a bag without reference is its own.
func (p *promise) holds(b, reference equivclass.Bag) bool {
	switch {
	case b.Total == 0:
		return true
	case p.l > 0:
		return b.Eligible(p.l)
	default:
		return reference.Total == 0 || p.ground(b, reference) <= p.t+1e-9
	}
}

// semiBag returns the bag of the sensitive values of attribute j. Cost: n log n.
func (c *columns) semiBag(j int, records []RecordID) equivclass.Bag {
	var codes []equivclass.Code
	for _, r := range records {
		if hasFlag(c.flagged(r), j) {
			codes = append(codes, c.semi(j)[r])
		}
	}
	return equivclass.BagOfCodes(codes)
}

// reference returns the reference distribution of an attribute, empty as long as
// release 1 has not fixed it.
func (m *Machine) reference(attribute int) equivclass.Bag {
	return equivclass.NewBag(m.meta.References[attribute])
}

// sameFlags reports whether all records flag the same attributes.
func (c *columns) sameFlags(members []RecordID) bool {
	for _, r := range members[1:] {
		if c.flagged(r) != c.flagged(members[0]) {
			return false
		}
	}
	return true
}

// feasibleSemi refuses a first load in which a value of a semi-sensitive
// attribute is too frequent among its sensitive values (rule I for each): to
// publish some of them would only leave the others waiting for ever.
func (m *Machine) feasibleSemi(waiting []RecordID) error {
	for _, p := range m.promises() {
		b := m.records.semiBag(p.j, waiting)
		if p.l > 0 && !p.holds(b, equivclass.Bag{}) {
			return &InfeasibleError{Attribute: m.schema.Attributes()[p.attribute].Name, Records: b.Total, Semi: true,
				Share: float64(b.Max()) / float64(b.Total), L: p.l, Reachable: b.Total / b.Max()}
		}
	}
	return nil
}

// fixSemiReferences makes the reference of each `t` promise that declares none:
// the sensitive values that release 1 publishes (see fixReferences). Without any
// there is no release 1.
func (m *Machine) fixSemiReferences(d *decision) error {
	for _, p := range m.promises() {
		if _, fixed := m.meta.References[p.attribute]; p.l > 0 || fixed || len(d.births) == 0 {
			continue
		}
		var records []RecordID
		for _, c := range d.births {
			records = append(records, c.Members...)
		}
		b := m.records.semiBag(p.j, records)
		if b.Total == 0 {
			return &InfeasibleError{Attribute: m.schema.Attributes()[p.attribute].Name, NoReference: true}
		}
		if d.references == nil {
			d.references = map[int][]equivclass.Count{}
		}
		d.references[p.attribute] = b.Counts
	}
	return nil
}

// checkPromises tells what the births of one release break: classes of unequal
// flags, and promises.
func (m *Machine) checkPromises(births []*Class, references map[int][]equivclass.Count) (faults []string) {
	if len(m.schema.Semi()) == 0 || len(births) == 0 {
		return nil
	}
	var records []RecordID
	for _, c := range births {
		if !m.records.sameFlags(c.Members) {
			faults = append(faults, fmt.Sprintf("class %d: its records have different flags", c.ID))
		}
		records = append(records, c.Members...)
	}
	for _, p := range m.promises() {
		counts, fixed := references[p.attribute]
		if !fixed {
			counts, fixed = m.meta.References[p.attribute]
		}
		b := m.records.semiBag(p.j, records)
		if p.l == 0 && !fixed && b.Total > 0 || !p.holds(b, equivclass.NewBag(counts)) {
			faults = append(faults, fmt.Sprintf("the sensitive values of %q break its promise (rule D)", m.schema.Attributes()[p.attribute].Name))
		}
	}
	return faults
}

// Shortfall says of a semi-sensitive attribute that the values which have waited
// longer than max_hold break its promise by themselves (rule I): by the share of
// the most frequent one, or by the distance from the reference. Never which.
type Shortfall struct {
	Attribute string  `json:"attribute"`
	Records   int     `json:"records"`
	Share     float64 `json:"share,omitempty"`
	Reachable int     `json:"reachable_l,omitempty"`
	Distance  float64 `json:"distance,omitempty"`
}

func (m *Machine) findShortfalls(passedOver []RecordID) (out []Shortfall) {
	for _, p := range m.promises() {
		b, reference := m.records.semiBag(p.j, passedOver), m.reference(p.attribute)
		if b.Total < m.policy.Requirement.K || p.holds(b, reference) {
			continue
		}
		s := Shortfall{Attribute: m.schema.Attributes()[p.attribute].Name, Records: b.Total}
		if p.l > 0 {
			s.Share, s.Reachable = float64(b.Max())/float64(b.Total), b.Total/b.Max()
		} else {
			s.Distance = p.ground(b, reference)
		}
		out = append(out, s)
	}
	return out
}
