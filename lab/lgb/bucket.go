package lgb

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// localBuckets cuts the given records into local buckets of one attribute (Li,
// He and Sun, Algorithm 2): column has the attribute's value of each record,
// order the rank of each value.
//
// Guarantee: every bucket has at least l records and no value twice; the
// buckets are disjoint and contain all rows. If one value has more than 1/l of
// the rows this is impossible, and the result is nil. The bags of the buckets
// are a function of the bag of the rows. Which bucket a record is in is a
// function of its value and of draws from src alone: the records of one value
// are assigned in random order, so that a bucket reveals neither their QI nor
// their place in the table (promise K1; rule F, forbidden: row order that
// follows insertion).
//
// Method: cut at the median value, values up to and including it to one side,
// as long as both sides are l-eligible, so that buckets span few values; then
// assign the records of each part to buckets (uniqueBuckets). An empty side
// counts as not eligible; otherwise a part of one value would be cut endlessly.
//
// Difference from the paper: its figure 4 shows {24, 31} and {29, 34} for the
// ages of its example at l=2. That is a locally bucketized table, but not the
// result of its Algorithm 2: the median 29 cuts {24, 29} from {31, 34}, which
// is closer.
//
// Cost: n log n.
func localBuckets(column []equivclass.Code, order []int32, rows []int32, l int, src equivclass.Source) [][]int32 {
	b := newLocalBucketer(column, order, rows, max(l, 1))
	if !b.eligible(0, len(b.values)) || len(rows) == 0 {
		return nil
	}
	for _, v := range b.values {
		cut.Shuffle(v.rows, src)
	}
	b.cut(0, len(b.values))
	return b.out
}

// localBucketer holds the rows in ascending order of value, equals by number.
type localBucketer struct {
	l      int
	values []valueList // by rank
	starts []int       // rows before each value, and after the last
	out    [][]int32
}

func newLocalBucketer(column []equivclass.Code, order, rows []int32, l int) *localBucketer {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b int32) int {
		return cmp.Or(cmp.Compare(order[column[a]], order[column[b]]), cmp.Compare(a, b))
	})
	b := &localBucketer{l: l}
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && column[sorted[to]] == column[sorted[from]] {
			to++
		}
		b.values = append(b.values, valueList{value: len(b.values), rows: sorted[from:to]})
		b.starts = append(b.starts, from)
		from = to
	}
	b.starts = append(b.starts, len(sorted))
	return b
}

// eligible is check_condition for the values lo to hi-1.
func (b *localBucketer) eligible(lo, hi int) bool {
	most := 0
	for _, v := range b.values[lo:hi] {
		most = max(most, len(v.rows))
	}
	return most*b.l <= b.starts[hi]-b.starts[lo]
}

// cut divides the values lo to hi-1. The depth is at most log2 n: a side has
// more than half of the rows only through the rows of the median value, and a
// part in which those are the most is not cut further.
func (b *localBucketer) cut(lo, hi int) {
	mid := b.afterMedian(lo, hi)
	if mid < hi && b.eligible(lo, mid) && b.eligible(mid, hi) {
		b.cut(lo, mid)
		b.cut(mid, hi)
		return
	}
	lists := make([][]int32, 0, hi-lo)
	for _, v := range b.values[lo:hi] {
		lists = append(lists, v.rows)
	}
	buckets, _ := uniqueBuckets(lists, b.l)
	b.out = append(b.out, buckets...)
}

// afterMedian returns the number of the value after the lower median of the rows.
func (b *localBucketer) afterMedian(lo, hi int) int {
	half := b.starts[lo] + (b.starts[hi]-b.starts[lo]+1)/2
	at, _ := slices.BinarySearch(b.starts[lo:hi+1], half)
	return lo + at
}
