package split

import (
	"anond/equivclass"
)

// growingBox is the generalized tuple of a set of records that grows one record
// at a time, with its cost: NCP by dimension (ranges, lowest common ancestors,
// sets). Two splits by NCP use it: that of Xu et al. (KDD 2006), used by
// lgb-ncp, and the preprocessing of permutation anonymization.
type growingBox struct {
	p      *equivclass.Pool
	n      int // records in it
	lo, hi []float32
	loss   []float32
	sum    float64 // of loss
	// seen[j][c] == stamp: category c of Set dimension j is in the box.
	seen     [][]int32
	distinct []int
	stamp    int32
}

func newGrowingBox(p *equivclass.Pool) *growingBox {
	d := p.D()
	b := &growingBox{p: p, lo: make([]float32, d), hi: make([]float32, d), loss: make([]float32, d), distinct: make([]int, d),
		seen: make([][]int32, d)}
	for j, dim := range p.Space.Dims {
		if dim.Kind == equivclass.Set {
			b.seen[j] = make([]int32, dim.Size)
		}
	}
	return b
}

// start empties the box and sets it to a point, which counts as one record.
func (b *growingBox) start(x []float32) {
	b.n, b.sum = 1, 0
	b.stamp++
	for j, v := range x {
		b.lo[j], b.hi[j], b.loss[j], b.distinct[j] = v, v, 0, 1
		if b.seen[j] != nil {
			b.seen[j][b.p.Space.Dims[j].Code(v)] = b.stamp
		}
	}
}

// penalty is how much NCP, summed over records and dimensions, grows if the
// point joins: (n+1) ncp' - n ncp (definition 3 of permutation anonymization:
// NCP of a set of tuples is the sum over its tuples). Cost: D.
func (b *growingBox) penalty(x []float32) float64 {
	after := b.sum
	for j, v := range x {
		if l, grows := b.lossWith(j, v); grows {
			after += float64(l - b.loss[j])
		}
	}
	return float64(b.n+1)*after - float64(b.n)*b.sum
}

// lossWith returns dimension j's loss with v, and whether v is outside the box.
func (b *growingBox) lossWith(j int, v float32) (float32, bool) {
	dim := &b.p.Space.Dims[j]
	switch {
	case b.seen[j] != nil:
		if b.seen[j][dim.Code(v)] == b.stamp {
			return 0, false
		}
		return dim.SetLoss(b.distinct[j] + 1), true
	case v < b.lo[j]:
		return dim.RangeLoss(v, b.hi[j]), true
	case v > b.hi[j]:
		return dim.RangeLoss(b.lo[j], v), true
	default:
		return 0, false
	}
}

// add adds the point to the box.
func (b *growingBox) add(x []float32) {
	b.n++
	for j, v := range x {
		l, grows := b.lossWith(j, v)
		if !grows {
			continue
		}
		b.sum += float64(l - b.loss[j])
		b.loss[j] = l
		b.lo[j], b.hi[j] = min(b.lo[j], v), max(b.hi[j], v)
		if b.seen[j] != nil {
			b.seen[j][b.p.Space.Dims[j].Code(v)] = b.stamp
			b.distinct[j]++
		}
	}
}

// BoxSplitter divides rows between two boxes that grow.
type BoxSplitter struct {
	p    *equivclass.Pool
	a, b *growingBox
	rest []int32
}

// NewBoxSplitter returns a splitter of the rows of a pool.
func NewBoxSplitter(p *equivclass.Pool) *BoxSplitter {
	return &BoxSplitter{p: p, a: newGrowingBox(p), b: newGrowingBox(p), rest: make([]int32, 0, p.Len())}
}

// Divide starts the boxes at two points and lets each row in turn join the one
// that it costs less; of equals the second. Rows of the first box move to the
// front, both sides keep their order, and the size of the first is returned.
// Cost: len(rows) x D.
func (s *BoxSplitter) Divide(rows []int32, first, second []float32) int {
	s.a.start(first)
	s.b.start(second)
	s.rest = s.rest[:0]
	left := 0
	for _, r := range rows {
		x := s.p.At(r)
		if s.a.penalty(x) < s.b.penalty(x) {
			s.a.add(x)
			rows[left] = r
			left++
			continue
		}
		s.b.add(x)
		s.rest = append(s.rest, r)
	}
	copy(rows[left:], s.rest)
	return left
}

// PairLoss is the NCP of a class of two rows, summed over dimensions.
func PairLoss(p *equivclass.Pool, a, b int32) float32 {
	var sum float32
	x, y := p.At(a), p.At(b)
	for j := range x {
		if x[j] == y[j] {
			continue
		}
		if dim := &p.Space.Dims[j]; dim.Kind == equivclass.Set {
			sum += dim.SetLoss(2)
		} else {
			sum += dim.RangeLoss(min(x[j], y[j]), max(x[j], y[j]))
		}
	}
	return sum
}
