package cut

import (
	"slices"

	"anond/equivclass"
)

// MedianCutter is the scratch space of one run.
type MedianCutter struct {
	P      *equivclass.Pool
	Judge  *Judge
	box    equivclass.Box
	dims   []int
	values []float32
}

// NewMedianCutter returns a cutter of the rows of a pool.
func NewMedianCutter(p *equivclass.Pool, want equivclass.Requirement) *MedianCutter {
	return &MedianCutter{P: p, Judge: NewJudge(p, want), box: equivclass.NewBox(p.D()), dims: make([]int, p.D()),
		values: make([]float32, p.Len())}
}

// Widest orders the dimensions by the width of the rows' box, widest first,
// equals by their number. The box stays filled.
func (m *MedianCutter) Widest(rows []int32) []int {
	m.P.Box(rows, m.box)
	for j := range m.dims {
		m.dims[j] = j
	}
	slices.SortStableFunc(m.dims, func(a, b int) int {
		switch wa, wb := m.Width(a), m.Width(b); {
		case wa > wb:
			return -1
		case wa < wb:
			return 1
		default:
			return 0
		}
	})
	return m.dims
}

// Width is the width of the box in dimension j.
func (m *MedianCutter) Width(j int) float32 { return m.box.Hi[j] - m.box.Lo[j] }

// Strict cuts rows at the median of the first dimension that allows it.
func (m *MedianCutter) Strict(rows []int32) int {
	for _, j := range m.Widest(rows) {
		if m.Width(j) == 0 {
			return 0
		}
		if left := m.CutAt(rows, j, m.Median(rows, j)); left > 0 {
			return left
		}
	}
	return 0
}

// CutAt divides rows at c and returns the size of the lower side, 0 if a side
// would break the requirement.
func (m *MedianCutter) CutAt(rows []int32, j int, c float32) int {
	left := splitAt(m.P, rows, j, c)
	if m.Judge.Holds(rows[:left]) && m.Judge.Holds(rows[left:]) {
		return left
	}
	return 0
}

// Median returns the lower median of at least two rows: the smallest
// coordinate that half of them, rounded down, do not exceed.
func (m *MedianCutter) Median(rows []int32, j int) float32 {
	d, values := m.P.D(), m.values[:len(rows)]
	for i, r := range rows {
		values[i] = m.P.X[int(r)*d+j]
	}
	return Nth(values, len(values)/2-1)
}

// Both is Strict that also tries the cut just below the median.
func (m *MedianCutter) Both(rows []int32) int {
	for _, j := range m.Widest(rows) {
		if m.Width(j) == 0 {
			return 0
		}
		c := m.Median(rows, j)
		if left := m.CutAt(rows, j, c); left > 0 {
			return left
		}
		if c == m.box.Lo[j] {
			continue
		}
		if left := m.CutAt(rows, j, m.below(rows, j, c)); left > 0 {
			return left
		}
	}
	return 0
}

// below returns the greatest coordinate smaller than c, which must exist.
func (m *MedianCutter) below(rows []int32, j int, c float32) float32 {
	d, best := m.P.D(), m.box.Lo[j]
	for _, r := range rows {
		if x := m.P.X[int(r)*d+j]; x < c {
			best = max(best, x)
		}
	}
	return best
}
