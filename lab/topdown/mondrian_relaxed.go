package topdown

import (
	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// MondrianRelaxed is relaxed multidimensional partitioning (LeFevre, DeWitt and
// Ramakrishnan, ICDE 2006, section 3): rows that share the median may go to
// either side, so every cut makes halves that differ by at most one row, and
// the regions of classes may overlap.
//
// Guarantee: that of Partitioner; with k alone every class has k to 2k-1 rows.
//
// Method: that of Mondrian, with halves by coordinate and then by row number.
// Dimensions in which all rows agree are tried last, so that equal rows are
// divided too.
//
// Cost: expected n log n x D.
type MondrianRelaxed struct{}

// Name returns mondrian-relaxed.
func (MondrianRelaxed) Name() string { return "mondrian-relaxed" }

// Partition implements Partitioner.
func (MondrianRelaxed) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	m := cut.NewMedianCutter(p, want)
	keys := make([]uint64, p.Len())
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		return cut.TopDown(rows, m.Judge, func(rows []int32) int { return relaxedCut(m, rows, keys[:len(rows)]) })
	})
}

func relaxedCut(m *cut.MedianCutter, rows []int32, keys []uint64) int {
	half := (len(rows) + 1) / 2
	for _, j := range m.Widest(rows) {
		d := m.P.D()
		for i, r := range rows {
			keys[i] = split.OrderedBits(m.P.X[int(r)*d+j])<<32 | uint64(uint32(r))
		}
		cut.Nth(keys, half)
		for i, k := range keys {
			rows[i] = int32(uint32(k))
		}
		if m.Judge.Holds(rows[:half]) && m.Judge.Holds(rows[half:]) {
			return half
		}
		if m.Width(j) == 0 {
			return 0 // the halves by row number are the same in every such dimension
		}
	}
	return 0
}
