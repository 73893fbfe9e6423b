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
	Lo, Hi float64           // Number; Lo > Hi: there is none
	Lacks  bool              // Number: there may be none
	Node   int               // Tree
	Codes  []equivclass.Code // Set, ascending
}

// CellOf returns the tight cell of some values: their range (widened to the
// attribute's steps), their lowest common ancestor, or their set.
func CellOf(d *equivclass.Dictionary, codes []equivclass.Code) Cell {
	switch d.Kind() {
	case equivclass.Number:
		lo, hi, lacks := int64(equivclass.MissingNumber), int64(-equivclass.MissingNumber), false
		for _, c := range codes {
			if v := d.Units(c); v == equivclass.MissingNumber {
				lacks = true
			} else {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if lo > hi {
			return nothing
		}
		a := d.Attribute()
		lo, hi = a.StepCell(lo, hi)
		return Cell{Lo: a.Float(lo), Hi: a.Float(hi), Lacks: lacks}
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

// nothing is the cell of numbers that are missing.
var nothing = Cell{Lo: math.Inf(1), Hi: math.Inf(-1), Lacks: true}

// Worth is what a number adds to a sum: nothing if it is missing.
func Worth(d *equivclass.Dictionary, c equivclass.Code) float64 {
	if d.Units(c) == equivclass.MissingNumber {
		return 0
	}
	return d.Number(c)
}

// Fit is how the values that a cell or a bucket may stand for meet a predicate.
type Fit struct {
	Share     float64 // of the values that match, all equally likely
	Can, Must bool    // some value matches; every value does
	// Number: expectation of the value where it matches and 0 elsewhere, and the
	// smallest and largest value that matches.
	moment, lo, hi float64
}

// Certain is the fit of a row that nothing restricts.
var Certain = Fit{Share: 1, Can: true, Must: true}

// Fit reports how a cell meets the predicate. grain is the step between the
// numbers that an attribute can have (1 for integers and dates), 0 if it has
// none. With grain 0 numbers are uniform in the closed range, as examples 1 and 2
// of the permutation paper count; a single point of a range then has share 0.
func (p *Predicate) Fit(d *equivclass.Dictionary, c Cell, grain float64) Fit {
	switch d.Kind() {
	case equivclass.Number:
		return FitNumber(p.Spans, c, grain)
	case equivclass.Tree:
		lo, hi := d.Attribute().Hierarchy.Span(c.Node)
		return FitShare(int(p.before[hi+1]-p.before[lo]), int(hi-lo)+1)
	default:
		n := 0
		for _, code := range c.Codes {
			if p.Match[code] {
				n++
			}
		}
		return FitShare(n, len(c.Codes))
	}
}

// FitShare is the fit of so many values of which some match.
func FitShare(matching, all int) Fit {
	return Fit{Share: float64(matching) / float64(all), Can: matching > 0, Must: matching == all}
}

// FitNumber adds up the parts of the cell that lie in the spans.
// A number that may be missing is missing with probability 1/2, and then no condition holds.
func FitNumber(spans []Span, c Cell, grain float64) Fit {
	f := Fit{lo: math.Inf(1), hi: math.Inf(-1)}
	cell := Span{Lo: c.Lo, Hi: c.Hi}
	for _, s := range spans {
		part := s.and(cell)
		if part.empty() {
			continue
		}
		lo, hi, share := part.Lo, part.Hi, 1.0
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
		f.Can = true
		f.Must = f.Must || lo == c.Lo && hi == c.Hi && !(part.LoOpen && grain == 0) && !(part.HiOpen && grain == 0)
		f.Share += share
		f.moment += share * (lo + hi) / 2
		f.lo, f.hi = min(f.lo, lo), max(f.hi, hi)
	}
	if c.Lacks {
		f.Must, f.Share, f.moment = false, f.Share/2, f.moment/2
	}
	return f
}

// lattice returns the first, the last and the number of the points
// origin + i grain that lie in s.
func lattice(s Span, origin, grain float64) (lo, hi, n float64) {
	first, last := math.Ceil((s.Lo-origin)/grain), math.Floor((s.Hi-origin)/grain)
	if s.LoOpen && origin+first*grain == s.Lo {
		first++
	}
	if s.HiOpen && origin+last*grain == s.Hi {
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
