package config

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// checkCloseness checks one element of policy.diversity that is t-closeness.
func (c *Config) checkCloseness(r *reader, i int) {
	d := &c.Policy.Diversity[i]
	at := fmt.Sprintf("policy.diversity[%d]", i)
	if d.T <= 0 || d.T >= 1 {
		r.fault(at+".t", fmt.Sprintf("is %g, must be between 0 and 1", d.T), "at 1 every class passes; write for instance 0.2")
	}
	if !r.set(at + ".distance") {
		d.Distance = distanceEqual
	}
	if c.schema == nil {
		return
	}
	a := c.schema.Attributes()[c.schema.SensitiveIndex()]
	if _, err := equivclass.GroundOf(a, string(d.Distance)); err != nil {
		r.fault(at+".distance", fmt.Sprintf("is %s, which does not fit attribute %q", d.Distance, a.Name),
			"ordered needs buckets, hierarchical needs a hierarchy; equal is always possible")
	}
	for j, before := range c.Policy.Diversity[:i] {
		if len(d.Reference) > 0 && len(before.Reference) > 0 && !slices.Equal(d.Reference, before.Reference) {
			r.fault(at+".reference", fmt.Sprintf("differs from that of policy.diversity[%d]: an attribute has one reference", j),
				"write it once; it applies to all tests of the attribute")
		}
	}
	c.checkReference(r, at+".reference", c.schema.SensitiveIndex(), d.Reference)
}

// declared returns the declared reference of the sensitive attribute, nil if
// there is none.
func (c *Config) declared() []Share {
	for _, d := range c.Policy.Diversity {
		if len(d.Reference) > 0 {
			return d.Reference
		}
	}
	return nil
}

// References returns the declared reference distributions by attribute of the
// schema.
func (c *Config) References() map[int][]equivclass.ValueCount {
	if c.declared() == nil {
		return nil
	}
	return map[int][]equivclass.ValueCount{c.schema.SensitiveIndex(): countsOf(c.declared())}
}

// Distance is the ground distance of t-closeness.
type Distance string

// The ground distances.
const (
	distanceEqual        Distance = "equal"
	distanceOrdered      Distance = "ordered"
	distanceHierarchical Distance = "hierarchical"
)

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
			r.warn(key, fmt.Sprintf("has %q and %q, which differ only by "+spelling+", and count as two values",
				shortened(before), shortened(text)),
				"join the shares if they mean the same")
		}
		if !a.Type.Numeric() {
			reference[j].Value = text
		}
	}
}
