package config

import (
	"fmt"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
)

// share is the declared share of one value in a reference distribution.
type share struct {
	Value string
	Share float64
}

// sharePrecision is the number of parts into which a whole is divided: shares
// are kept to six decimals.
const sharePrecision = 1_000_000

// shares is a section whose keys are values and whose values are shares: a
// declared distribution.
type shares struct{ to *[]share }

func (s shares) kind() string { return "section of value: share" }

func (s shares) json() any {
	if *s.to == nil {
		return nil
	}
	var out object
	for _, x := range *s.to {
		out = append(out, member{x.Value, x.Share})
	}
	return out
}

func (s shares) shape() object {
	return object{{"type", "object"}, {"additionalProperties", orReference(object{{"type", "number"}})}}
}

func (s shares) read(r *reader, full string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.faultAt(n, full, "is "+described(n)+", must be a section of value: share", "write it in braces: {F: 0.5, M: 0.5}")
		return
	}
	before, sum := len(r.faults), 0.0
	var out []share
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, child := n.Content[i], n.Content[i+1]
		at := fmt.Sprintf("%s[%d]", full, i/2)
		if name.Kind != yaml.ScalarNode || seen[name.Value] {
			r.faultAt(name, at, "has a value that is missing or repeated", "write each value once, followed by its share")
			continue
		}
		seen[name.Value] = true
		x := share{Value: name.Value}
		number(&x.Share).read(r, at, child)
		if r.sound(at) && (x.Share <= 0 || x.Share > 1) {
			r.faultAt(child, at, "is not a share above 0 and at most 1", "leave out values that do not occur")
		}
		sum += x.Share
		out = append(out, x)
	}
	switch {
	case len(r.faults) > before:
		r.failed[full] = true
	case math.Abs(sum-1)*sharePrecision > 1:
		r.faultAt(n, full, fmt.Sprintf("has shares that sum to %g, not to 1", sum), "list all values with their shares")
	default:
		*s.to = out
	}
}

// countsOf writes shares as whole counts in their smallest terms, the form in
// which a reference stands in the manifest.
func countsOf(list []share) []equivclass.ValueCount {
	out := make([]equivclass.ValueCount, len(list))
	divisor := 0
	for i, x := range list {
		out[i] = equivclass.ValueCount{Value: x.Value, Count: max(1, int(math.Round(x.Share*sharePrecision)))}
		divisor = gcd(out[i].Count, divisor)
	}
	for i := range out {
		out[i].Count /= divisor
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// checkCloseness checks one element of policy.diversity that is t-closeness.
func checkCloseness(c *Config, r *reader, i int) {
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
			"ordered needs buckets and no missing values, hierarchical needs a hierarchy; equal is always possible")
	}
	for j, before := range c.Policy.Diversity[:i] {
		if len(d.Reference) > 0 && len(before.Reference) > 0 && !slices.Equal(d.Reference, before.Reference) {
			r.fault(at+".reference", fmt.Sprintf("differs from that of policy.diversity[%d]: an attribute has one reference", j),
				"write it once; it applies to all tests of the attribute")
		}
	}
	checkReference(c, r, at+".reference", c.schema.SensitiveIndex(), d.Reference)
}

// declared returns the declared reference of the sensitive attribute, nil if
// there is none.
func (c *Config) declared() []share {
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

// distance is the ground distance of t-closeness.
type distance string

// The ground distances.
const (
	distanceEqual        distance = "equal"
	distanceOrdered      distance = "ordered"
	distanceHierarchical distance = "hierarchical"
)

// checkReference refuses values in a declared reference that no record can have,
// and writes the others as records have them.
func checkReference(c *Config, r *reader, key string, i int, reference []share) {
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
