package equivclass

import (
	"fmt"
	"slices"
	"strings"
)

// Grounds returns the ground distances that an attribute has: equal for all,
// ordered for buckets of a number, hierarchical with a hierarchy. Each is
// defined over a domain that the schema fixes, so a distance never changes as
// values appear.
func Grounds(a Attribute) []Ground {
	out := []Ground{EqualGround{}}
	if len(a.Buckets) > 0 && !a.Optional { // a missing number has no place in the order
		rank := make([]int, len(a.Buckets))
		for i := range rank {
			rank[i] = i
		}
		out = append(out, OrderedGround{Rank: rank})
	}
	if a.Hierarchy != nil {
		out = append(out, TreeGround{Tree: a.Hierarchy})
	}
	return out
}

// GroundOf returns the ground distance of a name, or says which fit.
func GroundOf(a Attribute, name string) (Ground, error) {
	var names []string
	for _, g := range Grounds(a) {
		if g.Name() == name {
			return g, nil
		}
		names = append(names, g.Name())
	}
	return nil, fmt.Errorf("ground distance %q does not fit attribute %q: use %s (ordered needs buckets and no missing values, "+
		"hierarchical a hierarchy)", name, a.Name, strings.Join(names, " or "))
}

// WithReference returns the requirement with b as the reference of each
// t-closeness test that has none yet.
func (r Requirement) WithReference(b Bag) Requirement {
	if !r.NeedsReference() {
		return r
	}
	r.Extra = slices.Clone(r.Extra)
	for i, p := range r.Extra {
		if t, ok := p.(TClose); ok && t.Reference.Total == 0 {
			t.Reference = b
			r.Extra[i] = t
		}
	}
	return r
}

// NeedsReference reports whether a t-closeness test has no reference yet. No
// class satisfies such a test.
func (r Requirement) NeedsReference() bool {
	return slices.ContainsFunc(r.Extra, func(p Principle) bool {
		t, ok := p.(TClose)
		return ok && t.Reference.Total == 0
	})
}

// PublishedReference returns the reference distributions that a first release
// defines by its own classes: bags[j][i] is the bag of attribute j in class i,
// holds[j] reports whether a class satisfies the test against a reference. keep
// are the classes that satisfy all tests, refs[j] is the sum of their bags.
//
// Method: classes that fail against the sum of all bags are removed, which
// changes the sum, until none fails. So the result is a function of the bags,
// and there are at most as many rounds as classes. Cost: rounds x classes.
//
// The reference is the sum of what is published, never of all that was loaded,
// because a reference is public: the latter minus the former would be the
// values of those who wait. If one person waits, that is their value with
// certainty, and promise SA (no value above 1/l) is broken when they are
// published. The sum of the published bags is in release 1 itself and reveals
// nothing more.
func PublishedReference(bags [][]Bag, holds []func(class, reference Bag) bool) (refs []Bag, keep []bool) {
	refs = make([]Bag, len(bags))
	if len(bags) == 0 {
		return refs, nil
	}
	keep = make([]bool, len(bags[0]))
	for i := range keep {
		keep[i] = true
	}
	for {
		for j := range bags {
			refs[j] = sumOf(bags[j], keep)
		}
		failed := false
		for i := range keep {
			for j, hold := range holds {
				if keep[i] && !hold(bags[j][i], refs[j]) {
					keep[i], failed = false, true
				}
			}
		}
		if !failed {
			return refs, keep
		}
	}
}

func sumOf(bags []Bag, keep []bool) Bag {
	count := map[Code]int{}
	for i, b := range bags {
		if keep[i] {
			for _, c := range b.Counts {
				count[c.Code] += c.N
			}
		}
	}
	var sum Bag
	for code, n := range count {
		sum.Counts = append(sum.Counts, Count{code, n})
		sum.Total += n
	}
	slices.SortFunc(sum.Counts, func(a, b Count) int { return int(a.Code) - int(b.Code) })
	return sum
}
