package place

import (
	"math"

	"anond/equivclass"
	"anond/incremental/state"
)

// grid gives the values of quasi-identifiers whole-number coordinates, by which classes
// are indexed. A category or a leaf has its code. A number is counted in steps of a power
// of two: of one unit of its attribute, or of 2^-24 of its scale, rounded up to a power of
// two, where that is more.
type grid struct {
	dims  []equivclass.Dim
	unit  []float64 // of a number; 0 otherwise
	steps [][]int64 // by dimension of numbers, code of the dictionary
}

// resolution is how many bits the coordinates in a scale have at most.
const resolution = 24

// newGrid returns the grid of a space.
func newGrid(c *state.Records, space *equivclass.Space) grid {
	d := c.Schema.D()
	g := grid{dims: space.Dims[:d], unit: make([]float64, d), steps: make([][]int64, d)}
	for j, dim := range g.dims {
		if dim.Kind == equivclass.Number {
			g.unit[j] = max(1, powerOf(dim.Width)/(1<<resolution))
		}
	}
	return g
}

// powerOf is the smallest power of two that is at least v; 0 for 0.
func powerOf(v float64) float64 {
	fraction, exponent := math.Frexp(v)
	if fraction == 0.5 {
		exponent--
	}
	if fraction == 0 {
		return 0
	}
	return math.Ldexp(1, exponent)
}

// scale is what a step counts in each dimension.
func (g *grid) scale() []float64 {
	out := make([]float64, len(g.dims))
	for j, dim := range g.dims {
		switch {
		case dim.Kind == equivclass.Number && dim.Width > 0:
			out[j] = g.unit[j] / dim.Width
		case dim.Kind != equivclass.Number && dim.Size > 1:
			out[j] = 1 / float64(dim.Size-1)
		}
	}
	return out
}

// prepare computes the coordinates of all numbers known by now, so that several goroutines
// may ask for them.
func (g *grid) prepare(c *state.Records) {
	for j, unit := range g.unit {
		if unit == 0 {
			continue
		}
		for dict := c.QiDict(j); len(g.steps[j]) < dict.Len(); {
			g.steps[j] = append(g.steps[j], g.step(j, dict.Units(equivclass.Code(len(g.steps[j])))))
		}
	}
}

// Farthest is how many widths of the scale above its origin a number is at most.
const Farthest = 64

// step is the coordinate of a number.
func (g *grid) step(j int, v int64) int64 {
	dim := &g.dims[j]
	at := dim.Lo
	if v != equivclass.MissingNumber {
		at += max(float64(dim.Least)*dim.Width, min(float64(v)-dim.Lo, Farthest*dim.Width))
	}
	return int64(math.Floor(at / g.unit[j]))
}

// at writes the coordinates of a record.
func (g *grid) at(c *state.Records, r state.RecordID, into []int64) {
	for j := range into {
		code := c.Qi(j).At(int(r))
		if steps := g.steps[j]; steps != nil {
			into[j] = steps[code]
		} else {
			into[j] = int64(code)
		}
	}
}

// box writes the box around records, lo... then hi...
func (g *grid) box(c *state.Records, members []state.RecordID, into []int64) {
	d := len(g.dims)
	lo, hi, at := into[:d], into[d:2*d], make([]int64, d)
	g.at(c, members[0], lo)
	copy(hi, lo)
	for _, r := range members[1:] {
		g.at(c, r, at)
		for j, v := range at {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
}
