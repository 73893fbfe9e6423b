package equivclass

import (
	"fmt"
	"math"
	"slices"
)

// TClose is t-closeness (Li, Li and Venkatasubramanian, ICDE 2007): the earth
// mover's distance between the sensitive values of a class and those of the
// whole table is at most T.
//
// The union of two classes that satisfy it satisfies it too, because the
// distance is convex. So partitioners that stop where a cut breaks the
// requirement are exact.
type TClose struct {
	T         float64
	Reference Bag // empty: not known yet (Requirement.WithReference)
	Ground    Ground
	Declared  bool // the reference is declared, not made of records
}

// Name returns t-close(t,ground).
func (p TClose) Name() string { return fmt.Sprintf("t-close(%g,%s)", p.T, p.Ground.Name()) }

// Holds reports distance <= T, with a margin of 1e-9 for rounding.
func (p TClose) Holds(b Bag) bool {
	return b.Total > 0 && p.Ground.Distance(b, p.Reference) <= p.T+1e-9
}

// Ground is a ground distance between sensitive values, in [0,1].
type Ground interface {
	Name() string
	// Distance returns the earth mover's distance, in [0,1], of the shares of the
	// values of two bags, neither of them empty. A value that the reference lacks
	// counts as having share 0 there.
	Distance(class, reference Bag) float64
}

// EqualGround says that any two values are at distance 1. The earth mover's
// distance is then the variational distance, half the sum of the differences of
// shares. It is also what the class has above the reference, because it lacks
// as much elsewhere. Cost: the different values of the class, however many the
// reference has.
type EqualGround struct{}

// Name returns equal.
func (EqualGround) Name() string { return "equal" }

// Distance implements Ground.
func (EqualGround) Distance(class, reference Bag) float64 {
	var sum float64
	for _, c := range class.Counts {
		share := class.share(c)
		if i, found := reference.find(c.Code); found {
			share -= reference.share(reference.Counts[i])
		}
		sum += max(0, share)
	}
	return sum
}

// OrderedGround says that the distance of two values is that of their ranks
// divided by the number of values less one. Rank gives the rank of each code, 0
// to len-1; nil means the order of codes among the values of the reference and
// the class (buckets of a number come in order). Cost: the values.
type OrderedGround struct{ Rank []int }

// Name returns ordered.
func (OrderedGround) Name() string { return "ordered" }

// Distance implements Ground: the mean over the m-1 steps between neighbouring
// values of how much has to cross the step.
func (g OrderedGround) Distance(class, reference Bag) float64 {
	diffs := shareDifferences(class, reference)
	steps := len(diffs) - 1
	if g.Rank == nil {
		return crossing(diffs, func(i int) int { return i }, steps)
	}
	slices.SortFunc(diffs, func(a, b shareDifference) int { return g.Rank[a.code] - g.Rank[b.code] })
	return crossing(diffs, func(i int) int { return g.Rank[diffs[i].code] }, len(g.Rank)-1)
}

// crossing sums the absolute share that has to cross each step, also the steps
// at ranks that no bag has.
func crossing(diffs []shareDifference, rank func(int) int, steps int) float64 {
	if steps < 1 {
		return 0
	}
	var carried, sum float64
	for i := range diffs[:len(diffs)-1] {
		carried += diffs[i].gap
		sum += math.Abs(carried) * float64(rank(i+1)-rank(i))
	}
	return sum / float64(steps)
}

// TreeGround says that the distance of two values is the height of their lowest
// common ancestor divided by the height of the root. The height of a node is
// its longest way down to a leaf. Cost: nodes of the hierarchy.
type TreeGround struct{ Tree *Hierarchy }

// Name returns hierarchical.
func (TreeGround) Name() string { return "hierarchical" }

// Distance implements Ground: the earth mover's distance on a hierarchy. Below each node as much mass as possible is moved between
// its children, at the cost of the node's height; what is left over is moved further up.
func (g TreeGround) Distance(class, reference Bag) float64 {
	n := g.Tree.Nodes()
	extra, height := make([]float64, n), make([]int, n)
	for _, d := range shareDifferences(class, reference) {
		extra[d.code] = d.gap
	}
	gain, lack := make([]float64, n), make([]float64, n)
	var sum float64
	root := 0
	for _, node := range bottomUp(g.Tree) {
		if node >= g.Tree.Leaves() {
			extra[node] = gain[node] - lack[node]
			sum += min(gain[node], lack[node]) * float64(height[node])
		}
		parent := g.Tree.Parent(node)
		if parent < 0 {
			root = node
			continue
		}
		height[parent] = max(height[parent], height[node]+1)
		gain[parent] += max(0, extra[node])
		lack[parent] += max(0, -extra[node])
	}
	return sum / float64(max(1, height[root]))
}

// bottomUp lists the leaves, then the inner nodes, children before parents:
// inner nodes are numbered parents first.
func bottomUp(h *Hierarchy) []int {
	out := make([]int, 0, h.Nodes())
	for i := range h.Leaves() {
		out = append(out, i)
	}
	for i := h.Nodes() - 1; i >= h.Leaves(); i-- {
		out = append(out, i)
	}
	return out
}

// shareDifference is the share of a value in the class less that in the reference.
type shareDifference struct {
	code Code
	gap  float64
}

// shareDifferences covers the values of both bags in ascending order of code.
func shareDifferences(class, reference Bag) []shareDifference {
	out := make([]shareDifference, 0, len(reference.Counts))
	p, q := class.Counts, reference.Counts
	for len(p) > 0 || len(q) > 0 {
		switch {
		case len(q) == 0 || len(p) > 0 && p[0].Code < q[0].Code:
			out, p = append(out, shareDifference{p[0].Code, class.share(p[0])}), p[1:]
		case len(p) == 0 || q[0].Code < p[0].Code:
			out, q = append(out, shareDifference{q[0].Code, -reference.share(q[0])}), q[1:]
		default:
			out = append(out, shareDifference{p[0].Code, class.share(p[0]) - reference.share(q[0])})
			p, q = p[1:], q[1:]
		}
	}
	return out
}

func (b Bag) share(c Count) float64 { return float64(c.N) / float64(b.Total) }
