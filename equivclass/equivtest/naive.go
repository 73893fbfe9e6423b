package equivtest

import (
	"slices"
	"time"

	"anond/equivclass"
)

// Quickest is the quickest of three runs, because the machine may be busy.
func Quickest(m equivclass.Partitioner, p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32,
	rest []int32, took time.Duration) {
	took = time.Hour
	for range 3 {
		begin := time.Now()
		groups, rest = m.Partition(p, want)
		took = min(took, time.Since(begin))
	}
	return groups, rest, took
}

// NaiveSplit divides rows at a coordinate, those that reach it to low.
func NaiveSplit(p *equivclass.Pool, rows []int32, j int, c float32) (low, high []int32) {
	for _, r := range rows {
		if p.At(r)[j] <= c {
			low = append(low, r)
		} else {
			high = append(high, r)
		}
	}
	return low, high
}

// NaiveColumn returns the coordinates of rows in one dimension, sorted.
func NaiveColumn(p *equivclass.Pool, rows []int32, j int) []float32 {
	out := make([]float32, len(rows))
	for i, r := range rows {
		out[i] = p.At(r)[j]
	}
	slices.Sort(out)
	return out
}

// NaiveFrequencies returns the different values of a sorted column and how many
// rows reach each of them.
func NaiveFrequencies(col []float32) (values []float32, ppa []int) {
	for i, x := range col {
		if i == 0 || col[i-1] != x {
			values, ppa = append(values, x), append(ppa, 0)
		}
		ppa[len(ppa)-1]++
	}
	return values, ppa
}

// sorted brings classes into one order, so that only their content counts.
func Sorted(groups [][]int32) [][]int32 {
	out := slices.Clone(groups)
	for i := range out {
		out[i] = slices.Sorted(slices.Values(out[i]))
	}
	slices.SortFunc(out, func(a, b []int32) int { return slices.Compare(a, b) })
	return out
}
