package config

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// Promise is the block `promise` of a semi-sensitive attribute: L or T.
type Promise struct {
	L         int
	T         float64
	Distance  Distance
	Reference []Share
}

// Distance is the ground distance of t-closeness.
type Distance string

// The ground distances.
const (
	distanceEqual        Distance = "equal"
	distanceOrdered      Distance = "ordered"
	distanceHierarchical Distance = "hierarchical"
)

func (p *Promise) keys() []key {
	return []key{
		{path: "promise.l", value: atLeast(2, "at l = 1 nothing is promised", &p.L), derived: "none",
			doc: "With role semi: no sensitive value of this attribute has more than 1/l of a local bucket."},
		{path: "promise.t", value: number(&p.T), derived: "none", doc: "With role semi, for attributes of few values: local buckets are " +
			"t-close to the reference distribution. A value is then as probable as its share of the bucket; no 1/l is claimed."},
		{path: "promise.distance", value: oneOf(&p.Distance, distanceEqual, distanceOrdered, distanceHierarchical), derived: "equal",
			doc: "Ground distance of promise.t: equal (all pairs of values have the same distance), ordered (numbers by rank; leaves in the " +
				"order of the hierarchy file), hierarchical (by the hierarchy)."},
		{path: "promise.reference", value: shares{&p.Reference}, derived: "the sensitive values published in release 1",
			doc: "Reference distribution of promise.t, {value: share, ...}, shares summing to 1."},
	}
}

// semiPromise is the promise as the schema has it; nil for other roles than semi.
func (a *Attribute) semiPromise() *equivclass.SemiPromise {
	if a.Role != equivclass.Semi {
		return nil
	}
	p := &equivclass.SemiPromise{L: a.Promise.L, T: a.Promise.T}
	if p.T != 0 {
		p.Distance, p.Reference = string(a.Promise.Distance), countsOf(a.Promise.Reference)
	}
	return p
}

// withFlags returns the attributes and, behind them, the fields that flag
// values: a field may flag several attributes and is there once.
func (c *Config) withFlags(attributes []equivclass.Attribute) []equivclass.Attribute {
	for _, a := range c.Attributes {
		known := func(b equivclass.Attribute) bool { return b.Name == a.Flag }
		if a.Flag != "" && !slices.ContainsFunc(attributes, known) {
			attributes = append(attributes, equivclass.Attribute{Name: a.Flag, Role: equivclass.Flag})
		}
	}
	return attributes
}

// checkSemi checks promise and flag of the attribute at an index.
func (c *Config) checkSemi(r *reader, i int, fault attributeFault) {
	a := &c.Attributes[i]
	at := fmt.Sprintf("schema.attributes[%d]", i)
	p := &a.Promise
	if a.Role != equivclass.Semi {
		if a.Flag != "" {
			fault("flag", "belongs to an attribute of role semi", "remove it, or write role: semi")
		}
		if r.set(at + ".promise") {
			fault("promise", "belongs to an attribute of role semi", "remove it, or write role: semi")
		}
		return
	}
	if slices.ContainsFunc(c.Attributes, func(b Attribute) bool { return a.Flag != "" && b.Name == a.Flag }) {
		fault("flag", "names an attribute that is listed", "remove the field from schema.attributes: flag declares it")
	}
	if !r.sound(at+".promise", at+".promise.l", at+".promise.t", at+".promise.distance", at+".promise.reference") {
		return
	}
	switch {
	case r.set(at+".promise.l") == r.set(at+".promise.t"):
		fault("promise", "needs one of l and t", "write promise: {l: 3}, or for few values promise: {t: 0.2}")
	case p.L > 0 && (p.Distance != "" || p.Reference != nil):
		fault("promise", "has a distance or reference, which belong to t", "remove them")
	case p.L == 0 && (p.T <= 0 || p.T >= 1):
		fault("promise.t", "is not between 0 and 1", "write for instance 0.2")
	case p.L == 0:
		if p.Distance == "" {
			p.Distance = distanceEqual
		}
		a.checkDistance(p.Distance, fault)
	}
}

// checkDistance checks whether a ground distance has a meaning for the values.
func (a *Attribute) checkDistance(d Distance, fault attributeFault) {
	switch {
	case d == distanceHierarchical && a.Hierarchy == "":
		fault("promise.distance", "is hierarchical, but the attribute has no hierarchy", "name one, or use equal")
	case d == distanceOrdered && a.Hierarchy == "" && !a.Type.Numeric():
		fault("promise.distance", "is ordered, but the values have no order",
			"use a numeric type, a hierarchy file whose leaves are in order, or equal")
	}
}

// checkPromises checks the promises against the declared values: an l that no
// bucket can reach, a reference with values that cannot occur.
func (c *Config) checkPromises(r *reader) {
	for i := range c.Attributes {
		a := &c.Attributes[i]
		at := fmt.Sprintf("schema.attributes[%d].promise", i)
		if a.Role != equivclass.Semi || !r.sound(at, at+".l", at+".reference") {
			continue
		}
		tree := c.trees[a.Hierarchy]
		if tree != nil && a.Promise.L > tree.Leaves() {
			r.fault(at+".l", fmt.Sprintf("is %d, above the %s of attribute %q: no bucket can satisfy it", a.Promise.L,
				countOf(tree.Leaves(), "value"), a.Name),
				fmt.Sprintf("write %d or less, or distinguish more values", tree.Leaves()))
		}
		c.checkReference(r, at+".reference", i, a.Promise.Reference)
	}
}

// checkReference refuses values in a declared reference that no record can have,
// and writes the others as records have them.
func (c *Config) checkReference(r *reader, key string, i int, reference []Share) {
	a := c.schema.Attributes()[i]
	dict := equivclass.NewDictionary(a)
	seen, spelled := map[string]bool{}, twins{}
	for j, x := range reference {
		code, why := dict.EncodeLabel(x.Value)
		if why != equivclass.Accepted {
			r.fault(key, fmt.Sprintf("has %q, which is not a value of attribute %q (%s)", shortened(x.Value), a.Name, why),
				"write values as the records have them")
			return
		}
		text := dict.Text(code)
		if seen[text] {
			r.fault(key, fmt.Sprintf("has %q twice", shortened(text)), "join the shares")
			return
		}
		seen[text] = true
		if before, twin := spelled.note(text); twin {
			r.warn(key, fmt.Sprintf("has %q and %q, which differ only by "+spelling+", and count as two values", shortened(before), shortened(text)),
				"join the shares if they mean the same")
		}
		if !a.Type.Numeric() {
			reference[j].Value = text
		}
	}
}
