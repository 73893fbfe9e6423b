package sun

import (
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/lab/figures/dataset"
)

// columns is table XI of Sun et al. up to the seventh attribute, and the
// sensitive one. Age has ranges of 5, 10 and 20 years.
var columns = []dataset.Column{
	{Name: "age", Type: equivclass.Integer, Steps: []int64{5, 10, 20}},
	dataset.AdultTree("workclass"), dataset.AdultTree("education"), dataset.AdultTree("marital-status"),
	dataset.AdultTree("race"), dataset.AdultTree("sex"), dataset.AdultTree("native-country"), dataset.AdultTree("occupation"),
}

// setting is what one point of a figure is measured at; table XII.
type setting struct {
	d, qd, p, k, n int
	s              float64
}

// defaults is the bold values of table XII. The bold one of qd is lost; all d
// attributes are asked, as in the anatomy paper whose set-up this is.
var defaults = setting{d: 5, qd: 5, p: 2, k: 20, n: 25000, s: 0.005}

// sample draws the setting's table: adult-d, n rows, the sensitive attribute last.
func (w setting) sample(adult *equivclass.Table, seed uint64) *equivclass.Table {
	return dataset.Shuffled(adult, w.n, seed).Columns(append(w.quasi(), len(adult.Dicts)-1)...)
}

func (w setting) quasi() []int {
	out := make([]int, w.d)
	for j := range out {
		out[j] = j
	}
	return out
}

func (w setting) queries(t *equivclass.Table, n int, seed uint64) []*query.Bound {
	return estimate.Sets(t.Dicts, w.quasi(), w.d, min(w.qd, w.d), w.s, n, rand.New(rand.NewPCG(seed, 3)))
}

// requirement is k and p, for methods that do not take p themselves.
func (w setting) requirement() equivclass.Requirement {
	return equivclass.Requirement{K: w.k, L: 1, Extra: []equivclass.Principle{equivclass.DistinctL{L: w.p}}}
}

// partition cuts the table. Nobody is left out: Adult as a whole has 14
// occupations, none held by a seventh.
func (w setting) partition(t *equivclass.Table, m equivclass.Partitioner) [][]int32 {
	groups, _ := m.Partition(t.Pool(w.quasi(), w.d), w.requirement())
	return groups
}

// publishAnatomy publishes groups as NSS and SS.
func publishAnatomy(t *equivclass.Table, groups [][]int32) *query.BlockRelease {
	d := len(t.Dicts)
	return query.NewBlockRelease(t.Dicts, t.Codes, groups, query.AnatomyBlocks(d, d-1))
}

// publishCells publishes groups as one generalized table.
func publishCells(t *equivclass.Table, groups [][]int32) *query.CellRelease {
	r := query.NewCellRelease(t.Dicts, t.Codes, groups, len(t.Dicts)-1)
	r.Grain = query.Grains(t.Dicts)
	return r
}

// publishFullDomain publishes groups with every attribute at one depth in the whole
// table, as Org(p,k) prints it: the depth of the widest cell. (That is the depth
// the search took: a deeper one with the same classes would have cost less.)
func publishFullDomain(t *equivclass.Table, groups [][]int32) *query.CellRelease {
	r := query.NewCellRelease(t.Dicts, t.Codes, groups, len(t.Dicts)-1)
	r.Grain = query.Grains(t.Dicts)
	for j, d := range t.Dicts[:len(t.Dicts)-1] {
		if d.Kind() == equivclass.Tree {
			liftNodes(r.Cells, j, d.Attribute().Hierarchy)
		} else {
			liftRanges(r.Cells, j, d.Attribute().Steps)
		}
	}
	return r
}

// liftNodes lifts an attribute's cells to the depth of the most general one.
func liftNodes(cells [][]query.Cell, j int, h *equivclass.Hierarchy) {
	depth := func(node int) int {
		n := 0
		for node = h.Parent(node); node >= 0; node = h.Parent(node) {
			n++
		}
		return n
	}
	top := depth(cells[0][j].Node)
	for _, c := range cells {
		top = min(top, depth(c[j].Node))
	}
	for _, c := range cells {
		for depth(c[j].Node) > top {
			c[j].Node = h.Parent(c[j].Node)
		}
	}
}

// liftRanges widens an attribute's ranges to the width of the widest one; wider
// than all steps is the whole domain.
func liftRanges(cells [][]query.Cell, j int, steps []int64) {
	lo, hi, width := cells[0][j].Lo, cells[0][j].Hi, 0.0
	for _, c := range cells {
		lo, hi, width = min(lo, c[j].Lo), max(hi, c[j].Hi), max(width, c[j].Hi-c[j].Lo)
	}
	for _, c := range cells {
		switch {
		case width == 0:
		case int64(width) >= steps[len(steps)-1]:
			c[j].Lo, c[j].Hi = lo, hi
		default: // [20,24] holds the values of a step of 5
			c[j].Lo = equivclass.FloorTo(c[j].Lo, width+1)
			c[j].Hi = c[j].Lo + width
		}
	}
}

// asPrinted is the statement that Sun et al. print for their tables: the rows of
// SS that satisfy the sensitive predicate, in groups of which some row of NSS
// satisfies the others. It counts a group whole as soon as one member matches.
func asPrinted(r *query.BlockRelease, q *query.Bound) float64 {
	sensitive := len(r.Dicts) - 1
	count := 0
	for g := 1; g < len(r.Start); g++ {
		matching, hits := false, 0
		for i := r.Start[g-1]; i < r.Start[g]; i++ {
			quasi := true
			for _, p := range q.Preds {
				match := p.Match[r.Codes[p.Attribute][i]]
				if p.Attribute == sensitive {
					if match {
						hits++
					}
				} else if !match {
					quasi = false
				}
			}
			matching = matching || quasi
		}
		if matching {
			count += hits
		}
	}
	return float64(count)
}
