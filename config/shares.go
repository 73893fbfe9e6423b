package config

import (
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
)

// Share is the declared share of one value in a reference distribution.
type Share struct {
	Value string
	Share float64
}

// sharePrecision is the number of parts into which a whole is divided: shares
// are kept to six decimals.
const sharePrecision = 1_000_000

// shares is a section whose keys are values and whose values are shares: a
// declared distribution.
type shares struct{ to *[]Share }

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
	var out []Share
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, child := n.Content[i], n.Content[i+1]
		at := fmt.Sprintf("%s[%d]", full, i/2)
		if name.Kind != yaml.ScalarNode || seen[name.Value] {
			r.faultAt(name, at, "has a value that is missing or repeated", "write each value once, followed by its share")
			continue
		}
		seen[name.Value] = true
		x := Share{Value: name.Value}
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
func countsOf(list []Share) []equivclass.ValueCount {
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
