package equivclass

import "math"

// MondrianRelaxed is relaxed multidimensional partitioning (LeFevre, DeWitt and
// Ramakrishnan, ICDE 2006, section 3): rows that share the median may go to
// either side, so every cut is into halves that differ by one row at most, and
// the regions of classes may overlap.
//
// Guarantee: that of Partitioner; with k alone every class has k to 2k-1 rows.
// Method: that of Mondrian, halves by coordinate and then by row number.
// Dimensions in which all rows agree are tried last, so that equal rows are
// divided too. Cost: expected n log n x D.
type MondrianRelaxed struct{}

// Name returns mondrian-relaxed.
func (MondrianRelaxed) Name() string { return "mondrian-relaxed" }

// Partition implements Partitioner.
func (MondrianRelaxed) Partition(p *Pool, want Requirement) (groups [][]int32, rest []int32) {
	m := newMondrianCutter(p, want)
	keys := make([]uint64, p.Len())
	return bySubject(p, func(rows []int32) ([][]int32, []int32) {
		return topDown(rows, m.judge, func(rows []int32) int { return relaxedCut(m, rows, keys[:len(rows)]) })
	})
}

func relaxedCut(m *mondrianCutter, rows []int32, keys []uint64) int {
	half := (len(rows) + 1) / 2
	for _, j := range m.widest(rows) {
		d := m.p.D()
		for i, r := range rows {
			keys[i] = orderedBits(m.p.X[int(r)*d+j])<<32 | uint64(uint32(r))
		}
		nth(keys, half)
		for i, k := range keys {
			rows[i] = int32(uint32(k))
		}
		if m.judge.holds(rows[:half]) && m.judge.holds(rows[half:]) {
			return half
		}
		if m.width(j) == 0 {
			return 0 // the halves by row number are the same in every such dimension
		}
	}
	return 0
}

// orderedBits maps floats to integers in the same order.
func orderedBits(x float32) uint64 {
	b := math.Float32bits(x + 0) // -0 and 0 are one coordinate
	if b>>31 != 0 {
		return uint64(^b)
	}
	return uint64(b | 1<<31)
}
