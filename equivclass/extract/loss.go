package extract

import (
	"math"
	"math/bits"

	"anond/equivclass"
)

// kind is how the search computes the loss of a dimension.
type kind uint8

const (
	ranged kind = iota // hi-lo of coordinates that are not negative
	listed             // by the number of categories
	other              // hierarchies, steps
)

// losses are the losses of cells, dimension by dimension, in tables, because
// Extract computes millions of them. Each entry is what Dim itself returns.
type losses struct {
	p     *equivclass.Pool
	d     int
	dims  []equivclass.Dim
	kinds []kind
	sets  [][]float32 // of a Set: by number of categories; nil for other kinds
	trees [][]float32 // of a Tree of few leaves: by first and last leaf
	// coords are the coordinates of a Set's categories, by code; nil where codes share a
	// bit, or one has several coordinates.
	coords [][]float32
	// words are by row, then dimension. ranged: the bits of the coordinate, which have
	// the order of numbers that are not negative; listed: the category modulo 64; other:
	// the key of the coordinate.
	words []uint32
	// monotone says that a cell within another one never loses more, in floating point
	// too: without steps.
	monotone bool
	plain    bool // every dimension is a Number without steps
}

// tablePerRow bounds the entries of a hierarchy's table by the records that are
// looked up in it.
const tablePerRow = 4

func newLosses(p *equivclass.Pool) *losses {
	d := p.D()
	l := &losses{p: p, d: d, dims: p.Space.Dims, kinds: make([]kind, d), sets: make([][]float32, d), trees: make([][]float32, d),
		coords: make([][]float32, d), words: make([]uint32, len(p.X)), monotone: true, plain: plain(p.Space)}
	for j := range l.dims {
		dim := &l.dims[j]
		l.kinds[j] = other
		switch {
		case dim.Kind == equivclass.Set:
			l.kinds[j] = listed
			l.sets[j] = make([]float32, 66)
			for n := range l.sets[j] {
				l.sets[j][n] = dim.SetLoss(n)
			}
		case dim.Kind == equivclass.Number && len(dim.Steps) == 0 && !negative(p.X, j, d):
			l.kinds[j] = ranged
		case dim.Kind == equivclass.Tree && dim.Size >= 2 && dim.Size*dim.Size <= tablePerRow*p.Len():
			l.trees[j] = treeTable(dim)
		}
		l.monotone = l.monotone && len(dim.Steps) == 0
		l.encode(j)
		if l.kinds[j] == listed {
			l.coords[j] = l.coordinates(j)
		}
	}
	return l
}

// plain reports whether the loss of a cell is hi-lo in every dimension.
func plain(s *equivclass.Space) bool {
	for i := range s.Dims {
		if s.Dims[i].Kind != equivclass.Number || len(s.Dims[i].Steps) > 0 {
			return false
		}
	}
	return true
}

func negative(coords []float32, j, d int) bool {
	for at := j; at < len(coords); at += d {
		if math.Signbit(float64(coords[at])) {
			return true
		}
	}
	return false
}

// encode fills the words of dimension j.
func (l *losses) encode(j int) {
	for at, p := j, l.p; at < len(p.X); at += l.d {
		switch l.kinds[j] {
		case ranged:
			l.words[at] = math.Float32bits(p.X[at])
		case listed:
			l.words[at] = uint32(l.dims[j].Code(p.X[at]) & 63)
		default:
			l.words[at] = key(p.X[at])
		}
	}
}

func (l *losses) coordinates(j int) []float32 {
	if l.dims[j].Size > 64 {
		return nil
	}
	out := make([]float32, 64)
	for i := range out {
		out[i] = -1
	}
	for at, p := j, l.p; at < len(p.X); at += l.d {
		c := &out[l.words[at]]
		if *c == -1 {
			*c = p.X[at]
		}
		if *c != p.X[at] {
			return nil
		}
	}
	return out
}

// key is a number in the order of the coordinates, whatever their sign; coordinate is
// its inverse.
func key(v float32) uint32 {
	b := math.Float32bits(v)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

func coordinate(k uint32) float32 {
	return math.Float32frombits(k ^ (^uint32(int32(k)>>31) | 1<<31))
}

func count(set uint64) int { return bits.OnesCount64(set) }

// pair are the losses of n categories and one more, and of n.
func (l *losses) pair(j, n int) [2]float32 {
	return [2]float32{l.sets[j][n+1], l.sets[j][n]}
}

func treeTable(dim *equivclass.Dim) []float32 {
	out := make([]float32, dim.Size*dim.Size)
	for a := range dim.Size {
		for b := a + 1; b < dim.Size; b++ {
			out[a*dim.Size+b] = dim.TreeLoss(equivclass.Code(a), equivclass.Code(b))
		}
	}
	return out
}

// of returns the loss of a range of keys in dimension j, of kind other.
func (l *losses) of(j int, low, high uint32) float32 {
	dim, lo, hi := &l.dims[j], coordinate(low), coordinate(high)
	if l.trees[j] == nil {
		return dim.RangeLoss(lo, hi)
	}
	return l.trees[j][int(dim.Code(lo))*dim.Size+int(dim.Code(hi))]
}
