package equivclass

import (
	"math"
)

// Kind tells how values of an attribute are compared and generalized.
type Kind uint8

// The kinds of a dimension.
const (
	Number Kind = iota // a range of numbers; coordinate = value
	Tree               // a node of a hierarchy; coordinate = leaf number
	Set                // a set of categories; coordinate = code
)

// Dim is one quasi-identifier as geometry: where its coordinates lie in [0,1]
// and what a generalized cell over a range or set of them costs.
type Dim struct {
	Kind  Kind
	Lo    float64 // Number: smallest value of the known domain, in units of its attribute
	Width float64 // Number: largest - smallest, 0 if there is one value only
	Unit  float64 // Number: the value of one such unit
	// Missing is the coordinate of a missing number: so far from every value that a cell
	// over both loses 1. Least is the least coordinate of the others.
	Missing, Least float32
	Size           int // Tree: leaves; Set: known categories
	Tree           *Hierarchy
	Steps          []float64
	// Weight is what distances and losses are multiplied by (Attribute.Weight); 0: 1.
	Weight float32
}

// weighed is a coordinate or a loss by the weight of the dimension.
func (d *Dim) weighed(x float32) float32 {
	if d.Weight == 0 {
		return x
	}
	return x * d.Weight
}

// plain undoes weighed.
func (d *Dim) plain(x float32) float64 {
	if d.Weight == 0 {
		return float64(x)
	}
	return float64(x) / float64(d.Weight)
}

// ScaleBy measures a Number by a range instead of the known domain: a width of it is 1,
// whatever lies outside. It has the coordinates 2 to 3, those below end at 1, and a missing
// number is at 0, each by the weight: none is negative.
func (d *Dim) ScaleBy(r Range) {
	if d.Kind == Number {
		d.Width = float64(r.Hi - r.Lo)
		d.Lo, d.Least, d.Missing = float64(r.Lo)-2*d.Width, 1, 0
	}
}

// Space is the geometry of all quasi-identifiers over a known domain. It is a
// snapshot: a domain that grows makes a new Space.
type Space struct{ Dims []Dim }

// NewSpace returns the space over the whole content of the dictionaries of the
// quasi-identifiers.
func NewSpace(dicts []*Dictionary) *Space {
	s := &Space{Dims: make([]Dim, len(dicts))}
	for j, d := range dicts {
		s.Dims[j] = dimOf(d)
	}
	return s
}

func dimOf(d *Dictionary) Dim {
	dim := Dim{Kind: d.Kind(), Size: d.Len(), Tree: d.attribute.Hierarchy, Weight: float32(d.attribute.Weight)}
	for _, w := range d.attribute.Steps {
		dim.Steps = append(dim.Steps, float64(w))
	}
	if dim.Kind != Number {
		return dim
	}
	lo, hi := int64(MissingNumber), int64(-MissingNumber)
	for _, v := range d.numbers {
		if lo = min(lo, v); v != MissingNumber {
			hi = max(hi, v)
		}
	}
	if dim.Unit, dim.Missing = d.attribute.Float(1), 2; lo <= hi {
		dim.Lo, dim.Width = float64(lo), float64(hi-lo)
	}
	return dim
}

// Coord scales the coordinate of a code to [0,1], by the weight of its dimension.
func (s *Space) Coord(j int, d *Dictionary, c Code) float32 {
	dim := &s.Dims[j]
	if dim.Kind == Number {
		if d.numbers[c] == MissingNumber {
			return dim.weighed(dim.Missing)
		}
		return dim.Scale(float64(d.numbers[c]))
	}
	if dim.Size < 2 {
		return 0
	}
	return dim.weighed(float32(float64(c) / float64(dim.Size-1)))
}

// Scale returns the coordinate of a number: in [0,1] by the weight, unless ScaleBy says otherwise.
func (d *Dim) Scale(v float64) float32 {
	if d.Width == 0 {
		return 0
	}
	return d.weighed(max(d.Least, float32((v-d.Lo)/d.Width)))
}

// Code returns the leaf or category at a scaled coordinate of a Tree or Set.
func (d *Dim) Code(x float32) Code { return Code(d.plain(x)*float64(d.Size-1) + 0.5) }

// RangeLoss returns the loss, in [0,1], of a cell over the scaled coordinates
// lo..hi of a Number or Tree: the normalized certainty penalty (NCP), which is
// (hi-lo) over the domain for a Number, and (leaves of the lowest common
// ancestor - 1) over (all leaves - 1) for a Tree, by the weight of the dimension. For Set use SetLoss.
func (d *Dim) RangeLoss(lo, hi float32) float32 {
	switch d.Kind {
	case Tree:
		if lo == hi || d.Size < 2 {
			return 0
		}
		return d.TreeLoss(d.Code(lo), d.Code(hi))
	default:
		if len(d.Steps) > 0 && d.Width > 0 {
			a, b := stepCell(d.Steps, d.onStep(lo), d.onStep(hi))
			return d.weighed(min(1, float32((b-a)/d.Width)))
		}
		return min(d.weighed(1), hi-lo)
	}
}

// TreeLoss is RangeLoss of two different leaves of a Tree.
func (d *Dim) TreeLoss(first, last Code) float32 {
	a, b := d.Tree.Span(d.Tree.LCA(first, last))
	return d.weighed(float32(b-a) / float32(d.Size-1))
}

// onStep returns the value at a scaled coordinate. Coordinates are rounded, so
// a value on the border of a step may come out just below it, in the interval
// before. A value that close to a border is taken as the border.
func (d *Dim) onStep(x float32) float64 {
	at := d.plain(x)
	v, w := at*d.Width+d.Lo, d.Steps[0]
	if border := math.Round(v/w) * w; math.Abs(v-border) <= d.Width*1e-6*max(1, at) {
		return border
	}
	return v
}

// SetLoss returns the loss of a cell that lists distinct categories.
func (d *Dim) SetLoss(distinct int) float32 {
	if d.Size < 2 {
		return 0
	}
	return d.weighed(float32(distinct-1) / float32(d.Size-1))
}

// stepCell returns the bounds of the smallest aligned interval of the nested
// widths steps that contains lo..hi; if none does, neighbouring intervals of
// the widest step joined. A single value stays itself.
func stepCell[T int64 | float64](steps []T, lo, hi T) (T, T) {
	if lo == hi {
		return lo, hi
	}
	for _, w := range steps {
		if a := FloorTo(lo, w); hi < a+w {
			return a, a + w
		}
	}
	w := steps[len(steps)-1]
	return FloorTo(lo, w), FloorTo(hi, w) + w
}

// FloorTo returns the largest multiple of w that is at most v.
func FloorTo[T int64 | float64](v, w T) T {
	q := T(int64(v / w))
	if q*w > v {
		q--
	}
	return q * w
}
