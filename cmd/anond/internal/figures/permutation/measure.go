package permutation

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"anond/equivclass"
	"anond/equivclass/bucketize"
	"anond/equivclass/query"
	"anond/equivclass/topdown"
)

// paperTable is a table of the permutation paper: d quasi-identifiers and, last,
// the sensitive attribute (OCC-d and SAL-d of section 4.1).
type paperTable struct {
	name  string
	table *equivclass.Table
	pool  *equivclass.Pool
}

func newPaperTable(name string, t *equivclass.Table, quasi []int, sensitive int) paperTable {
	t = t.Columns(append(slices.Clone(quasi), sensitive)...)
	return paperTable{name, t, t.Pool(upTo(len(quasi)), len(quasi))}
}

// sensitive is the place of the sensitive attribute, and the number of others.
func (t paperTable) sensitive() int { return len(t.table.Dicts) - 1 }

// upTo returns 0..n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// line is one line of the paper's charts: a partition, and how it is written.
type line struct {
	name   string
	method func(seed uint64) equivclass.Partitioner
	blocks func(attributes int) [][]int
	dashed bool
}

func permutedBlocks(attributes int) [][]int { return query.SingleBlocks(attributes) }

func anatomyBlocks(attributes int) [][]int {
	return query.AnatomyBlocks(attributes, attributes-1)
}

// lines are the methods that are compared. The third shows what permutation's
// grouping alone does: its groups, but the quasi-identifiers of a record kept
// together as anatomy publishes them. The last two are ours.
func lines() []line {
	permutation := func(seed uint64) equivclass.Partitioner { return bucketize.Permutation{Seed: seed} }
	return []line{
		{"anatomy", func(seed uint64) equivclass.Partitioner { return bucketize.Anatomy{Seed: seed} }, anatomyBlocks, false},
		{"permutation", permutation, permutedBlocks, false},
		{"its groups, as anatomy", permutation, anatomyBlocks, true},
		{"straight cuts (ours)", func(uint64) equivclass.Partitioner { return straightCuts{} }, permutedBlocks, false},
		{"near groups (ours)", func(uint64) equivclass.Partitioner { return bucketize.PermutationNear{} }, permutedBlocks, false},
	}
}

// The places of the methods.
const byAnatomy, byPermutation, byItsGroups, byStraightCuts, byNearGroups = 0, 1, 2, 3, 4

// straightCuts is permutation with another preprocessing: Mondrian's median cuts
// along one attribute at a time in place of Algorithm 2's boxes, then Algorithm 1
// in each leaf as in the paper. Leaves satisfy the requirement, so the groups do
// (AssignGroups).
type straightCuts struct{}

// Name implements equivclass.Partitioner.
func (straightCuts) Name() string { return "permutation, straight cuts" }

// Partition implements equivclass.Partitioner.
func (straightCuts) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	leaves, rest := topdown.Mondrian{}.Partition(p, equivclass.Requirement{K: max(want.K, want.L), L: want.L})
	for _, leaf := range leaves {
		groups = append(groups, bucketize.AssignGroups(p, leaf, want)...)
	}
	return groups, rest
}

// workload is queries with their true answers; those that count no record are
// left out, as they have no relative error.
type workload struct {
	queries []*query.Bound
	actual  []float64
	empty   int
}

// workload draws n count queries of w predicates and a volume (section 4.2).
func (t paperTable) workload(ctx context.Context, w int, volume float64, n int, seed uint64) workload {
	src := rand.New(rand.NewPCG(seed, 4))
	queries := query.CountWorkload(t.table.Dicts, upTo(t.sensitive()), t.sensitive(), w, volume, n, src)
	rows := make([]int32, t.table.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := query.NewBlockRelease(t.table.Dicts, t.table.Codes, [][]int32{rows}, query.WholeBlock(t.sensitive()+1))
	var out workload
	for i, a := range answers(ctx, whole, queries) {
		if a == 0 {
			out.empty++
			continue
		}
		out.queries, out.actual = append(out.queries, queries[i]), append(out.actual, a)
	}
	return out
}

// errors returns the relative error of each query on groups written in blocks.
func (t paperTable) errors(ctx context.Context, w workload, groups [][]int32, blocks [][]int) []float64 {
	out := answers(ctx, query.NewBlockRelease(t.table.Dicts, t.table.Codes, groups, blocks), w.queries)
	for i := range out {
		out[i] = query.RelativeError(w.actual[i], out[i])
	}
	return out
}

// batchSize is how many queries a processor takes at a time.
const batchSize = 32

// answers asks every query, on all processors. When the context ends it returns
// early, and what it returns is of no use.
func answers(ctx context.Context, r *query.BlockRelease, queries []*query.Bound) []float64 {
	out := make([]float64, len(queries))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for ctx.Err() == nil {
				to := int(next.Add(batchSize))
				from := to - batchSize
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
