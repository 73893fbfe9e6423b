package permutation

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/query"
	"anond/lab/bucketize"
	"anond/lab/estimate"
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

// lines are the methods that are compared: the paper's two, the other reading of
// permutation's corners, and two that are ours. "Its groups, as anatomy" shows
// what permutation's grouping alone does: its groups, but the quasi-identifiers
// of a record kept together as anatomy publishes them.
func lines() []line {
	permutation := func(seed uint64) equivclass.Partitioner { return bucketize.Permutation{Seed: seed} }
	return []line{
		{"anatomy", func(seed uint64) equivclass.Partitioner { return bucketize.Anatomy{Seed: seed} }, anatomyBlocks, false},
		{"permutation", permutation, permutedBlocks, false},
		{"its groups, as anatomy", permutation, anatomyBlocks, true},
		{"corners of the table", func(seed uint64) equivclass.Partitioner {
			return bucketize.Permutation{Seed: seed, TableCorners: true}
		}, permutedBlocks, true},
		{"near groups (ours)", func(uint64) equivclass.Partitioner { return bucketize.PermutationNear{} }, permutedBlocks, false},
	}
}

// The places of the methods.
const byAnatomy, byPermutation, byItsGroups, byTableCorners, byNearGroups = 0, 1, 2, 3, 4

// workload is queries with their true answers; those that count no record are
// left out, as they have no relative error.
type workload struct {
	queries []*query.Bound
	actual  []float64
	empty   int
}

// workloads draws n count queries of w predicates and a volume (section 4.2),
// for each condition on the sensitive attribute. All conditions have the same
// intervals of the quasi-identifiers.
func (t paperTable) workloads(ctx context.Context, w int, volume float64, n int, seed uint64) (out [conditions]workload) {
	rows := make([]int32, t.table.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := query.NewBlockRelease(t.table.Dicts, t.table.Codes, [][]int32{rows}, query.WholeBlock(t.sensitive()+1))
	for on, draw := range [conditions]drawWorkload{estimate.CountValues, accuracy.Counts} {
		queries := draw(t.table.Dicts, upTo(t.sensitive()), t.sensitive(), w, volume, n, rand.New(rand.NewPCG(seed, 4)))
		for i, a := range answers(ctx, whole, queries) {
			if a == 0 {
				out[on].empty++
				continue
			}
			out[on].queries, out[on].actual = append(out[on].queries, queries[i]), append(out[on].actual, a)
		}
	}
	return out
}

type drawWorkload func(dicts []*equivclass.Dictionary, quasi []int, sensitive, dims int, volume float64, n int,
	src equivclass.Source) []*query.Bound

// errors returns the relative error of each query on groups written in blocks.
func (t paperTable) errors(ctx context.Context, w workload, groups [][]int32, blocks [][]int) []float64 {
	out := answers(ctx, query.NewBlockRelease(t.table.Dicts, t.table.Codes, groups, blocks), w.queries)
	for i := range out {
		out[i] = accuracy.RelativeError(w.actual[i], out[i])
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
