package topdown

import (
	"anond/equivclass"
	"anond/equivclass/cut"
)

// Mondrian is strict multidimensional partitioning (LeFevre, DeWitt and
// Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006).
//
// Guarantee: that of Partitioner. In addition, records with equal coordinates
// and different subjects share a class.
//
// Method: cut at the median of the dimension in which the rows span the widest
// part of the known domain, rows up to and including the median to one side,
// the greater ones to the other. If a side would break the requirement, the
// next widest dimension is tried; if none allows a cut, the rows are a class.
//
// Cost: expected n log n x D.
type Mondrian struct{}

// Name returns mondrian.
func (Mondrian) Name() string { return "mondrian" }

// Partition implements Partitioner.
func (Mondrian) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	m := cut.NewMedianCutter(p, want)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		return cut.TopDown(rows, m.Judge, m.Strict)
	})
}
