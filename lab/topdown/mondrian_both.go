package topdown

import (
	"anond/equivclass"
	"anond/equivclass/cut"
)

// MondrianBoth is strict Mondrian that also tries the cut just below the
// median. Where many rows share the median, the side up to the median may have
// nearly all rows, and the only other cut in that region is the one before the
// median.
//
// It is ours, an alternative to the faithful version: on Adult at k=5 it halves
// the loss of Mondrian (TestMondrianBothBeatsMondrian). Where l decides and not
// k (k=10, l=5 on Adult), more early cuts can prevent better ones later, so
// compare before choosing it.
//
// Guarantee: that of Mondrian.
// Cost: that of Mondrian.
type MondrianBoth struct{}

// Name returns mondrian-both.
func (MondrianBoth) Name() string { return "mondrian-both" }

// Partition implements Partitioner.
func (MondrianBoth) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	m := cut.NewMedianCutter(p, want)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		return cut.TopDown(rows, m.Judge, m.Both)
	})
}
