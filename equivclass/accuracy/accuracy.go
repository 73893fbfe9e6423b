// Package accuracy draws random queries as papers do, and measures the error of a release over them.
//
// Cost: drawing is linear in the values of the attributes that are asked for; measuring asks the release
// and the records behind it.
//
// Source: the permutation paper (section 4.2), Sun et al. (section IV), and the LGB paper (section 4.2).
package accuracy

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
)

// RelativeError is |actual - estimate| / actual, the measure of the papers'
// query figures. actual must not be 0.
func RelativeError(actual, estimate float64) float64 {
	return math.Abs(actual-estimate) / math.Abs(actual)
}

// Error is the error of a release over a workload. The papers print
// means. A few queries with tiny answers can dominate a mean, so the medians
// are given too.
type Error struct {
	Mean, Median       float64   // relative error over Queries
	Width, MedianWidth float64   // (upper - lower) / actual: the rate of Li, He and Sun
	Queries            int       // that count
	Empty              int       // whose true answer is 0: they have no relative error
	Errors             []float64 // the relative errors, ascending
}

// Measure asks a release and the records behind it the same queries.
// Queries whose true answer is 0 are left out and counted.
// Cost: that of asking both.
func Measure(queries []*query.Bound, truth query.Estimator, answer func(*query.Bound) query.Answer) Error {
	var out Error
	var errs, widths []float64
	for _, q := range queries {
		actual := truth.Estimate(q).Estimate
		if actual == 0 {
			out.Empty++
			continue
		}
		a := answer(q)
		errs = append(errs, RelativeError(actual, a.Estimate))
		widths = append(widths, (a.Upper-a.Lower)/math.Abs(actual))
	}
	out.Queries = len(errs)
	out.Errors = errs
	out.Mean, out.Median = meanAndMedian(errs)
	out.Width, out.MedianWidth = meanAndMedian(widths)
	return out
}

// meanAndMedian sorts xs; both are 0 if there is none.
func meanAndMedian(xs []float64) (mean, median float64) {
	if len(xs) == 0 {
		return 0, 0
	}
	slices.Sort(xs)
	for _, x := range xs {
		mean += x
	}
	return mean / float64(len(xs)), xs[len(xs)/2]
}

// Counts draws count queries as the permutation paper does (section
// 4.2): dims-1 different attributes of quasi and the sensitive one, each
// restricted to a random interval of floor(values x volume^(1/(dims+1))) of its
// values in order, at least one.
func Counts(dicts []*equivclass.Dictionary, quasi []int, sensitive, dims int, volume float64, n int,
	src equivclass.Source) []*query.Bound {
	share := math.Pow(volume, 1/float64(dims+1))
	return countQueries(dicts, quasi, []int{sensitive}, dims, n, share, share, src)
}

// Pairs is Counts with two sensitive attributes, and at least one other.
func Pairs(dicts []*equivclass.Dictionary, quasi []int, pair [2]int, dims int, volume float64, n int,
	src equivclass.Source) []*query.Bound {
	dims = max(3, dims)
	share := math.Pow(volume, 1/float64(dims+1))
	return countQueries(dicts, quasi, pair[:], dims, n, share, share, src)
}

// CountValues is Counts with one random value of the sensitive
// attribute in place of an interval. From the same source both draw the same
// intervals of quasi, except where the source's numbers are drawn again.
func CountValues(dicts []*equivclass.Dictionary, quasi []int, sensitive, dims int, volume float64, n int,
	src equivclass.Source) []*query.Bound {
	return countQueries(dicts, quasi, []int{sensitive}, dims, n, math.Pow(volume, 1/float64(dims+1)), 0, src)
}

// countQueries restricts dims attributes: the sensitive ones to a share of their values, and some of quasi to another.
func countQueries(dicts []*equivclass.Dictionary, quasi, sensitive []int, dims, n int, share, ofSensitive float64,
	src equivclass.Source) []*query.Bound {
	ranks := make([][]int32, len(dicts))
	for _, j := range slices.Concat(quasi, sensitive) {
		ranks[j] = flagged.ValueOrder(dicts[j])
	}
	queries := make([]*query.Bound, n)
	for i := range queries {
		q := &query.Bound{Sum: -1}
		for _, j := range someOf(quasi, dims-len(sensitive), src) {
			q.Preds = append(q.Preds, intervalOf(dicts[j], j, ranks[j], share, src))
		}
		for _, j := range sensitive {
			q.Preds = append(q.Preds, intervalOf(dicts[j], j, ranks[j], ofSensitive, src))
		}
		queries[i] = q
	}
	return queries
}

// intervalOf asks for a random run of a share of the attribute's values.
func intervalOf(d *equivclass.Dictionary, j int, rank []int32, share float64, src equivclass.Source) query.Predicate {
	size := len(rank)
	length := min(size, max(1, int(float64(size)*share)))
	from := int32(cut.Below(src, uint64(size-length+1)))
	to := from + int32(length) - 1
	p := query.Predicate{Attribute: j, Match: make([]bool, size)}
	s := query.Span{Lo: math.Inf(1), Hi: math.Inf(-1)}
	for c, r := range rank {
		if p.Match[c] = from <= r && r <= to; p.Match[c] && d.Kind() == equivclass.Number {
			if d.Units(equivclass.Code(c)) != equivclass.MissingNumber {
				s.Lo, s.Hi = min(s.Lo, d.Number(equivclass.Code(c))), max(s.Hi, d.Number(equivclass.Code(c)))
			}
		}
	}
	if d.Kind() == equivclass.Number {
		p.Spans = []query.Span{s}
	}
	p.Count(d)
	return p
}

// Sets draws count queries as Sun et al. do (section IV): qd different
// attributes of quasi and the sensitive one, each restricted to
// ceil(values x selectivity^(1/(qd+1))) random values of it, all different.
func Sets(dicts []*equivclass.Dictionary, quasi []int, sensitive, qd int, selectivity float64, n int,
	src equivclass.Source) []*query.Bound {
	queries := make([]*query.Bound, n)
	for i := range queries {
		q := &query.Bound{Sum: -1}
		for _, j := range append(someOf(quasi, qd, src), sensitive) {
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
	for _, c := range someOf(codes, b, src) {
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
		for _, j := range someOf(from, dims, src) {
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

// someOf draws n different elements, in random order.
func someOf(from []int, n int, src equivclass.Source) []int {
	out := slices.Clone(from)
	n = min(n, len(out))
	for i := range n {
		j := i + cut.Below(src, uint64(len(out)-i))
		out[i], out[j] = out[j], out[i]
	}
	return out[:n]
}
