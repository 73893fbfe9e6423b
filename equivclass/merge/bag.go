package merge

import (
	"cmp"
	"slices"
)

// Count says how often a value occurs in a bag. Value is the value's place in
// the canonical order (Order), never a dictionary code.
type Count struct {
	Value, N uint32
}

// Bag says how many people have which value: ascending by value, every N > 0. With several attributes
// it is the list of their bags, one after the other, each with numbers of its own; so the sum of the counts need not be the
// number of people, which is always told apart.
type Bag []Count

// Total returns the sum of the counts.
func (b Bag) Total() (n int) {
	for _, c := range b {
		n += int(c.N)
	}
	return n
}

// Max returns the largest count, 0 for an empty bag.
func (b Bag) Max() (n int) {
	for _, c := range b {
		n = max(n, int(c.N))
	}
	return n
}

// count is how many people have a value.
func (b Bag) count(value uint32) int {
	i, found := slices.BinarySearchFunc(b, value, func(c Count, v uint32) int { return cmp.Compare(c.Value, v) })
	if !found {
		return 0
	}
	return int(b[i].N)
}

// compare orders bags: any order will do that is a function of the two bags.
func compare(a, b Bag) int {
	return slices.CompareFunc(a, b, func(x, y Count) int {
		return cmp.Or(cmp.Compare(x.Value, y.Value), cmp.Compare(x.N, y.N))
	})
}

// sum returns the union of bags.
func sum(bags []Bag) (out Bag) {
	all := slices.Concat(bags...)
	slices.SortFunc(all, func(x, y Count) int { return cmp.Compare(x.Value, y.Value) })
	for _, c := range all {
		if n := len(out); n > 0 && out[n-1].Value == c.Value {
			out[n-1].N += c.N
		} else {
			out = append(out, c)
		}
	}
	return out
}

// Order is the order of an attribute's values by their canonical bytes. It is
// the only way from a dictionary to Merge. Codes follow first appearance, so an
// order of codes tells who has which value: in a pool whose first record has
// code 0, every choice that prefers low codes follows that record's value.
type Order struct{ rank []uint32 }

// NewOrder returns the order of the values of a dictionary, given as canonical
// texts by code. Values that nobody in a pool has do not matter: they change
// neither the order of the others nor any bag.
func NewOrder(texts []string) Order {
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	o := Order{make([]uint32, len(texts))}
	for code, text := range texts {
		at, _ := slices.BinarySearch(sorted, text)
		o.rank[code] = uint32(at)
	}
	return o
}

// After returns the order of an attribute whose values are numbered from a number on, behind those of other attributes.
func (o Order) After(n uint32) Order {
	out := Order{slices.Clone(o.rank)}
	for i := range out.rank {
		out.rank[i] += n
	}
	return out
}

// Len returns the number of codes.
func (o Order) Len() int { return len(o.rank) }

// Rank returns the place of a code's value in the order.
func (o Order) Rank(code int) uint32 { return o.rank[code] }

// BagOf returns the bag of the values that some rows have in a column of codes.
func BagOf[R ~int32 | ~uint32, C ~uint32](o Order, column []C, rows []R) Bag {
	ranks := make([]uint32, len(rows))
	for i, r := range rows {
		ranks[i] = o.rank[column[r]]
	}
	return NewBag(ranks)
}

// NewBag returns the bag of values, which it sorts.
func NewBag(values []uint32) (b Bag) {
	slices.Sort(values)
	for _, v := range values {
		if n := len(b); n > 0 && b[n-1].Value == v {
			b[n-1].N++
		} else {
			b = append(b, Count{v, 1})
		}
	}
	return b
}
