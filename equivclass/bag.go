package equivclass

import "slices"

// Count says how often a sensitive value occurs.
type Count struct {
	Code Code
	N    int
}

// Bag is a multiset of sensitive values: Counts in ascending order of code,
// every N > 0. The zero Bag is empty.
type Bag struct {
	Counts []Count
	Total  int
}

// NewBag returns the bag of counts, which must ascend by code.
func NewBag(counts []Count) Bag {
	b := Bag{Counts: counts}
	for _, c := range counts {
		b.Total += c.N
	}
	return b
}

// Add puts n of a value in (or, with n < 0, takes them out).
func (b *Bag) Add(c Code, n int) {
	b.Total += n
	i, found := slices.BinarySearchFunc(b.Counts, c, func(x Count, c Code) int { return int(x.Code) - int(c) })
	switch {
	case !found:
		b.Counts = slices.Insert(b.Counts, i, Count{c, n})
	case b.Counts[i].N+n == 0:
		b.Counts = slices.Delete(b.Counts, i, i+1)
	default:
		b.Counts[i].N += n
	}
}

// Max returns the largest count, 0 for an empty bag.
func (b Bag) Max() int {
	m := 0
	for _, c := range b.Counts {
		m = max(m, c.N)
	}
	return m
}

// Eligible reports frequency l-diversity: no value exceeds Total/l.
func (b Bag) Eligible(l int) bool { return b.Max()*l <= b.Total }

// Flat reports whether every value occurs equally often.
func (b Bag) Flat() bool {
	for _, c := range b.Counts {
		if c.N != b.Counts[0].N {
			return false
		}
	}
	return true
}

// Signature returns the distinct values in ascending order.
func (b Bag) Signature() []Code {
	out := make([]Code, len(b.Counts))
	for i, c := range b.Counts {
		out[i] = c.Code
	}
	return out
}
