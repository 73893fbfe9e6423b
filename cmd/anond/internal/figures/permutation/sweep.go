package permutation

import (
	"context"
	"fmt"
	"strconv"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/chart"
	"anond/equivclass"
)

// sweep is one panel: the errors of each method at each value of a parameter.
type sweep struct {
	table   string // OCC-5, …
	x       []float64
	methods []line
	errors  []*figures.Series // by method: the relative errors of the queries
	seeds   []*figures.Series // by method: their mean for each seed
	empty   int               // queries without any record, of all workloads
	asked   int
}

func newSweep(table string, x []float64) *sweep {
	s := &sweep{table: table, x: x, methods: lines()}
	for _, m := range s.methods {
		s.errors = append(s.errors, &figures.Series{Name: m.name, Dashed: m.dashed, X: x, Runs: make([][]float64, len(x))})
		s.seeds = append(s.seeds, &figures.Series{Name: m.name, X: x, Runs: make([][]float64, len(x))})
	}
	return s
}

// mean is the mean error of a method at the i-th value of x, as the paper prints.
func (s *sweep) mean(method, i int) float64 { return figures.Mean(s.errors[method].Runs[i]) }

// cut partitions a table by every method; methods with the same partitioner share
// its groups.
func (s *sweep) cut(t paperTable, l int, seed uint64) [][][]int32 {
	groups := make([][][]int32, len(s.methods))
	for i, m := range s.methods {
		if i > 0 && s.methods[i-1].method(seed) == m.method(seed) {
			groups[i] = groups[i-1]
			continue
		}
		groups[i], _ = m.method(seed).Partition(t.pool, equivclass.Requirement{K: 1, L: l})
	}
	return groups
}

// measure adds the errors of a workload at a value of x.
func (s *sweep) measure(ctx context.Context, at int, t paperTable, w workload, groups [][][]int32) error {
	for i, m := range s.methods {
		errors := t.errors(ctx, w, groups[i], m.blocks(t.sensitive()+1))
		s.errors[i].Runs[at] = append(s.errors[i].Runs[at], errors...)
		s.seeds[i].Runs[at] = append(s.seeds[i].Runs[at], figures.Mean(errors))
	}
	s.empty += w.empty
	s.asked += w.empty + len(w.queries)
	return ctx.Err()
}

// panel draws the sweep: the mean, and the median, because a few queries with tiny
// answers can dominate the mean.
func (s *sweep) panel(name, xLabel string) figures.Panel {
	p := figures.Draw(name, s.table, chart.Axis{Label: xLabel}, chart.Axis{Label: "mean relative error"}, s.errors)
	p.Header = []string{xLabel, "method", "mean error", "standard error", "median error", "queries"}
	highest := 0.0
	for i, m := range s.methods {
		for j, x := range s.x {
			v := s.errors[i].Runs[j]
			highest = max(highest, figures.Mean(v))
			p.Rows = append(p.Rows, []string{figures.Number(x, 6), m.name, decimal(figures.Mean(v)), decimal(figures.StandardError(v)),
				decimal(figures.Median(v)), strconv.Itoa(len(v))})
		}
	}
	p.Chart.Y.Max = highest * 1.02
	return p
}

// versus says, over all values of x, how often a method has less error, the same
// within the queries' spread, and more error than another.
type versus struct{ less, alike, more int }

func (v versus) all() int { return v.less + v.alike + v.more }

func (v versus) String() string {
	return fmt.Sprintf("less error in %d of %d settings, more in %d, within two standard errors in %d", v.less, v.all(), v.more, v.alike)
}

// verdict is that of "less error in all cases".
func (v versus) verdict() figures.Verdict {
	switch {
	case v.more > 0:
		return figures.HoldsNot
	case v.alike > 0:
		return figures.Undecided
	}
	return figures.Holds
}

func compare(a, b int, sweeps ...*sweep) (v versus) {
	for _, s := range sweeps {
		c := figures.Compare(figures.Errors, s.errors[a], s.errors[b])
		v.less, v.alike, v.more = v.less+c.Count(figures.Holds), v.alike+c.Count(figures.Undecided), v.more+c.Count(figures.HoldsNot)
	}
	return v
}

// ratio is a method's mean error over another's, over all settings of sweeps.
func ratio(a, b int, sweeps ...*sweep) float64 {
	var upper, lower float64
	for _, s := range sweeps {
		for i := range s.x {
			upper, lower = upper+s.mean(a, i), lower+s.mean(b, i)
		}
	}
	return upper / lower
}

// trend tests the mean error of a method for "it rises" (or falls) from
// the first value of x to the last.
func trend(method int, up bool, sweeps ...*sweep) figures.Finding {
	var of versus
	text := ""
	for _, s := range sweeps {
		last := len(s.x) - 1
		if last < 1 {
			continue
		}
		switch s.errors[method].Apart(up) {
		case figures.Holds:
			of.less++
		case figures.HoldsNot:
			of.more++
		default:
			of.alike++
		}
		text += fmt.Sprintf("%s%s %s → %s", separator(text), s.table, percent(s.mean(method, 0)), percent(s.mean(method, last)))
	}
	return figures.Found(of.verdict(), "%s", text)
}

func separator(before string) string {
	if before == "" {
		return ""
	}
	return "; "
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 5, 64) }

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }
