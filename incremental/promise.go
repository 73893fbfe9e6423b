package incremental

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// promise is what a semi-sensitive attribute keeps on its own (docs/THREAT_MODEL.md, What is
// promised): the sensitive values newly published in each release have no value above
// 1/l (rule D, difference), or are t-close to the reference distribution.
type promise struct {
	j         int // among the semi-sensitive attributes
	attribute int // in the schema
	name      string
	l         int
	t         float64
	reference equivclass.Bag // empty as long as release 1 has not fixed it
	fixed     bool           // there is a reference
	ground    func(bucket, reference equivclass.Bag) float64
}

// promises are those of all semi-sensitive attributes, in schema order, over the
// records that they are about.
type promises struct {
	records *columns
	each    []promise
}

func newPromises(c *columns, references map[int][]equivclass.Count) promises {
	all := promises{records: c}
	for j, i := range c.schema.Semi() {
		a := c.schema.Attributes()[i]
		p := promise{j: j, attribute: i, name: a.Name, l: a.Promise.L, t: a.Promise.T}
		if p.l == 0 {
			p.ground = equivclass.SemiGround(c.Dicts[i]).Distance
		}
		all.each = append(all.each, p)
	}
	return all.with(references)
}

// with returns the promises with the given references in place of what they had.
func (ps promises) with(references map[int][]equivclass.Count) promises {
	ps.each = slices.Clone(ps.each)
	for i := range ps.each {
		p := &ps.each[i]
		if counts, ok := references[p.attribute]; ok {
			p.reference, p.fixed = equivclass.NewBag(counts), true
		}
	}
	return ps
}

// holds reports whether a bag of sensitive values may be published together. An empty
// bag always may; where there is no reference yet, the bag becomes it.
func (p *promise) holds(b equivclass.Bag) bool {
	switch {
	case b.Total == 0:
		return true
	case p.l > 0:
		return b.Eligible(p.l)
	default:
		return p.reference.Total == 0 || p.ground(b, p.reference) <= p.t+1e-9
	}
}

// semiBag returns the bag of the sensitive values of attribute j. Cost: n log n.
func (c *columns) semiBag(j int, records []RecordID) equivclass.Bag {
	var codes []equivclass.Code
	for _, r := range records {
		if hasFlag(c.flagged(r), j) {
			codes = append(codes, c.semi(j).At(int(r)))
		}
	}
	return equivclass.BagOfCodes(codes)
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

// feasible refuses a first load in which a value of a semi-sensitive attribute is
// too frequent among its sensitive values (rule I, infeasible, for each attribute):
// to publish some of them would leave the others waiting permanently.
func (ps promises) feasible(waiting []RecordID) error {
	for _, p := range ps.each {
		b := ps.records.semiBag(p.j, waiting)
		if p.l > 0 && !p.holds(b) {
			return &InfeasibleError{Attribute: p.name, Records: b.Total, Semi: true,
				Share: float64(b.Max()) / float64(b.Total), L: p.l, Reachable: b.Total / b.Max()}
		}
	}
	return nil
}

// fix makes the reference of each `t` promise that has none: the sensitive values
// that release 1 publishes (see fixReference). Without any there is no release 1.
func (ps promises) fix(d *decision) error {
	for _, p := range ps.each {
		if p.l > 0 || p.fixed || len(d.births) == 0 {
			continue
		}
		b := ps.records.semiBag(p.j, membersOf(d.births))
		if b.Total == 0 {
			return &InfeasibleError{Attribute: p.name, NoReference: true}
		}
		d.fix(p.attribute, b.Counts)
	}
	return nil
}

// check returns what the births of one release break: classes of unequal flags, and
// promises.
func (ps promises) check(births []*Class) (faults []string) {
	if len(ps.each) == 0 || len(births) == 0 {
		return nil
	}
	for _, c := range births {
		if !ps.records.sameFlags(c.Members) {
			faults = append(faults, fmt.Sprintf("class %d: its records have different flags", c.ID))
		}
	}
	records := membersOf(births)
	for _, p := range ps.each {
		b := ps.records.semiBag(p.j, records)
		if p.l == 0 && !p.fixed && b.Total > 0 || !p.holds(b) {
			faults = append(faults, fmt.Sprintf("the sensitive values of %q break its promise (rule D)", p.name))
		}
	}
	return faults
}

func membersOf(classes []*Class) (records []RecordID) {
	for _, c := range classes {
		records = append(records, c.Members...)
	}
	return records
}

// Shortfall says of a semi-sensitive attribute that the values which have waited
// longer than max_hold break its promise by themselves (rule I): by the share of
// the most frequent one, or by the distance from the reference. The values are not
// named.
type Shortfall struct {
	Attribute string  `json:"attribute"`
	Records   int     `json:"records"`
	Share     float64 `json:"share,omitempty"`
	Reachable int     `json:"reachable_l,omitempty"`
	Distance  float64 `json:"distance,omitempty"`
}

// shortfalls lists those of records that were passed over, where there are at
// least k such values.
func (ps promises) shortfalls(passedOver []RecordID, k int) (out []Shortfall) {
	for _, p := range ps.each {
		b := ps.records.semiBag(p.j, passedOver)
		if b.Total < k || p.holds(b) {
			continue
		}
		s := Shortfall{Attribute: p.name, Records: b.Total}
		if p.l > 0 {
			s.Share, s.Reachable = float64(b.Max())/float64(b.Total), b.Total/b.Max()
		} else {
			s.Distance = p.ground(b, p.reference)
		}
		out = append(out, s)
	}
	return out
}
