package topdown

import (
	"anond/equivclass"
	"anond/equivclass/cut"
)

// WangMedian is the multi-dimensional k-anonymity of Wang, Xu and Sun
// ("Protecting Privacy by Multi-dimensional K-anonymity", section III) with the
// looser choice of the dividing point, the median.
//
// Guarantee: that of Partitioner; rows with equal coordinates and different
// subjects share a class.
//
// Method: take the dimensions in ascending order of information dependency
// (array DA) and cut at the median (eq. 7) of the first one that allows it;
// then do the same with both parts, computing DA again.
//
// Difference from the paper: for n odd, eq. 7 as printed averages the points
// (n+1)/2 and (n+2)/2, and the latter is no index. The text wants the left part
// one point larger, so the second is the point after the first, (n+3)/2. Points
// on the line go left (section III.B.c), so the cut is after the value of the
// (n+1)/2-th or n/2-th smallest point.
//
// Cost: expected n log n x D.
type WangMedian struct{}

// Name returns wang-median.
func (WangMedian) Name() string { return "wang-median" }

// Partition implements Partitioner.
func (WangMedian) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	judge, s := cut.NewJudge(p, want), newWangSelector(p, want.K)
	ranks := make([]int32, p.Len())
	halve := func(rows []int32) int {
		for _, j := range s.order(rows) {
			if s.dims[j].pro < 2 {
				continue
			}
			left := splitRank(rows, s.m.rank[j], medianRank(rows, s.m.rank[j], ranks))
			if judge.Holds(rows[:left]) && judge.Holds(rows[left:]) {
				return left
			}
		}
		return 0
	}
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) { return cut.TopDown(rows, judge, halve) })
}

// medianRank returns the rank of the value after which eq. 7 cuts.
func medianRank(rows, rank, scratch []int32) int32 {
	values := scratch[:len(rows)]
	for i, r := range rows {
		values[i] = rank[r]
	}
	return cut.Nth(values, (len(values)-1)/2)
}
