package equivclass

// Box is the smallest axis-parallel box around some records: the range Lo[j]
// to Hi[j], closed, in each dimension j (the matrix of minima and maxima by
// which Wang, Xu and Sun describe a class).
type Box struct{ Lo, Hi []float32 }

// NewBox returns a box of d dimensions, to be filled by Pool.Box.
func NewBox(d int) Box {
	both := make([]float32, 2*d)
	return Box{Lo: both[:d:d], Hi: both[d:]}
}

// Box fills into with the box around the rows, of which there must be at least
// one, and returns it. Cost: len(rows) x D; nothing is allocated.
func (p *Pool) Box(rows []int32, into Box) Box {
	copy(into.Lo, p.At(rows[0]))
	copy(into.Hi, into.Lo)
	for _, r := range rows[1:] {
		into.Extend(p.At(r))
	}
	return into
}

// Extend grows the box so that it holds x.
func (b Box) Extend(x []float32) {
	for j, v := range x {
		b.Lo[j], b.Hi[j] = min(b.Lo[j], v), max(b.Hi[j], v)
	}
}

// Holds counts the dimensions in which x lies within the box. It is D exactly
// if the box contains the point.
func (b Box) Holds(x []float32) int {
	n := 0
	for j, v := range x {
		if b.Lo[j] <= v && v <= b.Hi[j] {
			n++
		}
	}
	return n
}

// Distance2 returns the squared distance of x to the box, 0 within it.
func (b Box) Distance2(x []float32) float32 {
	var sum float32
	for j, v := range x {
		gap := max(b.Lo[j]-v, v-b.Hi[j], 0)
		sum += gap * gap
	}
	return sum
}

// REL is the information relevance of a class X, given by its box, for the
// class Y of the given rows: the share of Y's records that lie within X's box
// in at least dims of the D dimensions, so a number in [0,1]. X is a neighbour
// of Y if REL > 0 (Wang, Xu and Sun, eq. 10 and 11).
//
// How eq. 10 is read. The print divides a sum of f(p in E_X) over p in E_Y by
// the same sum; the meaning (Fig. 2: X is included in Y, intersects it or
// includes it) is the share of Y's records in X's range. Its side conditions
// say "there is a dimension in which the ranges overlap", which on Adult is
// true of 99.8 % of all pairs of classes and so selects nothing, while
// containment in every dimension is true of hardly any pair, because the boxes
// of a partition are disjoint. Between them lies dims; D-1 is the daemon's
// default (policy.neighbour_dims).
//
// Cost: len(rows) x D, no allocation. No rows: 0.
func REL(box Box, p *Pool, rows []int32, dims int) float64 {
	if len(rows) == 0 {
		return 0
	}
	within := 0
	for _, r := range rows {
		if box.Holds(p.At(r)) >= dims {
			within++
		}
	}
	return float64(within) / float64(len(rows))
}
