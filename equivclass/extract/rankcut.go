package extract

import (
	"cmp"
	"slices"

	"anond/equivclass"
)

// RankCut cuts a flat set of rows into classes that all have the given
// signature, each value equally often, and at least k rows.
//
// Guarantee: if the rows have every value of the signature c times and no other
// value, each class has every value of it equally often; classes are disjoint
// and cover all rows. Rule P (pure classes) of the privacy contract rests on
// it.
//
// Method: the rows of each value are sorted along one dimension and all lists
// are cut at the same rank (synchronized ranks), recursively, along the
// dimension that loses least. The classes are balanced by construction.
//
// Cost: n log n x D for each level, log(n/k) levels.
//
// Source: ours; the idea joins the McNaughton-style assignment of records to
// m-invariance's buckets (Xiao and Tao 2007) with Mondrian's cuts (LeFevre et
// al. 2006).
func RankCut(p *equivclass.Pool, signature []equivclass.Code, k int) [][]int32 {
	lists := make([][]int32, len(signature))
	for row, v := range p.SA {
		if i, ok := slices.BinarySearch(signature, v); ok {
			lists[i] = append(lists[i], int32(row))
		}
	}
	s := len(signature)
	return rankCut(p, lists, (k+s-1)/s, nil)
}

// rankCut appends the classes of the lists, each of them of the same length, to out.
func rankCut(p *equivclass.Pool, lists [][]int32, least int, out [][]int32) [][]int32 {
	c := len(lists[0])
	if c < 2*least {
		return append(out, slices.Concat(lists...))
	}
	bestLoss, bestDim := p.Loss(slices.Concat(lists...))*float64(c), -1
	for j := range p.D() {
		sortAlong(p, lists, j)
		left, right := halves(lists, c/2)
		loss := p.Loss(slices.Concat(left...))*float64(c/2) + p.Loss(slices.Concat(right...))*float64(c-c/2)
		if loss < bestLoss {
			bestLoss, bestDim = loss, j
		}
	}
	if bestDim < 0 {
		return append(out, slices.Concat(lists...))
	}
	sortAlong(p, lists, bestDim)
	left, right := halves(lists, c/2)
	return rankCut(p, clone(right), least, rankCut(p, clone(left), least, out))
}

func sortAlong(p *equivclass.Pool, lists [][]int32, j int) {
	d := p.D()
	for _, l := range lists {
		slices.SortFunc(l, func(a, b int32) int {
			return cmp.Or(cmp.Compare(p.X[int(a)*d+j], p.X[int(b)*d+j]), cmp.Compare(a, b))
		})
	}
}

func halves(lists [][]int32, rank int) (left, right [][]int32) {
	for _, l := range lists {
		left, right = append(left, l[:rank]), append(right, l[rank:])
	}
	return left, right
}

func clone(lists [][]int32) [][]int32 {
	out := make([][]int32, len(lists))
	for i, l := range lists {
		out[i] = slices.Clone(l)
	}
	return out
}
