package anonymize

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"anond/equivclass"
	"anond/internal/fault"
)

// feasible says that no partition of the table can keep what is asked (rule I, infeasible). Its error names counts and shares,
// never a value.
//
// It checks whether the table as one class satisfies each part of the
// requirement: if it does not, no partition of all records does. Each principle
// here has that property (k and frequency l count; the others by the concavity
// of entropy, and because the union of classes that satisfy one satisfies it).
func feasible(t *inputTable, want equivclass.Requirement) error {
	name := t.Schema.Attributes()[t.Schema.SensitiveIndex()].Name
	bag := bagOf(t.SA())
	if t.Read == 0 {
		return fault.Errorf(fault.Privacy, "the file is empty or has only a header",
			"there is no record to publish")
	}
	if bag.Total == 0 {
		return fault.Errorf(fault.Privacy, "correct the lines that were refused",
			"no record can be published")
	}
	if bag.Total < want.K {
		return fault.Errorf(fault.Privacy, fmt.Sprintf("k = %d is reachable, with one class", bag.Total),
			"k is %d, but there are %d records", want.K, bag.Total)
	}
	if !bag.Eligible(want.L) {
		share := float64(bag.Max()) / float64(bag.Total)
		return fault.Errorf(fault.Privacy, reachable(bag.Total/bag.Max()),
			"the most frequent value of %q has %.1f %% of the %d records (%d), more than 1/l = %.1f %%: no release of all of "+
				"them can keep l = %d",
			name, 100*share, bag.Total, bag.Max(), 100/float64(want.L), want.L)
	}
	for _, p := range want.Extra {
		if !p.Holds(bag) {
			return fault.Errorf(fault.Privacy, reachableExtra(p, bag),
				"not even all %d records as one class satisfy %s on %q", bag.Total, p.Name(), name)
		}
	}
	return nil
}

func reachable(l int) string {
	if l < 2 {
		return "not even l = 2 is reachable: divide the most frequent value"
	}
	return fmt.Sprintf("l = %d is reachable with these records; or divide the most frequent value", l)
}

// reachableExtra says what the table as a whole can satisfy.
func reachableExtra(p equivclass.Principle, bag equivclass.Bag) string {
	switch p := p.(type) {
	case equivclass.DistinctL:
		return fmt.Sprintf("there are %d different values", len(bag.Counts))
	case equivclass.EntropyL:
		return fmt.Sprintf("the entropy of all values allows %.2f", math.Floor(100*math.Exp(equivclass.Entropy(bag)))/100)
	case equivclass.RecursiveL:
		if l := recursiveL(bag, p.C); l > 1 {
			return fmt.Sprintf("with c = %g, l = %d is reachable", p.C, l)
		}
		return fmt.Sprintf("with c = %g not even l = 2 is reachable: raise c, or divide the most frequent value", p.C)
	}
	return "lower the requirement, or make the values coarser"
}

// recursiveL is the greatest l for which a bag satisfies recursive (c,l), 0 if
// none. Greater l only make it harder, so the greatest is searched for by halves.
func recursiveL(bag equivclass.Bag, c float64) int {
	return sort.Search(len(bag.Counts), func(l int) bool { return !(equivclass.RecursiveL{C: c, L: l + 1}).Holds(bag) })
}

func bagOf(codes []equivclass.Code) equivclass.Bag {
	return equivclass.BagOfCodes(slices.Clone(codes))
}

// errBroken is a fault of a partitioner, found before anything is written.
var errBroken = errors.New("the method violated its guarantee: nothing was written")

// checkGroups checks the classes against the requirement: each record once, each
// class satisfying it. It is the last check before files are written, and does not
// depend on the method.
func checkGroups(p *equivclass.Pool, groups [][]int32, rest []int32, want equivclass.Requirement) error {
	seen := make([]bool, p.Len())
	n := 0
	for _, g := range append([][]int32{rest}, groups...) {
		for _, r := range g {
			if seen[r] {
				return fmt.Errorf("%w: a record is in two classes", errBroken)
			}
			seen[r] = true
			n++
		}
	}
	if n != p.Len() {
		return fmt.Errorf("%w: %d records are in no class and not held", errBroken, p.Len()-n)
	}
	for i, g := range groups {
		if !want.Holds(p.Bag(g)) {
			return fmt.Errorf("%w: class %d does not satisfy the requirement", errBroken, i+1)
		}
	}
	return nil
}
