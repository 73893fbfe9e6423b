package estimate

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// axis turns the cells of one attribute into features: the weight that a cell
// has in each of a few bins of values. Numbers and leaves of a hierarchy lie on a
// line, and a bin is a range of it; categories are numbered by code.
type axis struct {
	dict  *equivclass.Dictionary
	line  bool      // numbers and leaves
	half  float64   // 0.5 where all values are integers: value v fills v-half to v+half; else 0
	edges []float64 // line: the lower end of each bin but the first
	bin   []int32   // categories: by code
	bins  int
	first int // number of the first bin among the features of the model
}

// piece is the values that a class may have of one attribute, or those of them
// that a query asks for: some with a known weight, the others spread evenly.
type piece struct {
	fixed   []weighted
	density float64      // weight for each unit of length, or for each category
	runs    [][2]float64 // what is spread: ranges of the line,
	codes   []equivclass.Code
}

// weighted is a number, a leaf or a code, with its weight.
type weighted struct{ value, weight float64 }

// newAxis cuts the values of a column into at most so many bins, each with about
// as many records at the ends of its cells.
func newAxis(d *equivclass.Dictionary, c *query.Column, records []float64, grain float64, most int) *axis {
	x := &axis{dict: d, line: d.Kind() != equivclass.Set}
	if d.Kind() == equivclass.Tree || grain == 1 {
		x.half = 0.5
	}
	ends := x.ends(c, records)
	if x.line {
		x.cutLine(ends, most)
	} else {
		x.cutCategories(ends, most)
	}
	return x
}

// ends are the values that the column shows, with the number of records of each.
func (x *axis) ends(c *query.Column, records []float64) (out []weighted) {
	for i, cell := range c.Cells {
		if cell.Lo <= cell.Hi { // of numbers: there are some
			out = append(out, x.cellEnds(cell, records[i])...)
		}
	}
	for i, bag := range c.Bags {
		for _, n := range bag.Counts {
			out = append(out, weighted{x.number(n.Code), records[len(c.Cells)+i] * float64(n.N) / float64(bag.Total)})
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

func (x *axis) cellEnds(c query.Cell, records float64) (out []weighted) {
	switch x.dict.Kind() {
	case equivclass.Set:
		for _, code := range c.Codes {
			out = append(out, weighted{float64(code), records / float64(len(c.Codes))})
		}
		return out
	case equivclass.Tree:
		lo, hi := x.dict.Attribute().Hierarchy.Span(c.Node)
		c.Lo, c.Hi = float64(lo), float64(hi)
	}
	return []weighted{{c.Lo, records / 2}, {c.Hi, records / 2}}
}

// number is the place of a value.
func (x *axis) number(c equivclass.Code) float64 {
	if x.dict.Kind() == equivclass.Number {
		return query.Worth(x.dict, c)
	}
	return float64(c)
}

// cutLine opens a bin where the one before is full. A frequent value has one alone.
func (x *axis) cutLine(ends []weighted, most int) {
	all, filled := 0.0, 0.0
	for _, e := range ends {
		all += e.weight
	}
	full := all / float64(most)
	for i, e := range ends {
		if i > 0 && filled > 0 && filled+e.weight/2 >= full && len(x.edges)+1 < most {
			x.edges, filled = append(x.edges, e.value-x.half), 0
		}
		filled += e.weight
	}
	x.bins = len(x.edges) + 1
}

// cutCategories gives the frequent categories a bin each, and the others one.
func (x *axis) cutCategories(ends []weighted, most int) {
	slices.SortStableFunc(ends, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	x.bins = max(1, min(most, len(ends)))
	x.bin = slices.Repeat([]int32{int32(x.bins - 1)}, x.dict.Len())
	for i, e := range ends {
		x.bin[int(e.value)] = int32(min(i, x.bins-1))
	}
}

// binOf is the bin of a value.
func (x *axis) binOf(v float64) int {
	if !x.line {
		return int(x.bin[int(v)])
	}
	b, found := slices.BinarySearch(x.edges, v)
	if found {
		b++
	}
	return b
}

// upper is the upper end of a bin.
func (x *axis) upper(bin int) float64 {
	if bin < len(x.edges) {
		return x.edges[bin]
	}
	return math.Inf(1)
}

// run is the range of the line that some values fill.
func (x *axis) run(lo, hi float64) [2]float64 { return [2]float64{lo - x.half, hi + x.half} }

// addBins adds the weight of a piece in each bin, and returns all of it.
func (x *axis) addBins(p *piece, to []float64) (all float64) {
	for _, f := range p.fixed {
		to[x.binOf(f.value)] += f.weight
		all += f.weight
	}
	for _, c := range p.codes {
		to[x.bin[c]] += p.density
		all += p.density
	}
	for _, r := range p.runs {
		for from, b := r[0], x.binOf(r[0]); from < r[1]; b++ {
			end := min(r[1], x.upper(b))
			to[b] += p.density * (end - from)
			all += p.density * (end - from)
			from = end
		}
	}
	return all
}
