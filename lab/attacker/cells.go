package attacker

import (
	"anond/equivclass"
)

// cellsOf computes losses of classes in which one row is missing or replaced.
type cellsOf struct {
	space *equivclass.Space
	x     []float32
	d     int
}

// lacking is a class without one of its rows: by dimension the range, or the set
// of categories.
type lacking struct {
	lo, hi []float32
	sets   []map[float32]bool
}

func (c cellsOf) at(r int32) []float32 { return c.x[int(r)*c.d : int(r+1)*c.d] }

// without returns the cell of rows without the i-th; i < 0: of all.
func (c cellsOf) without(rows []int32, i int) lacking {
	l := lacking{make([]float32, c.d), make([]float32, c.d), make([]map[float32]bool, c.d)}
	for j := range c.space.Dims {
		first := true
		for at, r := range rows {
			if at == i {
				continue
			}
			v := c.at(r)[j]
			if c.space.Dims[j].Kind == equivclass.Set {
				if first {
					l.sets[j] = map[float32]bool{}
				}
				l.sets[j][v] = true
			}
			if first || v < l.lo[j] {
				l.lo[j] = v
			}
			if first || v > l.hi[j] {
				l.hi[j] = v
			}
			first = false
		}
	}
	return l
}

// span is the loss of a cell, summed over dimensions, with one row more; r < 0:
// as it is.
func (c cellsOf) span(l *lacking, r int32) (sum float32) {
	for j := range c.space.Dims {
		dim := &c.space.Dims[j]
		lo, hi := l.lo[j], l.hi[j]
		var v float32
		if r >= 0 {
			v = c.at(r)[j]
			lo, hi = min(lo, v), max(hi, v)
		}
		switch {
		case l.sets[j] != nil:
			n := len(l.sets[j])
			if r >= 0 && !l.sets[j][v] {
				n++
			}
			sum += dim.SetLoss(n)
		case dim.Kind == equivclass.Number && len(dim.Steps) == 0:
			sum += hi - lo
		default:
			sum += dim.RangeLoss(lo, hi)
		}
	}
	return sum
}
