package equivclass

import "slices"

// Mondrian is strict multidimensional partitioning (LeFevre, DeWitt and
// Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006).
//
// Guarantee: that of Partitioner; besides, records with equal coordinates and
// different subjects share a class.
// Method: cut at the median of the dimension in which the rows span the widest
// part of the known domain, rows up to and including the median to one side,
// the greater ones to the other. If a side would break the requirement the next
// widest dimension is tried; if none allows a cut, the rows are a class.
// Cost: expected n log n x D.
type Mondrian struct{}

// Name returns mondrian.
func (Mondrian) Name() string { return "mondrian" }

// Partition implements Partitioner.
func (Mondrian) Partition(p *Pool, want Requirement) (groups [][]int32, rest []int32) {
	m := newMondrianCutter(p, want)
	return bySubject(p, func(rows []int32) ([][]int32, []int32) {
		return topDown(rows, m.judge, m.strict)
	})
}

// mondrianCutter is the scratch space of one run.
type mondrianCutter struct {
	p      *Pool
	judge  *cutJudge
	box    Box
	dims   []int
	values []float32
}

func newMondrianCutter(p *Pool, want Requirement) *mondrianCutter {
	return &mondrianCutter{p: p, judge: newCutJudge(p, want), box: NewBox(p.D()), dims: make([]int, p.D()), values: make([]float32, p.Len())}
}

// widest orders the dimensions by the width of the rows' box, widest first,
// equals by their number. The box stays filled.
func (m *mondrianCutter) widest(rows []int32) []int {
	m.p.Box(rows, m.box)
	for j := range m.dims {
		m.dims[j] = j
	}
	slices.SortStableFunc(m.dims, func(a, b int) int {
		switch wa, wb := m.width(a), m.width(b); {
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

func (m *mondrianCutter) width(j int) float32 { return m.box.Hi[j] - m.box.Lo[j] }

// strict cuts rows at the median of the first dimension that allows it.
func (m *mondrianCutter) strict(rows []int32) int {
	for _, j := range m.widest(rows) {
		if m.width(j) == 0 {
			return 0
		}
		if left := m.cutAt(rows, j, m.median(rows, j)); left > 0 {
			return left
		}
	}
	return 0
}

// cutAt divides rows at c and returns the size of the lower side, 0 if a side
// would break the requirement.
func (m *mondrianCutter) cutAt(rows []int32, j int, c float32) int {
	left := splitAt(m.p, rows, j, c)
	if m.judge.holds(rows[:left]) && m.judge.holds(rows[left:]) {
		return left
	}
	return 0
}

// median returns the lower median of at least two rows: the smallest
// coordinate that half of them, rounded down, do not exceed.
func (m *mondrianCutter) median(rows []int32, j int) float32 {
	d, values := m.p.D(), m.values[:len(rows)]
	for i, r := range rows {
		values[i] = m.p.X[int(r)*d+j]
	}
	return nth(values, len(values)/2-1)
}
