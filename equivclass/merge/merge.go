package merge

import (
	"cmp"
	"slices"
)

// Binary logarithms of how often values may occur in a pool and in a part. Energies and
// sums of logarithms then fit 63 bits.
const (
	maxRecords = 26
	maxSize    = 20
)

// Merge decides which parts share a bucket. bags[i] is the bag of part i, all of
// size people; it returns the parts of each bucket, ascending, the buckets in the
// order of their first parts. Every bucket satisfies the requirement. If no other
// choice does, all parts are one bucket, which may be ineligible: the caller
// quarantines such a pool as a whole.
//
// Merge is equivariant if the draws are uniform (Theorem E, package comment): it
// sees the bags only as a sorted list, in which equal bags stand in random order.
func Merge(bags []Bag, size int, requirement Requirement, draws Draws) [][]int32 {
	return merge(bags, size, requirement, draws, Run{Stop: never})
}

func never() bool { return false }

// merge is Merge on several cores, with a way to end the work early; what it returns then is of no use.
func merge(bags []Bag, size int, requirement Requirement, draws Draws, run Run) [][]int32 {
	check(bags, size)
	at := sorted(bags, draws.order(len(bags)))
	list := make([]Bag, len(bags))
	for i, part := range at {
		list[i] = bags[part]
	}
	return named(settle(list, size, requirement, run), at)
}

// check panics at what would break the proof: a bug of the caller. Every person has a value, and each at most once.
func check(bags []Bag, size int) {
	for _, b := range bags {
		if total := b.Total(); size < 1 || total >= 1<<maxSize || len(bags)*total >= 1<<maxRecords {
			panic("merge: the size of the parts, or of the pool, is out of range")
		} else if total < size || b.Max() > size {
			panic("merge: parts of unequal size")
		}
		for i, c := range b {
			if c.N == 0 || i > 0 && b[i-1].Value >= c.Value {
				panic("merge: a bag is not in canonical form")
			}
		}
	}
}

// sorted returns the parts in the order of their bags, equal bags in the given
// order.
func sorted(bags []Bag, order []int32) []int32 {
	at := slices.Clone(order)
	slices.SortStableFunc(at, func(i, j int32) int { return compare(bags[i], bags[j]) })
	return at
}

// named returns groups of positions as groups of parts, in an order that is a
// function of the partition, so that it tells nothing more.
func named(groups [][]int32, at []int32) [][]int32 {
	for _, g := range groups {
		for i, position := range g {
			g[i] = at[position]
		}
	}
	return inOrder(groups)
}

// inOrder sorts the members of each group, and the groups by their first members.
func inOrder(groups [][]int32) [][]int32 {
	for _, g := range groups {
		slices.Sort(g)
	}
	slices.SortFunc(groups, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	return groups
}

// settle groups the positions of a sorted list of bags. It is deterministic and
// sees nothing but its arguments.
func settle(list []Bag, size int, requirement Requirement, run Run) [][]int32 {
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 && requirement.Holds(sum(list), size*len(list)) {
		s := newSearch(newInstance(list, size, requirement), run)
		if !s.eligible() { // otherwise every part is alone, which has no energy at all
			s.find()
		}
		if s.eligible() {
			return s.list()
		}
	}
	one := make([]int32, len(list))
	for i := range one {
		one[i] = int32(i)
	}
	return [][]int32{one}
}
