package estimate

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/cut"
	"anond/equivclass/query"
)

// Sets draws count queries as Sun et al. do (section IV): qd different
// attributes of quasi and the sensitive one, each restricted to
// ceil(values x selectivity^(1/(qd+1))) random values of it, all different.
func Sets(dicts []*equivclass.Dictionary, quasi []int, sensitive, qd int, selectivity float64, n int,
	src equivclass.Source) []*query.Bound {
	queries := make([]*query.Bound, n)
	for i := range queries {
		q := &query.Bound{Sum: -1}
		for _, j := range append(accuracy.Some(quasi, qd, src), sensitive) {
			q.Preds = append(q.Preds, setOf(dicts[j], j, math.Pow(selectivity, 1/float64(qd+1)), src))
		}
		queries[i] = q
	}
	return queries
}

// setOf asks for random values, a share of the attribute's.
func setOf(d *equivclass.Dictionary, j int, share float64, src equivclass.Source) query.Predicate {
	codes := make([]int, d.Len())
	for c := range codes {
		codes[c] = c
	}
	b := min(len(codes), int(math.Ceil(float64(len(codes))*share-1e-9)))
	p := query.Predicate{Attribute: j, Match: make([]bool, len(codes))}
	for _, c := range accuracy.Some(codes, b, src) {
		p.Match[c] = true
		if d.Kind() == equivclass.Number {
			p.Spans = append(p.Spans, query.Span{Lo: d.Number(equivclass.Code(c)), Hi: d.Number(equivclass.Code(c))})
		}
	}
	slices.SortFunc(p.Spans, func(a, b query.Span) int { return cmp.Compare(a.Lo, b.Lo) })
	p.Count(d)
	return p
}

// Sums draws sum queries as the LGB paper does (section 4.2): dims
// different attributes of from, a category restricted to random values of it,
// a number by a random comparison with a random value.
func Sums(dicts []*equivclass.Dictionary, from []int, sum, dims, n int, src equivclass.Source) []*query.Bound {
	queries := make([]*query.Bound, n)
	for i := range queries {
		q := &query.Bound{Sum: sum}
		for _, j := range accuracy.Some(from, dims, src) {
			q.Preds = append(q.Preds, comparisonOf(dicts[j], j, src))
		}
		queries[i] = q
	}
	return queries
}

func comparisonOf(d *equivclass.Dictionary, j int, src equivclass.Source) query.Predicate {
	p := query.Predicate{Attribute: j, Match: make([]bool, d.Len())}
	if d.Kind() != equivclass.Number {
		for range 1 + cut.Below(src, uint64(d.Len())) {
			p.Match[cut.Below(src, uint64(d.Len()))] = true
		}
		p.Count(d)
		return p
	}
	v, inf := d.Number(equivclass.Code(cut.Below(src, uint64(d.Len())))), math.Inf(1)
	p.Spans = [][]query.Span{
		{{Lo: v, Hi: inf, LoOpen: true}}, {{Lo: -inf, Hi: v, HiOpen: true}}, {{Lo: v, Hi: v}},
		{{Lo: v, Hi: inf}}, {{Lo: -inf, Hi: v}}, {{Lo: -inf, Hi: v, HiOpen: true}, {Lo: v, Hi: inf, LoOpen: true}},
	}[cut.Below(src, 6)]
	for c := range p.Match {
		p.Match[c] = query.SpansHold(p.Spans, d.Number(equivclass.Code(c)))
	}
	return p
}

// CountValues is accuracy.Counts with one random value of the sensitive
// attribute in place of an interval. From the same source both draw the same
// intervals of quasi, except where the source's numbers are drawn again.
func CountValues(dicts []*equivclass.Dictionary, quasi []int, sensitive, dims int, volume float64, n int,
	src equivclass.Source) []*query.Bound {
	return accuracy.Draw(dicts, quasi, []int{sensitive}, dims, n, math.Pow(volume, 1/float64(dims+1)), 0, src)
}
