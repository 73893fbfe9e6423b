package anonymize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/internal/profile"
)

// semi says of a quasi-identifier that it is semi-sensitive (Li, He and Sun): sensitive
// for some people, as a flag in their record says, and known for the others. It promises
// L, no value has more than 1/L of a local bucket, or T: every local bucket is T-close to
// the reference distribution, and a value is as probable as its share of the bucket.
type semi struct {
	Flag      string         `json:"flag,omitempty"` // field of the flag; empty: every value is sensitive
	L         int            `json:"l,omitempty"`
	T         float64        `json:"t,omitempty"`
	Distance  string         `json:"distance,omitempty"`  // of T: equal (the default), ordered or hierarchical
	Reference map[string]int `json:"reference,omitempty"` // of T: counts by value; none: what is published
}

// ReadSemi reads a file of semi-sensitive attributes: a JSON object with one Semi for each
// name. The error quotes no content.
func ReadSemi(path string) (map[string]semi, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]semi{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&out) != nil {
		return nil, fmt.Errorf(`%s is no list of semi-sensitive attributes: write for instance {"pay": {"flag": "pay_private", "l": 3}}`, path)
	}
	return out, nil
}

// CheckSemi checks whether the attributes of a schema can keep the promises, and gives
// promises by T their default distance.
func CheckSemi(s *equivclass.Schema, semi map[string]semi) error {
	for _, name := range slices.Sorted(maps.Keys(semi)) {
		p := semi[name]
		i := slices.IndexFunc(s.Attributes(), func(a equivclass.Attribute) bool { return a.Name == name })
		if i < 0 || s.Attributes()[i].Role != equivclass.Quasi {
			return fmt.Errorf("%q is not a quasi-identifier of the schema", name)
		}
		a := s.Attributes()[i]
		switch {
		case (p.L != 0) == (p.T != 0):
			return fmt.Errorf("%q needs one of l and t", name)
		case p.L != 0 && p.L < 2:
			return fmt.Errorf("%q: at l = %d nothing is promised", name, p.L)
		case p.L != 0 && (p.Distance != "" || p.Reference != nil):
			return fmt.Errorf("%q has a distance or reference, which belong to t", name)
		case p.T < 0 || p.T >= 1:
			return fmt.Errorf("%q: t is not between 0 and 1", name)
		case p.T == 0:
			continue
		}
		if p.Distance = cmp.Or(p.Distance, "equal"); !slices.Contains([]string{"equal", "ordered", "hierarchical"}, p.Distance) ||
			p.Distance == "hierarchical" && a.Hierarchy == nil || p.Distance == "ordered" && a.Hierarchy == nil && !a.Type.Numeric() {
			return fmt.Errorf("%q: use equal distances, ordered ones for numbers or a hierarchy in order, or hierarchical ones", name)
		}
		for _, n := range p.Reference {
			if n < 1 {
				return fmt.Errorf("%q: the counts of a reference are at least 1", name)
			}
		}
		semi[name] = p
	}
	return nil
}

// withFlags is a schema by which records are read with the flags of semi-sensitive attributes.
func withFlags(s *equivclass.Schema, semi map[string]semi) (out *equivclass.Schema, flags []profile.Column, err error) {
	attributes := slices.Clone(s.Attributes())
	for _, name := range slices.Sorted(maps.Keys(semi)) {
		flag := semi[name].Flag
		if flag == "" {
			continue
		}
		read := equivclass.Attribute{Name: flag, Role: equivclass.Quasi, Type: equivclass.Categorical}
		switch i := slices.IndexFunc(attributes, func(a equivclass.Attribute) bool { return a.Name == flag }); {
		case i < 0:
			attributes = append(attributes, read)
		case attributes[i].Role == equivclass.Drop:
			attributes[i] = read
		case i < len(s.Attributes()) && s.Attributes()[i].Role != equivclass.Drop:
			return nil, nil, fmt.Errorf("%q flags %q, and has role %s itself: write role drop, or leave it out", flag, name, attributes[i].Role)
		}
		flags = append(flags, profile.Column{Name: flag, Reason: reasonFlag,
			Good: func(text string) bool { _, ok := parseFlag(text); return ok }})
	}
	out, err = equivclass.NewSchema(attributes, s.Missing())
	return out, flags, err
}

// reasonFlag: the flag of a semi-sensitive value is missing, or cannot be read. Such a
// record is refused: treating the value as known could expose a person, treating it as
// sensitive would put the person among people with other flags.
const reasonFlag = "bad_flag"

// Corrections says how to correct a record that is refused for a flag (profile.Table.WriteRefused).
var Corrections = map[equivclass.Reason]string{reasonFlag: "write yes or no"}

// parseFlag reads whether a semi-sensitive value is sensitive to its person:
// true or false, t or f, yes or no, y or n, 1 or 0, in any case.
func parseFlag(raw string) (sensitive, ok bool) {
	switch strings.ToLower(raw) {
	case "true", "t", "yes", "y", "1":
		return true, true
	case "false", "f", "no", "n", "0":
		return false, true
	}
	return false, false
}

// referenceOf is the declared reference of a promise by t; the zero Bag: there is none.
func referenceOf(d *equivclass.Dictionary, p semi) (equivclass.Bag, error) {
	var values []equivclass.ValueCount
	for _, v := range slices.Sorted(maps.Keys(p.Reference)) {
		values = append(values, equivclass.ValueCount{Value: v, Count: p.Reference[v]})
	}
	return declaredBag(d, values)
}

// groundOf is the distance that a promise by t names. Ordered is by rank: the rank of
// leaves of a hierarchy in the order of its file, the rank of numbers among those in the
// bucket and the reference.
func groundOf(d *equivclass.Dictionary, distance string) equivclass.Ground {
	tree := d.Attribute().Hierarchy
	switch {
	case distance == "hierarchical":
		return equivclass.TreeGround{Tree: tree}
	case distance != "ordered":
		return equivclass.EqualGround{}
	case tree != nil:
		rank := make([]int, tree.Leaves())
		for i := range rank {
			rank[i] = i
		}
		return equivclass.OrderedGround{Rank: rank}
	}
	return numberGround{d}
}

// numberGround ranks numbers among those that occur.
type numberGround struct{ dict *equivclass.Dictionary }

// Name returns ordered.
func (numberGround) Name() string { return "ordered" }

// Distance implements equivclass.Ground.
func (g numberGround) Distance(class, reference equivclass.Bag) float64 {
	var order []float64
	for _, c := range slices.Concat(class.Counts, reference.Counts) {
		order = append(order, g.dict.Number(c.Code))
	}
	slices.Sort(order)
	order = slices.Compact(order)
	ranked := func(b equivclass.Bag) (out equivclass.Bag) {
		for _, c := range b.Counts {
			at, _ := slices.BinarySearch(order, g.dict.Number(c.Code))
			out.Add(equivclass.Code(at), c.N)
		}
		return out
	}
	return equivclass.OrderedGround{}.Distance(ranked(class), ranked(reference))
}
