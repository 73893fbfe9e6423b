package equivclass

import (
	"cmp"
	"slices"
)

// SemiGround returns the ground distance that the promise of a semi-sensitive
// attribute names. Ordered is by rank: the rank of leaves of a hierarchy in the
// order of its file, the rank of numbers among those in the bucket and the
// reference.
func SemiGround(d *Dictionary) Ground {
	a := d.Attribute()
	switch {
	case a.Promise.Distance == "hierarchical":
		return TreeGround{Tree: a.Hierarchy}
	case a.Promise.Distance != "ordered":
		return EqualGround{}
	case a.Hierarchy != nil:
		rank := make([]int, a.Hierarchy.Leaves())
		for i := range rank {
			rank[i] = i
		}
		return OrderedGround{Rank: rank}
	}
	return numberGround{d}
}

// numberGround ranks numbers among those that occur.
type numberGround struct{ dict *Dictionary }

// Name returns ordered.
func (numberGround) Name() string { return "ordered" }

// Distance implements Ground.
func (g numberGround) Distance(class, reference Bag) float64 {
	var order []float64
	for _, c := range slices.Concat(class.Counts, reference.Counts) {
		order = append(order, g.dict.Number(c.Code))
	}
	slices.Sort(order)
	order = slices.Compact(order)
	ranked := func(b Bag) (out Bag) {
		for _, c := range b.Counts {
			at, _ := slices.BinarySearch(order, g.dict.Number(c.Code))
			out.Counts = append(out.Counts, Count{Code(at), c.N})
		}
		slices.SortFunc(out.Counts, func(a, b Count) int { return cmp.Compare(a.Code, b.Code) })
		out.Total = b.Total
		return out
	}
	return OrderedGround{}.Distance(ranked(class), ranked(reference))
}
