package lgb

import (
	"container/heap"
)

// uniqueBuckets assigns records to buckets of at least m records in which every
// value occurs at most once: the assignment algorithm of m-invariance (Xiao and
// Tao, SIGMOD 2007), by which Li, He and Sun divide sensitive values
// (divide_buckets of their Algorithm 2). lists holds the records of each
// value; the caller's slices are not changed.
//
// Guarantee: if no list is longer than 1/m of all records (m-eligible), the
// buckets are disjoint, hold all records, each has m records or more and no two
// of one list. Otherwise ok is false and there are no buckets.
//
// Method: as long as records are left, take the smallest number b >= m of most
// frequent values for which some a >= 1 records of each can leave and the
// remainder is still m-eligible; take the largest such a; they make a buckets
// of b records. With n records left and counts c1 >= c2 >= ... that is
//
//	a <= c_b,   m (c1 - a) <= n - a b,   m c_(b+1) <= n - a b.
//
// Such a b exists: let j values have the count c1. If j <= m, then c_(m+1) < c1
// and b = m allows a = 1, for m c_(m+1) <= m c1 - m <= n - m. If j > m, b = j
// allows it, for n >= j c1 gives m (c1 - 1) <= n - j. So b <= max(m, j).
//
// Cost: n log v for v values.
func uniqueBuckets(lists [][]int32, m int) (buckets [][]int32, ok bool) {
	d := newBucketAssigner(lists, max(m, 1))
	if !d.eligible() {
		return nil, false
	}
	for d.left > 0 {
		buckets = d.assign(buckets)
	}
	return buckets, true
}

// bucketAssigner has the values still to be assigned, the most frequent first.
type bucketAssigner struct {
	m, left int
	queue   valueQueue
	taken   []valueList
}

// valueList is the records of one value that are not assigned yet.
type valueList struct {
	value int // its number in lists, which breaks ties
	rows  []int32
}

// valueQueue is a heap: the longest list first, equals by value number.
type valueQueue []valueList

func (q valueQueue) Len() int      { return len(q) }
func (q valueQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q valueQueue) Less(i, j int) bool {
	if len(q[i].rows) != len(q[j].rows) {
		return len(q[i].rows) > len(q[j].rows)
	}
	return q[i].value < q[j].value
}
func (q *valueQueue) Push(x any) { *q = append(*q, x.(valueList)) }
func (q *valueQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newBucketAssigner(lists [][]int32, m int) *bucketAssigner {
	d := &bucketAssigner{m: m}
	for v, rows := range lists {
		if len(rows) > 0 {
			d.queue = append(d.queue, valueList{v, rows})
			d.left += len(rows)
		}
	}
	heap.Init(&d.queue)
	return d
}

func (d *bucketAssigner) eligible() bool { return d.left == 0 || len(d.queue[0].rows)*d.m <= d.left }

// next is the count of the most frequent value that is not taken.
func (d *bucketAssigner) next() int {
	if len(d.queue) == 0 {
		return 0
	}
	return len(d.queue[0].rows)
}

// assign takes values until some number of records of each may leave, and
// appends the buckets that these records make.
func (d *bucketAssigner) assign(buckets [][]int32) [][]int32 {
	d.taken = d.taken[:0]
	copies := 0
	for copies < 1 {
		d.taken = append(d.taken, heap.Pop(&d.queue).(valueList))
		if len(d.taken) >= d.m {
			copies = d.copies()
		}
	}
	for i := range copies {
		bucket := make([]int32, len(d.taken))
		for j, t := range d.taken {
			bucket[j] = t.rows[i]
		}
		buckets = append(buckets, bucket)
	}
	for _, t := range d.taken {
		if t.rows = t.rows[copies:]; len(t.rows) > 0 {
			heap.Push(&d.queue, t)
		}
	}
	d.left -= copies * len(d.taken)
	return buckets
}

// copies returns the largest a for the values taken, 0 if there is none.
func (d *bucketAssigner) copies() int {
	b, first, last := len(d.taken), len(d.taken[0].rows), len(d.taken[len(d.taken)-1].rows)
	a := min(last, (d.left-d.m*d.next())/b)
	if b > d.m { // m (c1 - a) <= n - a b; for b = m it is m c1 <= n, which holds
		a = min(a, (d.left-d.m*first)/(b-d.m))
	}
	return max(a, 0)
}
