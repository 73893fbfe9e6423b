package estimate

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// axis divides the values of a quasi-identifier into a few bins: numbers, and the leaves of a hierarchy in their order, into ranges;
// categories one by one, and all others together.
type axis struct {
	dict  *equivclass.Dictionary
	line  bool      // numbers and leaves
	half  float64   // 0.5 where all numbers are whole: v fills v-half to v+half; else 0
	edges []float64 // line: the lower end of each bin but the first
	bin   []int32   // categories: by code
	lacks bool      // there may be no number: a bin of its own, the last one
	bins  int
}

// piece is where a value behind a cell may be, with a weight of 1 in all: points, and ranges over which weight is spread evenly.
type piece struct {
	points  []weighted
	density float64 // weight for each unit of length
	runs    [][2]float64
}

// weighted is a number, a leaf or a code, with its weight; NaN: there is no number.
type weighted struct{ value, weight float64 }

// spread is weights of bins, and for numbers the sums of weight times value.
type spread struct {
	at         []int32
	w, moments []float64
}

// newAxis finds the bins of a column, and where the value behind each different cell may be. people is by different cell, size is the
// mean class with it.
func newAxis(d *equivclass.Dictionary, c *query.Column, people, size []float64, grain float64, tight bool) (*axis, []piece) {
	x := &axis{dict: d, line: d.Kind() != equivclass.Set}
	if grain == 1 && d.Kind() == equivclass.Number {
		x.half = .5
	}
	var pieces []piece
	if d.Kind() == equivclass.Number {
		for i, cell := range c.Cells {
			pieces = append(pieces, x.numbers(cell, size[i], tight))
		}
	} else {
		pieces = categories(d, c.Cells, people, size, tight)
	}
	for _, bag := range c.Bags {
		var p piece
		for _, n := range bag.Counts {
			p.points = append(p.points, weighted{x.number(n.Code), float64(n.N) / float64(bag.Total)})
		}
		pieces = append(pieces, p)
	}
	ends := x.ends(pieces, people)
	if x.line {
		x.cutLine(ends)
	} else {
		x.cutCategories(ends)
	}
	return x, pieces
}

// number is the place of a value on the axis.
func (x *axis) number(c equivclass.Code) float64 {
	switch {
	case x.dict.Kind() != equivclass.Number:
		return float64(c)
	case x.dict.Units(c) == equivclass.MissingNumber:
		return math.NaN()
	}
	return x.dict.Number(c)
}

// numbers spreads a range. Both ends of a tight one are values of members.
func (x *axis) numbers(c query.Cell, size float64, tight bool) (p piece) {
	there := 1.0
	if c.Lacks {
		there = .5
		if c.Lo > c.Hi {
			there = 0
		}
		p.points = append(p.points, weighted{math.NaN(), 1 - there})
	}
	switch {
	case c.Lo > c.Hi:
	case c.Lo == c.Hi:
		p.points = append(p.points, weighted{c.Lo, there})
	default:
		p.runs = [][2]float64{{c.Lo - x.half, c.Hi + x.half}}
		free := there
		if tight && len(x.dict.Attribute().Steps) == 0 {
			w := there / max(2, size)
			p.points = append(p.points, weighted{c.Lo, w}, weighted{c.Hi, w})
			free -= 2 * w
		}
		p.density = free / (p.runs[0][1] - p.runs[0][0])
	}
	return p
}

// place is where a cell that the release need not have lies; of several values each is as likely.
func (x *axis) place(c query.Cell) (p piece) {
	switch x.dict.Kind() {
	case equivclass.Number:
		if c.Lo > c.Hi && !x.lacks {
			return p
		}
		return x.numbers(c, 1, false)
	case equivclass.Tree:
		for lo, hi := x.dict.Attribute().Hierarchy.Span(c.Node); lo <= hi; lo++ {
			c.Codes = append(c.Codes, lo)
		}
	}
	for _, code := range c.Codes {
		if x.line || int(code) < len(x.bin) {
			p.points = append(p.points, weighted{float64(code), 1 / float64(len(c.Codes))})
		}
	}
	return p
}

// spreadRounds is how often the shares of categories are found again.
const spreadRounds = 20

// categories spreads sets and labels. Each member of a tight set is the value of one person at least; everybody else has a value in
// proportion to the square root of its share of all people: between evenly, as a class is no random sample, and in proportion, as
// frequent values are frequent in sets too.
func categories(d *equivclass.Dictionary, cells []query.Cell, people, size []float64, tight bool) []piece {
	members := make([][]equivclass.Code, len(cells))
	all := 0.0
	for i, c := range cells {
		if members[i] = c.Codes; d.Kind() == equivclass.Tree {
			for lo, hi := d.Attribute().Hierarchy.Span(c.Node); lo <= hi; lo++ {
				members[i] = append(members[i], lo)
			}
		}
		all += people[i]
	}
	root, sums := make([]float64, d.Len()), make([]float64, d.Len())
	for c := range root {
		root[c] = 1
	}
	out := make([]piece, len(cells))
	for range spreadRounds {
		clear(sums)
		for i, set := range members {
			least, total := 0.0, 0.0
			if tight && d.Kind() == equivclass.Set {
				least = min(1/size[i], 1/float64(len(set)))
			}
			for _, c := range set {
				total += root[c]
			}
			out[i].points = out[i].points[:0]
			for _, c := range set {
				w := least + (1-float64(len(set))*least)*root[c]/total
				out[i].points = append(out[i].points, weighted{float64(c), w})
				sums[c] += people[i] * w
			}
		}
		for c := range root {
			root[c] = math.Sqrt(sums[c] / max(1, all))
		}
	}
	return out
}

// ends are the values at which bins may begin, ascending, with people: half of those of a range at each end of it.
func (x *axis) ends(pieces []piece, people []float64) (out []weighted) {
	for i, p := range pieces {
		if len(p.runs) > 0 {
			there := people[i] * .5
			if x.lacks = x.lacks || math.IsNaN(p.points0()); math.IsNaN(p.points0()) {
				there /= 2
			}
			out = append(out, weighted{p.runs[0][0] + x.half, there}, weighted{p.runs[0][1] - x.half, there})
			continue
		}
		for _, f := range p.points {
			if math.IsNaN(f.value) {
				x.lacks = true
			} else {
				out = append(out, weighted{f.value, people[i] * f.weight})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	last := 0
	for i := 1; i < len(out); i++ {
		if out[i].value == out[last].value {
			out[last].weight += out[i].weight
		} else {
			last++
			out[last] = out[i]
		}
	}
	return out[:min(len(out), last+1)]
}

// points0 is the value of the first point, NaN where there may be no number; 0 without points.
func (p *piece) points0() float64 {
	if len(p.points) == 0 {
		return 0
	}
	return p.points[0].value
}

// cutLine opens a bin where the one before is full. A frequent value has one alone.
func (x *axis) cutLine(ends []weighted) {
	all, filled := 0.0, 0.0
	for _, e := range ends {
		all += e.weight
	}
	full := all / mostBins
	for _, e := range ends {
		if filled > 0 && filled+e.weight/2 >= full && len(x.edges)+1 < mostBins {
			x.edges, filled = append(x.edges, e.value-x.half), 0
		}
		filled += e.weight
	}
	x.bins = len(x.edges) + 1
	if x.lacks {
		x.bins++
	}
}

// cutCategories gives the frequent categories a bin each, and the others one.
func (x *axis) cutCategories(ends []weighted) {
	slices.SortStableFunc(ends, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(x.dict.Text(equivclass.Code(a.value)), x.dict.Text(equivclass.Code(b.value))))
	})
	x.bins = max(1, min(mostBins, len(ends)))
	x.bin = slices.Repeat([]int32{int32(x.bins - 1)}, x.dict.Len())
	for i, e := range ends {
		x.bin[int(e.value)] = int32(min(i, x.bins-1))
	}
}

// binOf is the bin of a value.
func (x *axis) binOf(v float64) int {
	switch {
	case math.IsNaN(v):
		return x.bins - 1
	case !x.line:
		return int(x.bin[int(v)])
	}
	b, found := slices.BinarySearch(x.edges, v)
	if found {
		b++
	}
	return b
}

// spread gathers a piece by bins. A value that is no number has no moment.
func (x *axis) spread(p *piece) (out spread) {
	weights, moments := make([]float64, x.bins), make([]float64, x.bins)
	for _, f := range p.points {
		b := x.binOf(f.value)
		weights[b] += f.weight
		if !math.IsNaN(f.value) {
			moments[b] += f.weight * f.value
		}
	}
	for _, r := range p.runs {
		for from, b := r[0], x.binOf(r[0]); from < r[1]; b++ {
			end := r[1]
			if b < len(x.edges) {
				end = min(end, x.edges[b])
			}
			w := p.density * (end - from)
			weights[b], moments[b] = weights[b]+w, moments[b]+w*(from+end)/2
			from = end
		}
	}
	for b, w := range weights {
		if w > 0 {
			out.at, out.w, out.moments = append(out.at, int32(b)), append(out.w, w), append(out.moments, moments[b])
		}
	}
	return out
}

// asked is the part of a piece that a predicate asks for.
func (x *axis) asked(p *piece, q *query.Predicate) piece {
	out := piece{density: p.density}
	for _, f := range p.points {
		holds := false
		if x.dict.Kind() == equivclass.Number {
			holds = query.SpansHold(q.Spans, f.value)
		} else {
			holds = q.Match[int(f.value)]
		}
		if holds {
			out.points = append(out.points, f)
		}
	}
	for _, r := range p.runs {
		for _, s := range q.Spans {
			lo, hi := s.Lo, s.Hi
			if x.half > 0 { // the whole numbers of the span
				if lo, hi = math.Ceil(lo), math.Floor(hi); s.LoOpen && lo == s.Lo {
					lo++
				}
				if s.HiOpen && hi == s.Hi {
					hi--
				}
			}
			if lo, hi = max(r[0], lo-x.half), min(r[1], hi+x.half); lo < hi {
				out.runs = append(out.runs, [2]float64{lo, hi})
			}
		}
	}
	return out
}
