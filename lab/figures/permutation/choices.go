package permutation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/internal/ops/chart"
	"anond/lab/bucketize"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

// choices are what the text leaves open besides the corners and the condition.
// Each changes one thing.
const (
	asElsewhere = "as in the other panels"
	// Definition 3 supposes "a global order on all possible values" of an
	// attribute and measures a range of it. Example 4 counts the values {F, M} of
	// two, as sets are counted elsewhere.
	inOrder = "categories in order"
	// How b_w is drawn is not said. Elsewhere every value of the domain is as
	// likely as another, so that rare ones weigh much in a mean.
	byRecords = "b_w of a random record"
)

// choices is OCC-5 and SAL-5 under each choice: by table, level and choice.
type choices struct {
	tables   []string
	measured [][]map[string]pair
}

func studyChoices(ctx context.Context, in figures.Input) (*choices, error) {
	table, out := dataset.Generated(dataset.Census(), in.Rows(usualN, 2000), in.Seed), &choices{}
	for _, t := range []paperTable{occ(table, 5), sal(table, 5)} {
		measured, err := t.choices(ctx, in)
		if err != nil {
			return nil, err
		}
		out.tables, out.measured = append(out.tables, t.name), append(out.measured, measured)
	}
	return out, nil
}

func (c *choices) panel(name string) figures.Panel {
	var series []*figures.Series
	var rows [][]string
	highest := 1.0
	for i, table := range c.tables {
		for _, choice := range []string{asElsewhere, inOrder, byRecords} {
			line := &figures.Series{Name: table + ", " + choice, Dashed: choice != asElsewhere}
			for j, l := range levels {
				m := c.measured[i][j][choice]
				over := m.permutation / m.anatomy
				line.Append(l, over)
				highest = max(highest, over)
				rows = append(rows, []string{figures.Number(l, 6), table, choice, decimal(m.anatomy), decimal(m.permutation),
					strconv.FormatFloat(over, 'f', 3, 64)})
			}
			series = append(series, line)
		}
	}
	p := figures.Draw(name, "What else the text leaves open", chart.Axis{Label: "l"},
		chart.Axis{Label: "error / anatomy's error", Max: highest * 1.02}, series)
	p.Chart.Note = "A_w is a value; below 1 is better than anatomy"
	p.Header, p.Rows = []string{"l", "table", "choice", "anatomy's mean error", "permutation's mean error", "over anatomy's"}, rows
	return p
}

// extremes are the least and the greatest mean error under a choice.
func (c *choices) extremes(choice string, of func(pair) float64) (least, most float64) {
	least = math.Inf(1)
	for _, levels := range c.measured {
		for _, m := range levels {
			least, most = min(least, of(m[choice])), max(most, of(m[choice]))
		}
	}
	return least, most
}

// pair is the mean errors of the two methods.
type pair struct{ anatomy, permutation float64 }

// choices returns the mean errors by level, then choice.
func (t paperTable) choices(ctx context.Context, in figures.Input) ([]map[string]pair, error) {
	w := t.workloads(ctx, usualW, usualVolume, queriesAsked(in), in.Seed)[aValue]
	share := t.shares(w.queries)
	var out []map[string]pair
	for _, l := range levels {
		in.Step(fmt.Sprintf("%s, l = %v, other choices", t.name, l))
		want := equivclass.Requirement{K: 1, L: int(l)}
		errors := func(by equivclass.Partitioner, p *equivclass.Pool, blocks [][]int) []float64 {
			groups, _ := by.Partition(p, want)
			return t.errors(ctx, w, groups, blocks)
		}
		blocks := permutedBlocks(t.sensitive() + 1)
		anatomy := errors(bucketize.Anatomy{Seed: in.Seed}, t.pool, anatomyBlocks(t.sensitive()+1))
		permuted := errors(bucketize.Permutation{Seed: in.Seed}, t.pool, blocks)
		ordered := errors(bucketize.Permutation{Seed: in.Seed}, inOrderOf(t.pool), blocks)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, map[string]pair{
			asElsewhere: {figures.Mean(anatomy), figures.Mean(permuted)},
			inOrder:     {figures.Mean(anatomy), figures.Mean(ordered)},
			byRecords:   {weighted(anatomy, share), weighted(permuted, share)},
		})
	}
	return out, nil
}

// shares is the share of the records that have the sensitive value of each query.
// Weighted by it, queries on random values count as those on values of random
// records.
func (t paperTable) shares(queries []*query.Bound) []float64 {
	s := t.sensitive()
	count := make([]float64, t.table.Dicts[s].Len())
	for _, c := range t.table.Codes[s] {
		count[c]++
	}
	out := make([]float64, len(queries))
	for i, q := range queries {
		out[i] = count[slices.Index(q.Preds[len(q.Preds)-1].Match, true)] / float64(t.table.Len())
	}
	return out
}

// weighted is the mean of values by weight.
func weighted(values, weight []float64) float64 {
	var sum, all float64
	for i, v := range values {
		sum, all = sum+weight[i]*v, all+weight[i]
	}
	return sum / all
}

// inOrderOf is the pool with its categories on a line, as numbers are.
func inOrderOf(p *equivclass.Pool) *equivclass.Pool {
	out, space := *p, *p.Space
	space.Dims = slices.Clone(space.Dims)
	for j := range space.Dims {
		if dim := &space.Dims[j]; dim.Kind == equivclass.Set {
			dim.Kind, dim.Width = equivclass.Number, 1
		}
	}
	out.Space = &space
	return &out
}
