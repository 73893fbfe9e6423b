package topdown

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// Multi is multidimensional recoding for p-sensitive k-anonymity, the algorithm
// that Sun et al. compare with as Multi(p,k): Mondrian (LeFevre, DeWitt and
// Ramakrishnan, ICDE 2006) with taxonomies.
//
// Guarantee: that of Partitioner, and every class has at least P different
// sensitive values.
//
// Method: a class is cut in the dimension in which its cell is widest: a number
// (and a set, by code) at the median as in strict Mondrian, a hierarchy into
// the children of the class's lowest common ancestor. If a part would break the
// requirement, the cut is not made and the next widest dimension is tried.
//
// Cost: expected n log n x D.
type Multi struct{ P int }

// Name returns multi.
func (Multi) Name() string { return "multi" }

// Partition implements Partitioner.
func (m Multi) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	want = sensitiveTo(want, m.P)
	c := &multiCutter{cut.NewMedianCutter(p, want)}
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !c.Judge.Holds(rows) {
			return nil, rows
		}
		return c.run(rows), nil
	})
}

type multiCutter struct{ *cut.MedianCutter }

func (m *multiCutter) run(rows []int32) (out [][]int32) {
	stack := [][]int32{rows}
	for len(stack) > 0 {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		parts := m.cut(node)
		if parts == nil {
			slices.Sort(node)
			out = append(out, node[:len(node):len(node)])
			continue
		}
		slices.Reverse(parts)
		stack = append(stack, parts...)
	}
	return out
}

// cut returns the parts of the first allowed cut, nil if there is none.
func (m *multiCutter) cut(rows []int32) [][]int32 {
	if len(rows) < 2*m.Judge.Minimum() {
		return nil
	}
	loss := make([]float32, m.P.D())
	dims := cut.Identity(m.P.D())
	for j := range loss {
		loss[j] = m.P.DimLoss(j, rows)
	}
	slices.SortStableFunc(dims, func(a, b int32) int { return cmp.Compare(loss[b], loss[a]) })
	for _, j := range dims {
		if loss[j] == 0 {
			return nil
		}
		if parts := m.cutDim(rows, int(j)); parts != nil {
			return parts
		}
	}
	return nil
}

func (m *multiCutter) cutDim(rows []int32, j int) [][]int32 {
	if m.P.Space.Dims[j].Kind == equivclass.Tree {
		return m.cutTree(rows, j)
	}
	if left := m.CutAt(rows, j, m.Median(rows, j)); left > 0 {
		return [][]int32{rows[:left], rows[left:]}
	}
	return nil
}

// cutTree cuts rows into the children of their lowest common ancestor.
func (m *multiCutter) cutTree(rows []int32, j int) [][]int32 {
	d, dim := m.P.D(), &m.P.Space.Dims[j]
	codes := make([]equivclass.Code, len(rows))
	for i, r := range rows {
		codes[i] = dim.Code(m.P.X[int(r)*d+j])
	}
	top := dim.Tree.LCA(slices.Min(codes), slices.Max(codes))
	byChild, order := map[int][]int32{}, []int(nil)
	for i, r := range rows {
		child := int(codes[i])
		for dim.Tree.Parent(child) != top {
			child = dim.Tree.Parent(child)
		}
		if byChild[child] == nil {
			order = append(order, child)
		}
		byChild[child] = append(byChild[child], r)
	}
	slices.Sort(order)
	var parts [][]int32
	for _, child := range order {
		if !m.Judge.Holds(byChild[child]) {
			return nil
		}
		parts = append(parts, byChild[child])
	}
	return parts
}
