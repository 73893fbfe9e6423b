package topdown

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/internal/cut"
)

// Halve splits a pool that satisfies the requirement by symmetric cuts.
//
// Guarantee (Theorem M of the threat model): given the leaves, every record of a
// leaf has the posterior that its leaf's bag shows, even for an adversary who
// knows this program. For that, (i) a node has one candidate cut, a function of
// coordinates and row numbers only; (ii) its halves have equal size; (iii) it
// is taken iff both halves satisfy the requirement, else the node is a leaf.
//
// Method: widest dimension of the node, ties by its number; rows ordered by
// coordinate, then row number; no second candidate. A node of odd size is a leaf.
// The order of rows within a leaf is by row number and shows nothing.
//
// Cost: n log n x D a level, log2(n/k) levels.
func Halve(p *equivclass.Pool, rows []int32, want equivclass.Requirement) [][]int32 {
	return halve(p, rows, want, nil)
}

func halve(p *equivclass.Pool, rows []int32, want equivclass.Requirement, out [][]int32) [][]int32 {
	if len(rows)%2 == 0 && len(rows) >= 2*want.K {
		left, right := symmetricCut(p, rows)
		if want.Holds(p.Bag(left)) && want.Holds(p.Bag(right)) {
			return halve(p, right, want, halve(p, left, want, out))
		}
	}
	leaf := slices.Clone(rows)
	slices.Sort(leaf)
	return append(out, leaf)
}

func symmetricCut(p *equivclass.Pool, rows []int32) (left, right []int32) {
	d, j := p.D(), cut.Widest(p, rows)
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.X[int(a)*d+j], p.X[int(b)*d+j]), cmp.Compare(a, b))
	})
	return sorted[:len(sorted)/2], sorted[len(sorted)/2:]
}
