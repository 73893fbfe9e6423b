// Package accuracy draws random counts as papers do, and measures the error of a release over them.
//
// Cost: drawing is linear in the values of the attributes that are asked for; measuring asks the release
// and the records behind it.
//
// Source: the permutation paper (section 4.2).
package accuracy

import (
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
	return Draw(dicts, quasi, []int{sensitive}, dims, n, share, share, src)
}

// Draw draws n counts that restrict dims attributes: the sensitive ones to a share of their values, and some of quasi to another.
func Draw(dicts []*equivclass.Dictionary, quasi, sensitive []int, dims, n int, share, ofSensitive float64,
	src equivclass.Source) []*query.Bound {
	ranks := make([][]int32, len(dicts))
	for _, j := range slices.Concat(quasi, sensitive) {
		ranks[j] = flagged.ValueOrder(dicts[j])
	}
	queries := make([]*query.Bound, n)
	for i := range queries {
		q := &query.Bound{Sum: -1}
		for _, j := range Some(quasi, dims-len(sensitive), src) {
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

// Some draws n different elements, in random order.
func Some(from []int, n int, src equivclass.Source) []int {
	out := slices.Clone(from)
	n = min(n, len(out))
	for i := range n {
		j := i + cut.Below(src, uint64(len(out)-i))
		out[i], out[j] = out[j], out[i]
	}
	return out[:n]
}
