package extract

import (
	"anond/equivclass"
)

// losses are the losses of cells, dimension by dimension, in tables, because
// Extract computes millions of them. Each entry is what Dim itself returns.
type losses struct {
	dims  []equivclass.Dim
	plain []bool      // the loss is hi-lo
	sets  [][]float32 // of a Set: by number of categories; nil for other kinds
	trees [][]float32 // of a Tree of few leaves: by first and last leaf
	code  []uint8     // by row, then dimension: category of a Set, modulo 64; nil without one
}

// tablePerRow bounds the entries of a hierarchy's table by the records that are
// looked up in it.
const tablePerRow = 4

func newLosses(p *equivclass.Pool) losses {
	d := p.D()
	l := losses{dims: p.Space.Dims, plain: make([]bool, d), sets: make([][]float32, d), trees: make([][]float32, d)}
	for j := range l.dims {
		dim := &l.dims[j]
		switch {
		case dim.Kind == equivclass.Set:
			l.sets[j] = make([]float32, 65)
			for n := range l.sets[j] {
				l.sets[j][n] = dim.SetLoss(n)
			}
			l.encode(p, j)
		case dim.Kind == equivclass.Number && len(dim.Steps) == 0:
			l.plain[j] = true
		case dim.Kind == equivclass.Tree && dim.Size >= 2 && dim.Size*dim.Size <= tablePerRow*p.Len():
			l.trees[j] = treeTable(dim)
		}
	}
	return l
}

// encode fills the categories of dimension j.
func (l *losses) encode(p *equivclass.Pool, j int) {
	d := p.D()
	if l.code == nil {
		l.code = make([]uint8, len(p.X))
	}
	for at := j; at < len(p.X); at += d {
		l.code[at] = uint8(l.dims[j].Code(p.X[at]) & 63)
	}
}

func treeTable(dim *equivclass.Dim) []float32 {
	out := make([]float32, dim.Size*dim.Size)
	for a := range dim.Size {
		for b := a + 1; b < dim.Size; b++ {
			lo, hi := dim.Tree.Span(dim.Tree.LCA(equivclass.Code(a), equivclass.Code(b)))
			out[a*dim.Size+b] = float32(hi-lo) / float32(dim.Size-1)
		}
	}
	return out
}

// of returns the loss of a range in dimension j, which is no Set.
func (l *losses) of(j int, lo, hi float32) float32 {
	dim := &l.dims[j]
	if l.trees[j] == nil {
		return dim.RangeLoss(lo, hi)
	}
	return l.trees[j][int(dim.Code(lo))*dim.Size+int(dim.Code(hi))]
}
