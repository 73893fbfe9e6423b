package estimate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/equivclass/query"
)

// Group is a row or a column of a crosstab.
type Group struct {
	Label string
	Pred  query.Predicate
}

// Groups divides what a release shows of an attribute: categories one by one, and of a large hierarchy of a quasi-identifier its
// branches; numbers by the intervals that they were declared with, or else by quarters of the lower ends of cells, or of the numbers
// themselves. Who has no number is in no group of numbers.
func (j *Joint) Groups(attribute int) (out []Group) {
	d, bags := j.r.Dicts[attribute], []equivclass.Bag(nil)
	for _, s := range j.r.Sensitive {
		if s.Attribute == attribute {
			bags = s.Bags
		}
	}
	shown := make([]bool, d.Len())
	for _, bag := range bags {
		for _, c := range bag.Counts {
			shown[c.Code] = true
		}
	}
	if bags == nil {
		shown = j.shown(attribute)
	}
	match := func(label string, holds func(c equivclass.Code) bool) {
		g := Group{strings.ReplaceAll(label, equivclass.Then, " then "), query.Predicate{Attribute: attribute, Match: make([]bool, d.Len())}}
		some := false
		for c := range g.Pred.Match {
			g.Pred.Match[c] = holds(equivclass.Code(c))
			some = some || g.Pred.Match[c] && (shown[c] || d.Kind() == equivclass.Number)
		}
		if some || d.Kind() == equivclass.Number && bags == nil {
			g.Pred.Count(d)
			out = append(out, g)
		}
	}
	switch {
	case d.Kind() == equivclass.Number && len(d.Attribute().Buckets) == 0:
		for _, s := range quarters(d, j.r.BucketRelease, attribute, bags) {
			match(spanText(d, s), func(c equivclass.Code) bool {
				return d.Units(c) != equivclass.MissingNumber && query.SpansHold([]query.Span{s}, d.Number(c))
			})
			if len(out) > 0 {
				out[len(out)-1].Pred.Spans = []query.Span{s}
			}
		}
		return out
	case d.Kind() == equivclass.Tree && bags == nil && d.Len() > mostResponses:
		h := d.Attribute().Hierarchy
		root := h.LCA(0, equivclass.Code(h.Leaves()-1))
		for node := range h.Nodes() {
			if node != root && h.Parent(node) == root {
				lo, hi := h.Span(node)
				match(h.Label(node), func(c equivclass.Code) bool { return lo <= c && c <= hi })
			}
		}
		return out
	}
	first := map[string]equivclass.Code{}
	var labels []string
	for c, is := range shown {
		label := d.Label(equivclass.Code(c))
		if at, known := first[label]; is && !known {
			labels = append(labels, label)
			first[label] = equivclass.Code(c)
		} else if is && d.Kind() == equivclass.Number && d.Number(equivclass.Code(c)) < d.Number(at) {
			first[label] = equivclass.Code(c)
		}
	}
	slices.SortFunc(labels, func(a, b string) int {
		if d.Kind() == equivclass.Number {
			return cmp.Compare(d.Number(first[a]), d.Number(first[b]))
		}
		return cmp.Compare(a, b)
	})
	for _, label := range labels {
		match(label, func(c equivclass.Code) bool { return d.Label(c) == label })
	}
	return out
}

// shown are the values that cells of a column may stand for.
func (j *Joint) shown(attribute int) []bool {
	d, c := j.r.Dicts[attribute], &j.r.Columns[attribute]
	out := make([]bool, d.Len())
	for _, cell := range c.Cells {
		for _, code := range cell.Codes {
			out[code] = true
		}
		if d.Kind() == equivclass.Tree {
			for lo, hi := d.Attribute().Hierarchy.Span(cell.Node); lo <= hi; lo++ {
				out[lo] = true
			}
		}
	}
	for _, bag := range c.Bags {
		for _, n := range bag.Counts {
			out[n.Code] = true
		}
	}
	return out
}

// quarters are spans of numbers with about as many people each.
func quarters(d *equivclass.Dictionary, r *query.BucketRelease, attribute int, bags []equivclass.Bag) (out []query.Span) {
	var ends []weighted
	add := func(bag equivclass.Bag) {
		for _, c := range bag.Counts {
			if d.Units(c.Code) != equivclass.MissingNumber {
				ends = append(ends, weighted{d.Number(c.Code), float64(c.N)})
			}
		}
	}
	for _, bag := range bags {
		add(bag)
	}
	if bags == nil {
		c := &r.Columns[attribute]
		for i, at := range c.Of {
			if int(at) >= len(c.Cells) {
				add(c.Bags[int(at)-len(c.Cells)])
			} else if cell := c.Cells[at]; cell.Lo <= cell.Hi {
				ends = append(ends, weighted{cell.Lo, float64(r.Size[i])})
			}
		}
	}
	slices.SortFunc(ends, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	all, passed := 0., 0.
	for _, e := range ends {
		all += e.weight
	}
	last := query.Span{Lo: math.Inf(-1), Hi: math.Inf(1)}
	for i, e := range ends {
		if passed >= all*float64(len(out)+1)/4 && e.value > ends[0].value && (i == 0 || e.value > ends[i-1].value) {
			out = append(out, query.Span{Lo: last.Lo, Hi: e.value, HiOpen: true})
			last.Lo = e.value
		}
		passed += e.weight
	}
	return append(out, last)
}

func spanText(d *equivclass.Dictionary, s query.Span) string {
	a := d.Attribute()
	text := func(v float64) string { units, _ := a.Units(v); return a.FormatNumber(units) }
	switch {
	case math.IsInf(s.Lo, -1) && math.IsInf(s.Hi, 1):
		return "all numbers"
	case math.IsInf(s.Lo, -1):
		return "below " + text(s.Hi)
	case math.IsInf(s.Hi, 1):
		return "from " + text(s.Lo)
	}
	return "from " + text(s.Lo) + ", below " + text(s.Hi)
}
