package query

import (
	"math"
	"slices"

	"anond/equivclass"
)

// Cell is what a release shows in place of a value: a closed range of numbers, a
// node of a hierarchy, or a set of categories. An exact value is the range or
// set of it alone.
type Cell struct {
	Lo, Hi float64           // Number
	Node   int               // Tree
	Codes  []equivclass.Code // Set, ascending
}

// CellOf returns the tight cell of some values: their range (widened to the
// attribute's steps), their lowest common ancestor, or their set.
func CellOf(d *equivclass.Dictionary, codes []equivclass.Code) Cell {
	switch d.Kind() {
	case equivclass.Number:
		lo, hi := d.Units(codes[0]), d.Units(codes[0])
		for _, c := range codes {
			lo, hi = min(lo, d.Units(c)), max(hi, d.Units(c))
		}
		a := d.Attribute()
		lo, hi = a.StepCell(lo, hi)
		return Cell{Lo: a.Float(lo), Hi: a.Float(hi)}
	case equivclass.Tree:
		lo, hi := codes[0], codes[0]
		for _, c := range codes {
			lo, hi = min(lo, c), max(hi, c)
		}
		return Cell{Node: d.Attribute().Hierarchy.LCA(lo, hi)}
	default:
		return Cell{Codes: equivclass.BagOfCodes(slices.Clone(codes)).Signature()}
	}
}

// fit is how the values that a cell or a bucket may stand for meet a predicate.
type fit struct {
	share     float64 // of the values that match, all equally likely
	can, must bool    // some value matches; every value does
	// Number: expectation of the value where it matches and 0 elsewhere, and the
	// smallest and largest value that matches.
	moment, lo, hi float64
}

var certain = fit{share: 1, can: true, must: true}

// fit reports how a cell meets the predicate. grain is the step between the
// numbers that an attribute can have (1 for integers and dates), 0 if it has
// none. With grain 0 numbers are uniform in the closed range, as examples 1 and 2
// of the permutation paper count; a single point of a range then has share 0.
func (p *Predicate) fit(d *equivclass.Dictionary, c Cell, grain float64) fit {
	switch d.Kind() {
	case equivclass.Number:
		return fitNumber(p.spans, c, grain)
	case equivclass.Tree:
		lo, hi := d.Attribute().Hierarchy.Span(c.Node)
		return fitShare(int(p.before[hi+1]-p.before[lo]), int(hi-lo)+1)
	default:
		n := 0
		for _, code := range c.Codes {
			if p.Match[code] {
				n++
			}
		}
		return fitShare(n, len(c.Codes))
	}
}

func fitShare(matching, all int) fit {
	return fit{share: float64(matching) / float64(all), can: matching > 0, must: matching == all}
}

// fitNumber adds up the parts of the cell that lie in the spans.
func fitNumber(spans []span, c Cell, grain float64) fit {
	f := fit{lo: math.Inf(1), hi: math.Inf(-1)}
	cell := span{lo: c.Lo, hi: c.Hi}
	for _, s := range spans {
		part := s.and(cell)
		if part.empty() {
			continue
		}
		lo, hi, share := part.lo, part.hi, 1.0
		switch {
		case c.Lo == c.Hi:
		case grain > 0:
			var n float64
			if lo, hi, n = lattice(part, c.Lo, grain); n == 0 {
				continue
			}
			share = n / (math.Floor((c.Hi-c.Lo)/grain) + 1)
		default:
			share = (hi - lo) / (c.Hi - c.Lo)
		}
		f.can = true
		f.must = f.must || lo == c.Lo && hi == c.Hi && !(part.loOpen && grain == 0) && !(part.hiOpen && grain == 0)
		f.share += share
		f.moment += share * (lo + hi) / 2
		f.lo, f.hi = min(f.lo, lo), max(f.hi, hi)
	}
	return f
}

// lattice returns the first, the last and the number of the points
// origin + i grain that lie in s.
func lattice(s span, origin, grain float64) (lo, hi, n float64) {
	first, last := math.Ceil((s.lo-origin)/grain), math.Floor((s.hi-origin)/grain)
	if s.loOpen && origin+first*grain == s.lo {
		first++
	}
	if s.hiOpen && origin+last*grain == s.hi {
		last--
	}
	return origin + first*grain, origin + last*grain, max(0, last-first+1)
}

// Grains returns the step between the values of each attribute: 1 for integers
// and dates, else 0.
func Grains(dicts []*equivclass.Dictionary) []float64 {
	out := make([]float64, len(dicts))
	for j, d := range dicts {
		if t := d.Attribute().Type; t == equivclass.Integer || t == equivclass.Date {
			out[j] = 1
		}
	}
	return out
}
