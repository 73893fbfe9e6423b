package equivclass

import (
	"cmp"
	"slices"
)

// outside is the share of values that a scale leaves out at either end: one placeholder among
// thousands of values (9999-12-31) does not make the differences between the others vanish.
const outside = .005

// ScalesOf are the ranges by which columns of quasi-identifiers are measured: what the schema
// declares, else what the first n records have; those of categories are empty.
//
// A release publishes the width of each, and nowhere where it lies. Rule B (buckets): it is a
// function of quasi-identifiers and of who had arrived. Rule V (values): it names nobody's value. It is a
// difference of two quantiles, rounded up to one of 16 numbers in each power of ten (roundUp). Who knows the least
// value, because it is 0, learns which of the 16 the upper quantile is next to. Up to ten units the difference is exact: that
// tells how many values an attribute of at most eleven has (0 and 1, years of study), and one in
// two hundred has the last of them. A cell of k people shows its ends to the unit. Whether somebody was in the first load shows
// only if their value alone moves a quantile across a step; the contract (docs/THREAT_MODEL.md) takes
// as known who takes part, and with which quasi-identifiers.
func ScalesOf(dicts []*Dictionary, columns []Column, n int) []Range {
	out := make([]Range, len(dicts))
	for j, d := range dicts {
		if r := d.attribute.Range; r != nil {
			out[j] = *r
		} else if d.Kind() == Number {
			out[j] = scaleOf(d, &columns[j], n)
		}
	}
	return out
}

// scaleOf begins at the .5 % quantile of the first n records of a column and ends at the 99.5 % quantile or
// up to a quarter of it behind. If these are equal, it is over all of them; if all are, it is one step.
// Cost: n + v log v for v different values.
func scaleOf(d *Dictionary, column *Column, n int) Range {
	counts := make([]int, d.Len())
	for r := range n {
		counts[column.At(r)]++
	}
	var codes []Code
	all := 0
	for c, of := range counts {
		if of > 0 && d.numbers[c] != MissingNumber {
			codes, all = append(codes, Code(c)), all+of
		}
	}
	if all == 0 {
		return Range{Hi: 1}
	}
	slices.SortFunc(codes, func(a, b Code) int { return cmp.Compare(d.numbers[a], d.numbers[b]) })
	quantile := func(at int) int64 {
		for _, c := range codes {
			if at -= counts[c]; at < 0 {
				return d.numbers[c]
			}
		}
		return d.numbers[codes[len(codes)-1]]
	}
	beyond := int(outside * float64(all))
	lo, hi := quantile(beyond), quantile(all-1-beyond)
	if lo == hi {
		lo, hi = quantile(0), quantile(all)
	}
	step := int64(1)
	if steps := d.attribute.Steps; len(steps) > 0 {
		step = steps[0]
	}
	return Range{lo, lo + roundUp(max(1, hi-lo), step)}
}

// roundUp is the next multiple of the least of 1, 2, 5, 10, 20, 50 ... steps that is a tenth of the width at least.
func roundUp(width, step int64) int64 {
	for i := 0; step < (width+9)/10; i++ {
		if step *= 2; i%3 == 1 {
			step += step / 4
		}
	}
	return -FloorTo(-width, step)
}
