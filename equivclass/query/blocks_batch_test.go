package query

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// Eight queries at a time give what one at a time does, and both what the plain
// loop over places does: for groups of all sizes (more than a byte counts, too),
// every kind of blocks, and a last batch that is not full.
func TestEstimateCountsIsEstimate(t *testing.T) {
	table := equivtest.CensusLike(3000)
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := make([]int32, table.Len())
		for i, r := range rng.Perm(table.Len()) {
			rows[i] = int32(r)
		}
		var groups [][]int32
		for len(rows) > 0 {
			n := min(len(rows), 1+rng.IntN([]int{3, 20, 900}[seed%3]))
			groups, rows = append(groups, rows[:n]), rows[n:]
		}
		queries := someCounts(table.Dicts, rng, 1+rng.IntN(7), 21)
		queries = append(queries, someCounts(table.Dicts, rng, 1, 4)...)
		for _, blocks := range [][][]int{WholeBlock(8), AnatomyBlocks(8, 7), SingleBlocks(8), {{0, 3}, {1, 2, 4}, {5, 6}, {7}}} {
			r := NewBlockRelease(table.Dicts, table.Codes, groups, blocks)
			got := r.EstimateCounts(queries)
			for i, q := range queries {
				require.Equal(t, r.Estimate(q).Estimate, got[i])
				var plain Answer
				for g := 1; g < len(r.Start); g++ {
					plain = plain.Plus(r.group(q, r.asked(q), int(r.Start[g-1]), int(r.Start[g])).Answer)
				}
				require.Equal(t, plain.Estimate, got[i])
			}
		}
	}
}

// someCounts draws n queries that restrict so many attributes and the last one, each to half of its values.
func someCounts(dicts []*equivclass.Dictionary, rng *rand.Rand, dims, n int) (out []*Bound) {
	for range n {
		q := &Bound{Sum: -1}
		for _, j := range append(rng.Perm(len(dicts) - 1)[:dims], len(dicts)-1) {
			p := Predicate{Attribute: j, Match: make([]bool, dicts[j].Len())}
			for c := range p.Match {
				p.Match[c] = rng.IntN(2) == 0
			}
			q.Preds = append(q.Preds, p)
		}
		out = append(out, q)
	}
	return out
}
