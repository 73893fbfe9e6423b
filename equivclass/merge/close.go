package merge

import "math/bits"

// closeness is t-closeness: the earth mover's distance between a bucket's shares and
// those of a reference is at most t. The reference is constant: declared, or the
// bag of the whole first pool. Another choice would be a function of who is in
// which class, and Theorem E would not hold.
type closeness struct {
	most      int64 // t and the margin, shareBits fractional bits
	reference Bag
	total     uint64
	ground    Ground
}

// Ground is a distance between values: nil says that any two values are at
// distance 1.
type Ground interface {
	// cost sums what has to be moved, gaps being in units of 1/scale of the bag, and
	// returns the sum and what it has to be divided by.
	cost(gaps []gap, scale uint64) (sum, by uint64)
}

// gap is a value's share in a bag less that in the reference.
type gap struct {
	value uint32
	n     int64
}

// NewClose returns the principle. The reference must not be empty; it and each
// bag have fewer than 2^26 records.
func NewClose(t float64, reference Bag, ground Ground) *closeness {
	if ground == nil {
		ground = equal{}
	}
	total := uint64(reference.Total())
	if total == 0 || bits.Len64(total) > maxRecords {
		panic("merge: a reference has between 1 and 2^26 records")
	}
	return &closeness{exact(t) + shareMargin, reference, total, ground}
}

// Lack implements Principle.
func (p *closeness) Lack(b Bag, total int) int64 {
	if total == 0 {
		return unit
	}
	scale := p.total * uint64(total)
	sum, by := p.ground.cost(p.gaps(b, int64(total)), scale)
	if over := ratio(sum, by, shareBits) - p.most; over > 0 {
		return over>>(shareBits-unitBits)*int64(total) + 1
	}
	return 0
}

// gaps covers the values of the bag and of the reference, ascending.
func (p *closeness) gaps(b Bag, total int64) []gap {
	out := make([]gap, 0, len(p.reference)+len(b))
	r := p.reference
	for len(b) > 0 || len(r) > 0 {
		var g gap
		switch {
		case len(r) == 0 || len(b) > 0 && b[0].Value < r[0].Value:
			g, b = gap{b[0].Value, int64(b[0].N) * int64(p.total)}, b[1:]
		case len(b) == 0 || r[0].Value < b[0].Value:
			g, r = gap{r[0].Value, -int64(r[0].N) * total}, r[1:]
		default:
			g = gap{b[0].Value, int64(b[0].N)*int64(p.total) - int64(r[0].N)*total}
			b, r = b[1:], r[1:]
		}
		out = append(out, g)
	}
	return out
}

// equal: what the bag has above the reference, because it lacks as much elsewhere.
type equal struct{}

func (equal) cost(gaps []gap, scale uint64) (sum, by uint64) {
	for _, g := range gaps {
		sum += uint64(max(0, g.n))
	}
	return sum, scale
}

// Ordered is the ground distance between values in an order: the difference of
// their positions divided by the number of steps. Positions[v] is the position,
// from 0, of the value with place v in the canonical order; all values of the
// attribute's domain have one.
type Ordered struct{ Positions []int32 }

// cost sums over the steps what has to cross each. Each term is rounded down
// before they are averaged: a sum of exact terms might exceed 64 bits.
func (g Ordered) cost(gaps []gap, scale uint64) (sum, by uint64) {
	at := make([]int64, len(g.Positions))
	for _, x := range gaps {
		at[g.Positions[x.value]] = x.n
	}
	steps := len(at) - 1
	var carried int64
	for _, n := range at[:max(0, steps)] {
		carried += n
		sum += uint64(ratio(uint64(max(carried, -carried)), scale, shareBits))
	}
	return sum, uint64(max(1, steps)) << shareBits
}

// Tree is the ground distance between the leaves of a hierarchy: the height of
// the lowest common ancestor divided by the height of the root. Parents[n] is the
// parent of node n, -1 at the root; every node has a larger number than its
// children. Leaves[v] is the node of the value with place v in the canonical order.
type Tree struct{ Parents, Leaves []int32 }

// cost moves below each node as much as possible between its children, at the cost
// of the node's height, and passes the surplus up.
func (g Tree) cost(gaps []gap, scale uint64) (sum, by uint64) {
	n := len(g.Parents)
	extra, height := make([]int64, n), make([]uint64, n)
	gain, lack := make([]int64, n), make([]int64, n)
	for _, x := range gaps {
		extra[g.Leaves[x.value]] = x.n
	}
	for node, parent := range g.Parents {
		if height[node] > 0 {
			extra[node] = gain[node] - lack[node]
			sum += uint64(min(gain[node], lack[node])) * height[node]
		}
		if parent < 0 {
			return sum, scale * max(1, height[node])
		}
		height[parent] = max(height[parent], height[node]+1)
		gain[parent] += max(0, extra[node])
		lack[parent] += max(0, -extra[node])
	}
	return sum, scale
}
