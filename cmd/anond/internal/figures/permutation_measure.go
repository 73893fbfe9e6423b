package figures

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"anond/equivclass"
)

// paTable is a table of the permutation paper: d quasi-identifiers and, last,
// the sensitive attribute (OCC-d and SAL-d of section 4.1).
type paTable struct {
	name  string
	table *Table
	pool  *equivclass.Pool
}

func newPATable(name string, t *Table, quasi []int, sensitive int) paTable {
	t = t.Columns(append(slices.Clone(quasi), sensitive)...)
	return paTable{name, t, t.Pool(upTo(len(quasi)), len(quasi))}
}

// sensitive is the place of the sensitive attribute, and the number of others.
func (t paTable) sensitive() int { return len(t.table.Dicts) - 1 }

// upTo returns 0..n-1.
func upTo(n int) []int {
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

func permutedBlocks(attributes int) [][]int { return equivclass.SingleBlocks(attributes) }

func anatomyBlocks(attributes int) [][]int {
	return equivclass.AnatomyBlocks(attributes, attributes-1)
}

// The methods that are compared. The third shows what permutation's grouping
// alone does: its groups, but the quasi-identifiers of a record kept together as
// anatomy publishes them.
func paMethods() []paSeries {
	permutation := func(seed uint64) equivclass.Partitioner { return equivclass.Permutation{Seed: seed} }
	return []paSeries{
		{"anatomy", func(uint64) equivclass.Partitioner { return equivclass.Anatomy{} }, anatomyBlocks, false},
		{"permutation", permutation, permutedBlocks, false},
		{"its groups, as anatomy", permutation, anatomyBlocks, true},
		{"permutation-near (ours)", func(uint64) equivclass.Partitioner { return equivclass.PermutationNear{} }, permutedBlocks, false},
	}
}

// The places of the two methods that the paper compares.
const paAnatomy, paPermutation, paGroups, paNear = 0, 1, 2, 3

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
	queries := equivclass.CountWorkload(t.table.Dicts, upTo(t.sensitive()), t.sensitive(), w, volume, n, src)
	rows := make([]int32, t.table.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := equivclass.NewBlockRelease(t.table.Dicts, t.table.Codes, [][]int32{rows}, equivclass.WholeBlock(t.sensitive()+1))
	var out paWorkload
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
func (t paTable) errors(ctx context.Context, w paWorkload, groups [][]int32, blocks [][]int) []float64 {
	out := answers(ctx, equivclass.NewBlockRelease(t.table.Dicts, t.table.Codes, groups, blocks), w.queries)
	for i := range out {
		out[i] = equivclass.RelativeError(w.actual[i], out[i])
	}
	return out
}

// answers asks every query, on all processors. When the context ends it returns
// early, and what it returns is of no use.
func answers(ctx context.Context, r equivclass.Estimator, queries []*equivclass.BoundQuery) []float64 {
	out := make([]float64, len(queries))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(out) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				out[i] = r.Estimate(queries[i]).Estimate
			}
		})
	}
	all.Wait()
	return out
}

// sample is measurements of one setting: the relative errors of its queries.
type sample struct {
	values []float64
	seeds  []float64 // the mean for each seed
}

// add takes in the errors of one more seed.
func (s *sample) add(values []float64) {
	s.values, s.seeds = append(s.values, values...), append(s.seeds, mean(values))
}

// Mean is what the paper prints.
func (s *sample) mean() float64 { return mean(s.values) }

// median stands beside the mean, which a few queries with tiny answers can carry.
func (s *sample) median() float64 {
	sorted := slices.Sorted(slices.Values(s.values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// spread is the standard error of the mean.
func (s *sample) spread() float64 { return standardError(s.values) }

// less compares two samples of the same queries by their paired differences: -1
// if s has less error than t by more than two standard errors, 1 if more, 0 if
// the queries do not tell.
func (s *sample) less(t *sample) int {
	d := make([]float64, len(s.values))
	for i := range d {
		d[i] = s.values[i] - t.values[i]
	}
	return direction(mean(d), standardError(d))
}

// direction is the sign of a difference, 0 within two standard errors.
func direction(difference, spread float64) int {
	switch {
	case difference < -2*spread:
		return -1
	case difference > 2*spread:
		return 1
	}
	return 0
}

func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

func standardError(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(xs)-1) / float64(len(xs)))
}
