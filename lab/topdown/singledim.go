package topdown

import (
	"container/heap"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// SingleDimensional is single-dimensional partitioning: each dimension is cut
// into intervals on its own, and a class consists of the rows in the same
// interval of every dimension. A value is therefore generalized to the same
// interval in the whole table (LeFevre, DeWitt and Ramakrishnan, ICDE 2006,
// definition 4; the "Single" of Wang, Xu and Sun's figures, who cite Bayardo
// and Agrawal).
//
// Guarantee: that of Partitioner; rows with equal coordinates and different
// subjects share a class.
//
// Method: greedy, because the papers' exhaustive search is exponential. Start
// with one interval for each dimension. Take the widest interval, find every
// place at which it may be cut without any class breaking the requirement, and
// cut at the one nearest to its median. An interval that allows no cut is
// final, because later cuts only make classes smaller (exact for k and
// frequency l, and for every principle that the union of two classes inherits
// from them).
//
// Cost: n log^2 n x D, because all places of an interval are found in one pass
// over its rows sorted by class and value.
type SingleDimensional struct{}

// Name returns single-dimensional.
func (SingleDimensional) Name() string { return "single-dimensional" }

// Partition implements Partitioner.
func (SingleDimensional) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	judge, m := cut.NewJudge(p, want), mapValues(p)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !judge.Holds(rows) {
			return nil, rows
		}
		g := newGrid(p, judge, m, rows)
		for g.queue.Len() > 0 {
			g.cut(heap.Pop(&g.queue).(*interval))
		}
		return g.classes(rows), nil
	})
}

// interval is a part of one dimension, with all rows in it.
type interval struct {
	dim    int
	lo, hi float32 // scaled coordinates of its rows
	rows   []int32
}

// intervals is a heap: the widest first, then the lowest dimension and start.
type intervals []*interval

func (q intervals) Len() int      { return len(q) }
func (q intervals) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q intervals) Less(i, j int) bool {
	a, b := q[i], q[j]
	switch wa, wb := a.hi-a.lo, b.hi-b.lo; {
	case wa != wb:
		return wa > wb
	case a.dim != b.dim:
		return a.dim < b.dim
	default:
		return a.lo < b.lo
	}
}
func (q *intervals) Push(x any) { *q = append(*q, x.(*interval)) }
func (q *intervals) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// grid is the product of the intervals; its non-empty cells are the classes.
type grid struct {
	p     *equivclass.Pool
	judge *cut.Judge
	m     *valueMap
	queue intervals
	cell  []int32 // by row
	cells int32
	keys  []cellKey // scratch of place
	left  []int32   // scratch of cellCuts
	right []int32
}

func newGrid(p *equivclass.Pool, judge *cut.Judge, m *valueMap, rows []int32) *grid {
	g := &grid{p: p, judge: judge, m: m, cell: make([]int32, p.Len()), cells: 1}
	g.left, g.right = make([]int32, len(judge.Codes)), make([]int32, len(judge.Codes))
	for j := range p.D() {
		g.offer(j, slices.Clone(rows))
	}
	return g
}

// offer queues an interval unless all its rows agree.
func (g *grid) offer(j int, rows []int32) {
	v := &interval{dim: j, rows: rows}
	d := g.p.D()
	v.lo, v.hi = g.p.X[int(rows[0])*d+j], g.p.X[int(rows[0])*d+j]
	for _, r := range rows {
		x := g.p.X[int(r)*d+j]
		v.lo, v.hi = min(v.lo, x), max(v.hi, x)
	}
	if v.lo < v.hi {
		heap.Push(&g.queue, v)
	}
}

// cut divides an interval, and every class in it, if there is an allowed place.
func (g *grid) cut(v *interval) {
	rank := g.m.rank[v.dim]
	c, ok := g.place(v.rows, rank)
	if !ok {
		return
	}
	left := splitRank(v.rows, rank, c)
	fresh := make(map[int32]int32) // a class that is cut keeps its number below
	for _, r := range v.rows[:left] {
		fresh[g.cell[r]] = -1
	}
	for _, r := range v.rows[left:] {
		to, both := fresh[g.cell[r]]
		if !both {
			continue
		}
		if to < 0 {
			to = g.cells
			fresh[g.cell[r]] = to
			g.cells++
		}
		g.cell[r] = to
	}
	g.offer(v.dim, v.rows[:left:left])
	g.offer(v.dim, v.rows[left:])
}

// place returns the rank after which to cut: of the allowed ranks the one that
// divides the rows most evenly, of equals the lowest.
func (g *grid) place(rows, rank []int32) (int32, bool) {
	lo, hi := rank[rows[0]], rank[rows[0]]
	for _, r := range rows {
		lo, hi = min(lo, rank[r]), max(hi, rank[r])
	}
	forbidden := make([]int32, hi-lo+1) // differences: +1 where a run of forbidden places starts, -1 behind it
	count := make([]int32, hi-lo+1)
	g.byCell(rows, rank)
	for from := 0; from < len(g.keys); {
		to := from + 1
		for to < len(g.keys) && g.keys[to].cell == g.keys[from].cell {
			to++
		}
		g.cellCuts(from, to, lo, forbidden)
		from = to
	}
	for _, r := range rows {
		count[rank[r]-lo]++
	}
	return evenest(count, forbidden, len(rows), lo)
}

func evenest(count, forbidden []int32, n int, lo int32) (int32, bool) {
	best, distance := int32(0), n+1
	below, closed := 0, int32(0)
	for i := range count[:len(count)-1] {
		below += int(count[i])
		closed += forbidden[i]
		if closed > 0 || count[i] == 0 {
			continue
		}
		if d := max(2*below-n, n-2*below); d < distance {
			best, distance = lo+int32(i), d
		}
	}
	return best, distance <= n
}

// cellKey is a row of an interval, to be sorted by class and value.
type cellKey struct{ cell, rank, row int32 }

func (g *grid) byCell(rows, rank []int32) {
	g.keys = g.keys[:0]
	for _, r := range rows {
		g.keys = append(g.keys, cellKey{g.cell[r], rank[r], r})
	}
	slices.SortFunc(g.keys, func(a, b cellKey) int {
		switch {
		case a.cell != b.cell:
			return int(a.cell - b.cell)
		case a.rank != b.rank:
			return int(a.rank - b.rank)
		default:
			return int(a.row - b.row)
		}
	})
}

// cellCuts notes the places at which cutting one class, keys[from:to], would
// leave a part that breaks the requirement. All places between two neighbouring
// values of the class cut it in the same way; below its first value and above
// its last one it stays whole.
func (g *grid) cellCuts(from, to int, lo int32, forbidden []int32) {
	if !g.judge.OnlyK() {
		clear(g.left)
		clear(g.right)
		for _, k := range g.keys[from:to] {
			g.right[g.judge.Sa[k.row]]++
		}
	}
	for i := from; i < to-1; i++ {
		here, next := g.keys[i], g.keys[i+1]
		if !g.judge.OnlyK() {
			g.left[g.judge.Sa[here.row]]++
			g.right[g.judge.Sa[here.row]]--
		}
		if here.rank != next.rank && !g.partsHold(i+1-from, to-i-1) {
			forbidden[here.rank-lo]++
			forbidden[next.rank-lo]--
		}
	}
}

func (g *grid) partsHold(left, right int) bool {
	if g.judge.OnlyK() {
		return min(left, right) >= g.judge.Minimum()
	}
	return g.judge.CountsHold(g.left, left) && g.judge.CountsHold(g.right, right)
}

// classes returns the rows of each cell, in order of their first row.
func (g *grid) classes(rows []int32) [][]int32 {
	number := make([]int32, g.cells)
	var out [][]int32
	for _, r := range rows {
		c := g.cell[r]
		if number[c] == 0 {
			out = append(out, nil)
			number[c] = int32(len(out))
		}
		out[number[c]-1] = append(out[number[c]-1], r)
	}
	return out
}
