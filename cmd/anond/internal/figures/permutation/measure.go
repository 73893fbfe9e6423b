package permutation

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"anond/cmd/anond/internal/figures/dataset"
	"anond/equivclass"
)

// paTable is a table of the permutation paper: d quasi-identifiers and, last,
// the sensitive attribute (OCC-d and SAL-d of section 4.1).
type paTable struct {
	name  string
	table *dataset.Table
	pool  *equivclass.Pool
}

func newPATable(name string, t *dataset.Table, quasi []int, sensitive int) paTable {
	t = t.Columns(append(slices.Clone(quasi), sensitive)...)
	return paTable{name, t, t.Pool(paUpTo(len(quasi)), len(quasi))}
}

// sensitive is the place of the sensitive attribute, and the number of others.
func (t paTable) sensitive() int { return len(t.table.Dicts) - 1 }

// paUpTo returns 0..n-1.
func paUpTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// paSeries is one line of the paper's charts: a partition, and how it is written.
type paSeries struct {
	name   string
	method func(seed uint64) equivclass.Partitioner
	blocks func(attributes int) [][]int
	dashed bool
}

func paPermutedBlocks(attributes int) [][]int { return equivclass.SingleBlocks(attributes) }

func paAnatomyBlocks(attributes int) [][]int {
	return equivclass.AnatomyBlocks(attributes, attributes-1)
}

// paMethods are the methods that are compared. The third shows what permutation's
// grouping alone does: its groups, but the quasi-identifiers of a record kept
// together as anatomy publishes them. The last two are ours.
func paMethods() []paSeries {
	permutation := func(seed uint64) equivclass.Partitioner { return equivclass.Permutation{Seed: seed} }
	return []paSeries{
		{"anatomy", func(seed uint64) equivclass.Partitioner { return equivclass.Anatomy{Seed: seed} }, paAnatomyBlocks, false},
		{"permutation", permutation, paPermutedBlocks, false},
		{"its groups, as anatomy", permutation, paAnatomyBlocks, true},
		{"straight cuts (ours)", func(uint64) equivclass.Partitioner { return straightCuts{} }, paPermutedBlocks, false},
		{"near groups (ours)", func(uint64) equivclass.Partitioner { return equivclass.PermutationNear{} }, paPermutedBlocks, false},
	}
}

// The places of the methods.
const paAnatomy, paPermutation, paGroups, paStraight, paNear = 0, 1, 2, 3, 4

// straightCuts is permutation with another preprocessing: Mondrian's median cuts
// along one attribute at a time in place of Algorithm 2's boxes, then Algorithm 1
// in each leaf as in the paper. Leaves satisfy the requirement, so the groups do
// (DealGroups).
type straightCuts struct{}

// Name implements equivclass.Partitioner.
func (straightCuts) Name() string { return "permutation, straight cuts" }

// Partition implements equivclass.Partitioner.
func (straightCuts) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	leaves, rest := equivclass.Mondrian{}.Partition(p, equivclass.Requirement{K: max(want.K, want.L), L: want.L})
	for _, leaf := range leaves {
		groups = append(groups, equivclass.DealGroups(p, leaf, want)...)
	}
	return groups, rest
}

// paWorkload is queries with their true answers; those that count no record are
// left out, as they have no relative error.
type paWorkload struct {
	queries []*equivclass.BoundQuery
	actual  []float64
	empty   int
}

// workload draws n count queries of w predicates and a volume (section 4.2).
func (t paTable) workload(ctx context.Context, w int, volume float64, n int, seed uint64) paWorkload {
	src := rand.New(rand.NewPCG(seed, 4))
	queries := equivclass.CountWorkload(t.table.Dicts, paUpTo(t.sensitive()), t.sensitive(), w, volume, n, src)
	rows := make([]int32, t.table.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := equivclass.NewBlockRelease(t.table.Dicts, t.table.Codes, [][]int32{rows}, equivclass.WholeBlock(t.sensitive()+1))
	var out paWorkload
	for i, a := range paAnswers(ctx, whole, queries) {
		if a == 0 {
			out.empty++
			continue
		}
		out.queries, out.actual = append(out.queries, queries[i]), append(out.actual, a)
	}
	return out
}

// errors returns the relative error of each query on groups written in blocks.
func (t paTable) errors(ctx context.Context, w paWorkload, groups [][]int32, blocks [][]int) []float64 {
	out := paAnswers(ctx, equivclass.NewBlockRelease(t.table.Dicts, t.table.Codes, groups, blocks), w.queries)
	for i := range out {
		out[i] = equivclass.RelativeError(w.actual[i], out[i])
	}
	return out
}

// paBatch is how many queries a processor takes at a time.
const paBatch = 32

// paAnswers asks every query, on all processors. When the context ends it returns
// early, and what it returns is of no use.
func paAnswers(ctx context.Context, r *equivclass.BlockRelease, queries []*equivclass.BoundQuery) []float64 {
	out := make([]float64, len(queries))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for ctx.Err() == nil {
				to := int(next.Add(paBatch))
				from := to - paBatch
				if from >= len(out) {
					return
				}
				to = min(to, len(out))
				copy(out[from:to], r.EstimateCounts(queries[from:to]))
			}
		})
	}
	all.Wait()
	return out
}
