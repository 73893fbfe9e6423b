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
