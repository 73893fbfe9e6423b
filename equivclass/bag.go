package equivclass

import (
	"slices"
)

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

// fewValues is how many different values a bag inserts one by one. Beyond that,
// inserting each at its place costs more than sorting the new values.
const fewValues = 64

// BagOf returns the bag of the values that the rows have in a column.
// Cost: n log n at most, however many values differ.
func BagOf[R ~int32 | ~uint32](column []Code, rows []R) Bag { return bagOf(column, rows) }

// BagIn returns the bag of the codes of some records.
func BagIn[R ~int32 | ~uint32](c *Column, rows []R) Bag {
	switch {
	case c.one != nil:
		return bagOf(c.one, rows)
	case c.two != nil:
		return bagOf(c.two, rows)
	}
	return bagOf(c.four, rows)
}

func bagOf[C uint8 | uint16 | Code, R ~int32 | ~uint32](column []C, rows []R) (b Bag) {
	var late []Code // of values that b lacks
	for _, r := range rows {
		c := Code(column[r])
		i, found := b.find(c)
		switch {
		case found:
			b.Counts[i].N++
			b.Total++
		case len(b.Counts) < fewValues:
			b.Add(c, 1)
		default:
			late = append(late, c)
		}
	}
	if len(late) > 0 {
		b = b.Plus(BagOfCodes(late))
	}
	return b
}

// BagOfCodes counts codes, which it sorts. Cost: n log n.
func BagOfCodes(codes []Code) (b Bag) {
	slices.Sort(codes)
	for _, c := range codes {
		if n := len(b.Counts); n > 0 && b.Counts[n-1].Code == c {
			b.Counts[n-1].N++
		} else {
			b.Counts = append(b.Counts, Count{c, 1})
		}
	}
	b.Total = len(codes)
	return b
}

// Add adds n of a value (or, with n < 0, removes them). Cost: the different
// values; use BagOf for a bag of many records.
func (b *Bag) Add(c Code, n int) {
	b.Total += n
	i, found := b.find(c)
	switch {
	case !found:
		b.Counts = slices.Insert(b.Counts, i, Count{c, n})
	case b.Counts[i].N+n == 0:
		b.Counts = slices.Delete(b.Counts, i, i+1)
	default:
		b.Counts[i].N += n
	}
}

// find returns where a value is, or belongs.
func (b *Bag) find(c Code) (int, bool) {
	return slices.BinarySearchFunc(b.Counts, c, func(x Count, c Code) int { return int(x.Code) - int(c) })
}

// Plus returns the union of two bags. Cost: their different values.
func (b Bag) Plus(o Bag) Bag {
	out := Bag{Total: b.Total + o.Total, Counts: make([]Count, 0, max(len(b.Counts), len(o.Counts)))}
	x, y := b.Counts, o.Counts
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Code < y[0].Code:
			out.Counts, x = append(out.Counts, x[0]), x[1:]
		case x[0].Code > y[0].Code:
			out.Counts, y = append(out.Counts, y[0]), y[1:]
		default:
			out.Counts = append(out.Counts, Count{x[0].Code, x[0].N + y[0].N})
			x, y = x[1:], y[1:]
		}
	}
	out.Counts = append(append(out.Counts, x...), y...)
	return out
}

// Max returns the largest count, 0 for an empty bag.
func (b Bag) Max() int {
	m := 0
	for _, c := range b.Counts {
		m = max(m, c.N)
	}
	return m
}

// Eligible reports frequency l-diversity: no value has a count above Total/l.
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

// Reached is the largest share that one value of a sensitive attribute has of a class, at level L2 of a bucket, and the largest that is
// promised at most of any value.
type Reached struct {
	Attribute      string
	Share, Allowed float64
}
