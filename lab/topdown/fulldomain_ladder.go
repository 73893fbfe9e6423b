package topdown

import (
	"anond/equivclass"
	"anond/lab/split"
)

// ladder is the chain of generalizations of one dimension, {value, interval, *}
// in Sun et al.: at depth 0 all values are one cell, each depth cuts the cells
// of the depth above, and at the last depth every value is a cell of its own.
//
// A Tree takes its depths from the hierarchy (a leaf at a smaller depth stays
// itself), a Number from its steps, widest first, or else from halving the
// domain; a Set has only the first and the last depth.
type ladder struct {
	value split.Column // rows to values, ascending
	cell  [][]int32    // by depth and value
	loss  [][]float64  // by depth and value: NCP of the cell over the domain
}

// ladderDepths bounds the depths of a halved number.
const ladderDepths = 10

func newLadder(p *equivclass.Pool, j int) *ladder {
	l := &ladder{value: split.Dimension(p, j)}
	x := make([]float32, l.value.Size)
	for i, v := range l.value.Codes {
		x[v] = p.X[i*p.D()+j]
	}
	dim := &p.Space.Dims[j]
	switch {
	case dim.Kind == equivclass.Tree:
		l.byTree(dim, x)
	case dim.Kind == equivclass.Number && len(dim.Steps) > 0:
		l.bySteps(dim, x)
	case dim.Kind == equivclass.Number:
		l.byHalves(x)
	default:
		l.add(x, func(float32) (int64, float64) { return 0, 1 })
	}
	if !l.complete() {
		l.add(x, func(v float32) (int64, float64) { return int64(split.OrderedBits(v)), 0 })
	}
	clear(l.loss[l.height()]) // one value a cell
	return l
}

// add appends a depth; cell gives the number and the loss of a value's cell.
// Values of a cell follow each other.
func (l *ladder) add(x []float32, cell func(float32) (int64, float64)) {
	ids, losses := make([]int32, len(x)), make([]float64, len(x))
	var before int64
	next := int32(-1)
	for i, v := range x {
		id, loss := cell(v)
		if next < 0 || id != before {
			next++
		}
		ids[i], losses[i], before = next, loss, id
	}
	l.cell, l.loss = append(l.cell, ids), append(l.loss, losses)
}

func (l *ladder) byTree(dim *equivclass.Dim, x []float32) {
	for depth, deeper := 0, true; deeper; depth++ {
		deeper = false
		l.add(x, func(v float32) (int64, float64) {
			node, below := ancestor(dim.Tree, dim.Code(v), depth)
			deeper = deeper || below
			lo, hi := dim.Tree.Span(node)
			return int64(node), float64(hi-lo) / float64(max(1, dim.Size-1))
		})
	}
}

// ancestor returns the node at the given depth above a leaf, or the leaf, and
// whether the leaf lies below it.
func ancestor(h *equivclass.Hierarchy, leaf equivclass.Code, depth int) (node int, below bool) {
	steps := 0
	for n := h.Parent(int(leaf)); n >= 0; n = h.Parent(n) {
		steps++
	}
	node = int(leaf)
	for range steps - depth {
		node = h.Parent(node)
	}
	return node, steps > depth
}

// bySteps raises every value by a millionth of the domain, at all depths
// alike, because a float32 may lie just below the border it stands for.
func (l *ladder) bySteps(dim *equivclass.Dim, x []float32) {
	l.add(x, func(float32) (int64, float64) { return 0, 1 })
	for i := len(dim.Steps) - 1; i >= 0; i-- {
		w := dim.Steps[i]
		l.add(x, func(v float32) (int64, float64) {
			return int64(equivclass.FloorTo(float64(v)*dim.Width+dim.Lo+dim.Width*1e-6, w) / w), min(1, w/max(dim.Width, w))
		})
	}
}

func (l *ladder) byHalves(x []float32) {
	for depth := 0; depth <= ladderDepths && !l.complete(); depth++ {
		parts := float64(int64(1) << depth)
		l.add(x, func(v float32) (int64, float64) { return int64(min(parts-1, float64(v)*parts)), 1 / parts })
	}
}

// complete reports whether the last depth has every value in a cell of its own.
func (l *ladder) complete() bool {
	if len(l.cell) == 0 {
		return false
	}
	last := l.cell[len(l.cell)-1]
	return len(last) == 0 || int(last[len(last)-1]) == len(last)-1
}

// height is the number of the last depth.
func (l *ladder) height() int { return len(l.cell) - 1 }
