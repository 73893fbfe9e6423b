package attacker

import (
	"slices"
)

// cuts is what Mondrian tells. At each step it tries the median of one dimension
// after the other, the widest first. A cut that would have left both sides large
// enough, and was not made, says that on one of the sides some value is too
// frequent. Whether a cut was made is public: then every class lies on one side of
// it, and if it was refused, some class does not, since the union of classes that
// are diverse is diverse.
type cuts struct {
	p       *publicView
	refused []refusal
	of      [][]int32 // by class: refusals above it
	side    [][]uint8 // by row: its side in each of them
}

// refusal is a cut that was not made.
type refusal struct {
	limit  [2]int32   // how often a value may occur on a side
	counts [2][]int32 // by side and value, in the world that is followed
	over   int        // values that occur more often on their side
	rows   [2][]int32
}

func cutRules(p *publicView) func() rules {
	x := &cuts{p: p, of: make([][]int32, len(p.classes)), side: make([][]uint8, len(p.class))}
	nodes := [][]int32{make([]int32, len(p.classes))}
	for c := range nodes[0] {
		nodes[0][c] = int32(c)
	}
	for len(nodes) > 0 {
		node := nodes[len(nodes)-1]
		nodes = append(nodes[:len(nodes)-1], x.follow(node)...)
	}
	return func() rules { return x.copied() }
}

// follow repeats what Mondrian did with a set of classes: it notes the cuts that
// it refused, and returns the two sides of the one it made, if there is one.
func (x *cuts) follow(node []int32) [][]int32 {
	var rows []int32
	for _, c := range node {
		rows = append(rows, x.p.classes[c]...)
	}
	least := max(x.p.k, x.p.l, 1)
	if len(rows) < 2*least {
		return nil
	}
	for _, j := range x.widest(rows) {
		at := x.median(rows, j)
		sides := [2][]int32{}
		for _, r := range rows {
			if x.coord(r, j) <= at {
				sides[0] = append(sides[0], r)
			} else {
				sides[1] = append(sides[1], r)
			}
		}
		if low, high, made := x.divide(node, j, at); made {
			return [][]int32{low, high}
		}
		if len(sides[0]) >= least && len(sides[1]) >= least {
			x.refuse(node, sides)
		}
	}
	return nil
}

func (x *cuts) coord(r int32, j int) float32 {
	return x.p.points.X[int(r)*len(x.p.points.Space.Dims)+j]
}

// widest lists the dimensions in which rows differ, the widest first.
func (x *cuts) widest(rows []int32) (dims []int) {
	width := make([]float32, len(x.p.points.Space.Dims))
	for j := range width {
		lo, hi := x.coord(rows[0], j), x.coord(rows[0], j)
		for _, r := range rows {
			lo, hi = min(lo, x.coord(r, j)), max(hi, x.coord(r, j))
		}
		if width[j] = hi - lo; width[j] > 0 {
			dims = append(dims, j)
		}
	}
	slices.SortStableFunc(dims, func(a, b int) int {
		switch {
		case width[a] > width[b]:
			return -1
		case width[a] < width[b]:
			return 1
		}
		return 0
	})
	return dims
}

// median is the smallest coordinate that half of the rows do not exceed.
func (x *cuts) median(rows []int32, j int) float32 {
	all := make([]float32, len(rows))
	for i, r := range rows {
		all[i] = x.coord(r, j)
	}
	slices.Sort(all)
	return all[len(all)/2-1]
}

// divide divides classes at a cut; made is false if a class lies on both sides, or
// all on one.
func (x *cuts) divide(node []int32, j int, at float32) (low, high []int32, made bool) {
	for _, c := range node {
		rows := x.p.classes[c]
		below := x.coord(rows[0], j) <= at
		for _, r := range rows {
			if (x.coord(r, j) <= at) != below {
				return nil, nil, false
			}
		}
		if below {
			low = append(low, c)
		} else {
			high = append(high, c)
		}
	}
	return low, high, len(low) > 0 && len(high) > 0
}

func (x *cuts) refuse(node []int32, sides [2][]int32) {
	f := refusal{rows: sides}
	for s, rows := range sides {
		f.limit[s] = int32(len(rows) / x.p.l)
		for _, r := range rows {
			x.side[r] = append(x.side[r], uint8(s))
		}
	}
	for _, c := range node {
		x.of[c] = append(x.of[c], int32(len(x.refused)))
	}
	x.refused = append(x.refused, f)
}

// copied has counts of its own.
func (x *cuts) copied() *cuts {
	out := *x
	out.refused = slices.Clone(x.refused)
	for i := range out.refused {
		out.refused[i].counts = [2][]int32{make([]int32, x.p.values), make([]int32, x.p.values)}
	}
	return &out
}

// Conditions implements Rules.
func (x *cuts) Conditions() int { return len(x.refused) }

// Broken implements Rules.
func (x *cuts) Broken(w world) (n int) {
	for i := range x.refused {
		f := &x.refused[i]
		f.over = 0
		for s, rows := range f.rows {
			clear(f.counts[s])
			for _, r := range rows {
				f.counts[s][w[r]]++
			}
			for _, c := range f.counts[s] {
				if c > f.limit[s] {
					f.over++
				}
			}
		}
		if f.over == 0 {
			n++
		}
	}
	return n
}

// Change implements Rules. Rows of one class have the same refusals above them.
func (x *cuts) Change(w world, i, j int32) (more int) {
	a, b := w[i], w[j]
	for at, f := range x.of[x.p.class[i]] {
		s, t := x.side[i][at], x.side[j][at]
		if s == t {
			continue
		}
		f := &x.refused[f]
		over := f.over + f.leaves(s, a) + f.joins(s, b) + f.leaves(t, b) + f.joins(t, a)
		if f.over > 0 && over == 0 {
			more++
		} else if f.over == 0 && over > 0 {
			more--
		}
	}
	return more
}

// leaves is the change of over if one v leaves a side.
func (f *refusal) leaves(s uint8, v value) int {
	if f.counts[s][v] == f.limit[s]+1 {
		return -1
	}
	return 0
}

// joins is the change of over if one v joins a side.
func (f *refusal) joins(s uint8, v value) int {
	if f.counts[s][v] == f.limit[s] {
		return 1
	}
	return 0
}

// Exchanged implements Rules: afterwards row i has w[i], which j had before.
func (x *cuts) Exchanged(w world, i, j int32) {
	a, b := w[j], w[i]
	for at, f := range x.of[x.p.class[i]] {
		s, t := x.side[i][at], x.side[j][at]
		if s == t {
			continue
		}
		f := &x.refused[f]
		f.over += f.leaves(s, a) + f.joins(s, b) + f.leaves(t, b) + f.joins(t, a)
		f.counts[s][a]--
		f.counts[s][b]++
		f.counts[t][b]--
		f.counts[t][a]++
	}
}
