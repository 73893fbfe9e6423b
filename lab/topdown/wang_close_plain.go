package topdown

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// plainCloseK is close-k, executed step by step as section III of the paper
// describes it: for each cut, all rows of the set are mapped to every dimension
// again (Pro and PPA, section III.B.d), the dimensions are ordered by their
// dependency, and the rows are sorted by the first one that allows a cut.
//
// With k alone the classes are those of the stored counts, in another order. With
// more, a dimension that allowed no cut is asked again at every step, so classes
// may differ. Pro is counted, not computed with the n x n matrix of eq. 2, which
// would cost n^3/k.
//
// Cost: n^2/k x D with k alone, because each of n/k steps scans all rows left;
// less if many rows share a value, because such a step takes off many rows.
func plainCloseK(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	c := &plainCutter{closeCutter: closeCutter{judge: cut.NewJudge(p, want), selector: newWangSelector(p, want.K)},
		sorted: make([]int32, p.Len())}
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !c.judge.Holds(rows) {
			return nil, rows
		}
		c.groups = nil
		c.run(rows)
		return c.groups, nil
	})
}

// plainCutter shares the last step of eq. 8 with closeCutter.
type plainCutter struct {
	closeCutter
	sorted []int32 // scratch of sortBy
}

func (c *plainCutter) run(rows []int32) {
	stack := [][]int32{rows}
	for len(stack) > 0 {
		rows := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.last(len(rows)) {
			c.lastStep(rows)
			continue
		}
		at := c.smallerPart(rows)
		if at == 0 {
			c.keep(slices.Clone(rows))
			continue
		}
		stack = append(stack, rows[at:], rows[:at])
	}
}

// smallerPart sorts rows by the first dimension of DA that allows a cut and
// returns where to cut: after d_pre or before d_fin, whichever takes fewer rows
// (eq. 8); 0 if no dimension allows a cut.
func (c *plainCutter) smallerPart(rows []int32) int {
	for _, j := range c.selector.order(rows) {
		if c.selector.dims[j].pro < 2 {
			continue
		}
		c.sortBy(j, rows)
		pre, fin := 1, len(rows)-1
		for ; pre < len(rows) && !c.mayCutAt(j, rows, pre); pre++ {
		}
		if pre == len(rows) {
			continue
		}
		for ; !c.mayCutAt(j, rows, fin); fin-- {
		}
		if len(rows)-fin < pre {
			return fin
		}
		return pre
	}
	return 0
}

// mayCutAt reports whether sorted rows may be cut before the i-th one.
func (c *plainCutter) mayCutAt(j int, rows []int32, i int) bool {
	rank := c.selector.m.rank[j]
	return rank[rows[i-1]] != rank[rows[i]] && c.judge.Holds(rows[:i]) && c.judge.Holds(rows[i:])
}

// sortBy sorts rows by their value in dimension j. Cost: len(rows) and the
// values of the pool.
func (c *plainCutter) sortBy(j int, rows []int32) {
	counts, rank := c.selector.counts[j], c.selector.m.rank[j]
	for _, r := range rows {
		counts[rank[r]]++
	}
	next := int32(0)
	for v, n := range counts {
		counts[v], next = next, next+n
	}
	sorted := c.sorted[:len(rows)]
	for _, r := range rows {
		sorted[counts[rank[r]]] = r
		counts[rank[r]]++
	}
	copy(rows, sorted)
	clear(counts)
}
