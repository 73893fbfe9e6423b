package estimate

import (
	"math"

	"anond/equivclass"
	"anond/equivclass/query"
)

// piece is the values behind a cell of a class with so many records. In a tight
// cell both ends of a range are values of members. The other values are spread
// evenly.
//
// Spreading them like the values of all records, learnt from the cells, is worse:
// a class is no random sample, and who has a rare value stands in a wide cell.
func (x *axis) piece(c query.Cell, size float64, tight bool) piece {
	switch x.dict.Kind() {
	case equivclass.Set:
		return setPiece(c.Codes)
	case equivclass.Tree:
		lo, hi := x.dict.Attribute().Hierarchy.Span(c.Node)
		c.Lo, c.Hi = float64(lo), float64(hi)
		tight = false
	}
	if c.Lo > c.Hi {
		return piece{} // there is no number
	}
	if c.Lo == c.Hi {
		return piece{fixed: []weighted{{c.Lo, 1}}}
	}
	p := piece{runs: [][2]float64{x.run(c.Lo, c.Hi)}}
	free := 1.0
	if tight && len(x.dict.Attribute().Steps) == 0 {
		w := 1 / max(2, size)
		p.fixed = []weighted{{c.Lo, w}, {c.Hi, w}}
		free -= 2 * w
	}
	p.density = free / (p.runs[0][1] - p.runs[0][0])
	return p
}

// setPiece spreads a set evenly. That each category occurs is no more than that
// says already.
func setPiece(codes []equivclass.Code) piece {
	if len(codes) == 1 {
		return piece{fixed: []weighted{{float64(codes[0]), 1}}}
	}
	return piece{codes: codes, density: 1 / float64(len(codes))}
}

// bagPiece is exact values of which each member of a class has one.
func (x *axis) bagPiece(b equivclass.Bag) (p piece) {
	for _, c := range b.Counts {
		p.fixed = append(p.fixed, weighted{x.number(c.Code), float64(c.N) / float64(b.Total)})
	}
	return p
}

// mean is the mean value of a piece, 0 if it is empty.
func (p *piece) mean() float64 {
	sum, all := 0.0, 0.0
	for _, f := range p.fixed {
		sum, all = sum+f.weight*f.value, all+f.weight
	}
	for _, r := range p.runs {
		w := p.density * (r[1] - r[0])
		sum, all = sum+w*(r[0]+r[1])/2, all+w
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// askedValues is a predicate on an axis.
type askedValues struct {
	holds func(value float64) bool
	runs  [][2]float64
}

func (x *axis) askedBy(p *query.Predicate) *askedValues {
	if x.dict.Kind() == equivclass.Number {
		out := &askedValues{holds: func(v float64) bool { return query.SpansHold(p.Spans, v) }}
		for _, s := range p.Spans {
			if r, ok := x.spanRun(s); ok {
				out.runs = append(out.runs, r)
			}
		}
		return out
	}
	out := &askedValues{holds: func(v float64) bool { return p.Match[int(v)] }}
	for c := 0; x.line && c < len(p.Match); c++ {
		if !p.Match[c] {
			continue
		}
		from := c
		for c+1 < len(p.Match) && p.Match[c+1] {
			c++
		}
		out.runs = append(out.runs, x.run(float64(from), float64(c)))
	}
	return out
}

// spanRun is the range of the line that the numbers of a span fill.
func (x *axis) spanRun(s query.Span) ([2]float64, bool) {
	if x.half == 0 {
		return [2]float64{s.Lo, s.Hi}, s.Lo < s.Hi
	}
	lo, hi := math.Ceil(s.Lo), math.Floor(s.Hi)
	if s.LoOpen && lo == s.Lo {
		lo++
	}
	if s.HiOpen && hi == s.Hi {
		hi--
	}
	return x.run(lo, hi), lo <= hi
}

// asked is the part of a piece that is asked for.
func (p *piece) asked(q *askedValues) piece {
	out := piece{density: p.density}
	for _, f := range p.fixed {
		if q.holds(f.value) {
			out.fixed = append(out.fixed, f)
		}
	}
	for _, c := range p.codes {
		if q.holds(float64(c)) {
			out.codes = append(out.codes, c)
		}
	}
	for _, r := range p.runs {
		for _, s := range q.runs {
			if lo, hi := max(r[0], s[0]), min(r[1], s[1]); lo < hi {
				out.runs = append(out.runs, [2]float64{lo, hi})
			}
		}
	}
	return out
}
