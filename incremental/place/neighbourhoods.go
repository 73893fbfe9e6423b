package place

import (
	"math"

	"anond/equivclass"
	"anond/incremental/state"
)

// neighbourhoods are what updates are counted by (policy.threshold). A class is in the
// neighbourhood that it got at its birth: the classes of one release are divided by median
// cuts of their centres, along the dimension in which these lie widest apart for the extent
// of all of them, until at most eight are left. So it depends on the classes of that
// release alone: not on how the domain grew since, nor on which other classes came or
// died. A restarted machine finds the same ones.
//
// Rule B (buckets): quasi-identifiers and the order of births decide, and no sensitive
// value. Cost: n log n for the n classes of a release.
type neighbourhoods struct {
	of    []int32 // by class
	count int32
}

// neighbourhoodSize is how many classes a neighbourhood has at most.
const neighbourhoodSize = 8

// follow takes in the classes of later releases.
func (n *neighbourhoods) follow(c *state.Records, h *state.History) {
	for len(n.of) < len(h.Classes) {
		births := h.Births(h.Classes[len(n.of)].Born, len(n.of))
		d := c.Schema.D()
		b := birthCut{d: d, centres: make([]float64, 0, d*len(births)), into: n, first: len(n.of)}
		rows, space := make([]int32, len(births)), c.Space(0)
		for i, class := range births {
			rows[i] = int32(i)
			b.centres = appendCentre(c, b.centres, space, class.Members)
		}
		n.of = append(n.of, make([]int32, len(births))...)
		b.extent = b.extents(rows)
		for j := range d {
			if c.QiDict(j).Kind() == equivclass.Number {
				b.extent[j] = min(b.extent[j], 2) // a placeholder makes it no wider
			}
		}
		b.divide(rows)
	}
}

// appendCentre appends the doubled centre of records, in coordinates of numbers and in codes.
func appendCentre(c *state.Records, out []float64, space *equivclass.Space, members []state.RecordID) []float64 {
	for j := range c.Schema.D() {
		codes, dict := c.Qi(j), c.QiDict(j)
		number, lacks := dict.Kind() == equivclass.Number, false
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for _, r := range members {
			code := codes.At(int(r))
			v := int64(code)
			if number {
				if v = dict.Units(code); v == equivclass.MissingNumber {
					lacks = true
					continue
				}
			}
			lo, hi = min(lo, v), max(hi, v)
		}
		if !number {
			out = append(out, float64(lo+hi))
			continue
		}
		dim := &space.Dims[j]
		from, to := dim.Missing, dim.Missing
		if lo <= hi {
			if from, to = dim.Scale(float64(lo)), dim.Scale(float64(hi)); lacks {
				from = dim.Missing
			}
		}
		out = append(out, float64(from)+float64(to))
	}
	return out
}

// birthCut divides the classes of one release.
type birthCut struct {
	d       int
	centres []float64
	extent  []float64
	into    *neighbourhoods
	first   int // the first of the classes
}

// extents is how far apart the centres of some classes lie in each dimension.
func (b *birthCut) extents(rows []int32) []float64 {
	out := make([]float64, b.d)
	for j := range out {
		lo := b.centres[int(rows[0])*b.d+j]
		hi := lo
		for _, r := range rows[1:] {
			v := b.centres[int(r)*b.d+j]
			lo, hi = min(lo, v), max(hi, v)
		}
		out[j] = hi - lo
	}
	return out
}

func (b *birthCut) divide(rows []int32) {
	if len(rows) <= neighbourhoodSize {
		for _, r := range rows {
			b.into.of[b.first+int(r)] = b.into.count
		}
		b.into.count++
		return
	}
	best, widest := 0, -1.0
	for j, e := range b.extents(rows) {
		if b.extent[j] > 0 && e/b.extent[j] > widest {
			best, widest = j, e/b.extent[j]
		}
	}
	half := len(rows) / 2
	equivclass.Select(rows, half, func(r, s int32) bool {
		u, v := b.centres[int(r)*b.d+best], b.centres[int(s)*b.d+best]
		return u < v || u == v && r < s
	})
	b.divide(rows[:half])
	b.divide(rows[half:])
}
