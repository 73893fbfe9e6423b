package permutation

import (
	"context"
	"fmt"
	"strconv"

	"anond/equivclass"
	"anond/internal/ops/chart"
	"anond/lab/figures"
)

// sweep is one panel: the errors of each method at each value of a parameter,
// under each condition on the sensitive attribute.
type sweep struct {
	table   string // OCC-5, …
	x       []float64
	methods []line
	errors  [conditions][]*figures.Series // by method: the relative errors of the queries
	seeds   [conditions][]*figures.Series // by method: their mean for each seed
	empty   int                           // queries without any record, of all workloads
	asked   int
}

func newSweep(table string, x []float64) *sweep {
	s := &sweep{table: table, x: x, methods: lines()}
	for on := range s.errors {
		for _, m := range s.methods {
			s.errors[on] = append(s.errors[on], &figures.Series{Name: m.name, Dashed: m.dashed, X: x, Runs: make([][]float64, len(x))})
			s.seeds[on] = append(s.seeds[on], &figures.Series{Name: m.name, X: x, Runs: make([][]float64, len(x))})
		}
	}
	return s
}

// from is the part of the sweep from the i-th value of x on.
func (s *sweep) from(i int) *sweep {
	out := *s
	out.x = s.x[i:]
	for on := range s.errors {
		out.errors[on] = nil
		for _, e := range s.errors[on] {
			out.errors[on] = append(out.errors[on], &figures.Series{Name: e.Name, X: e.X[i:], Runs: e.Runs[i:]})
		}
	}
	return &out
}

// mean is the mean error of a method at the i-th value of x, as the paper prints.
func (s *sweep) mean(r reading, i int) float64 { return figures.Mean(s.errors[r.on][r.method].Runs[i]) }

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

// measure adds the errors of the workloads at a value of x.
func (s *sweep) measure(ctx context.Context, at int, t paperTable, asked [conditions]workload, groups [][][]int32) error {
	for i, m := range s.methods {
		for on, w := range asked {
			errors := t.errors(ctx, w, groups[i], m.blocks(t.sensitive()+1))
			s.errors[on][i].Runs[at] = append(s.errors[on][i].Runs[at], errors...)
			s.seeds[on][i].Runs[at] = append(s.seeds[on][i].Runs[at], figures.Mean(errors))
		}
	}
	for _, w := range asked {
		s.empty += w.empty
		s.asked += w.empty + len(w.queries)
	}
	return ctx.Err()
}

// panel draws the sweep for queries on a sensitive value, and lists both
// conditions: the mean, and the median, because a few queries with tiny answers
// can dominate the mean.
func (s *sweep) panel(name, xLabel string) figures.Panel {
	p := figures.Draw(name, s.table, chart.Axis{Label: xLabel}, chart.Axis{Label: "mean relative error"}, s.errors[aValue])
	p.Header = []string{xLabel, "A_w", "method", "mean error", "standard error", "median error", "queries"}
	highest := 0.0
	for on := range condition(conditions) {
		for i, m := range s.methods {
			for j, x := range s.x {
				v := s.errors[on][i].Runs[j]
				if on == aValue {
					highest = max(highest, figures.Mean(v))
				}
				p.Rows = append(p.Rows, []string{figures.Number(x, 6), on.String(), m.name, decimal(figures.Mean(v)),
					decimal(figures.StandardError(v)), decimal(figures.Median(v)), strconv.Itoa(len(v))})
			}
		}
	}
	p.Chart.Y.Max = highest * 1.02
	return p
}

// versus says, over all values of x, how often a method has less error, the same
// within the queries' spread, and more error than another.
type versus struct {
	less, alike, more int
	lower             int // settings in which its mean is the lower one, by whatever amount
}

func (v versus) all() int { return v.less + v.alike + v.more }

func (v versus) String() string {
	return fmt.Sprintf("less error in %d of %d settings, more in %d, within two standard errors in %d", v.less, v.all(), v.more, v.alike)
}

// inAllCases is the verdict of "less error in all cases". The paper compares
// means: every one must be lower, none more by two standard errors, and nine of
// ten less by as much.
func (v versus) inAllCases() figures.Verdict {
	switch {
	case v.more > 0:
		return figures.HoldsNot
	case v.lower == v.all() && 10*v.alike <= v.all():
		return figures.Holds
	}
	return figures.Undecided
}

// verdict is that of a trend which every table must show.
func (v versus) verdict() figures.Verdict {
	switch {
	case v.more > 0:
		return figures.HoldsNot
	case v.alike > 0:
		return figures.Undecided
	}
	return figures.Holds
}

// compare says whether a method has less error than another under a condition.
func compare(a, b int, on condition, sweeps ...*sweep) (v versus) {
	for _, s := range sweeps {
		c := figures.Compare(figures.Errors, s.errors[on][a], s.errors[on][b])
		v.less, v.alike, v.more = v.less+c.Count(figures.Holds), v.alike+c.Count(figures.Undecided), v.more+c.Count(figures.HoldsNot)
		for i := range s.x {
			if s.mean(reading{a, on}, i) < s.mean(reading{b, on}, i) {
				v.lower++
			}
		}
	}
	return v
}

// ratio is a method's mean error over anatomy's, over all settings of sweeps.
func ratio(r reading, sweeps ...*sweep) float64 {
	var upper, lower float64
	for _, s := range sweeps {
		for i := range s.x {
			upper, lower = upper+s.mean(r, i), lower+s.mean(reading{byAnatomy, r.on}, i)
		}
	}
	return upper / lower
}

// trend tests the mean error of a method for "it rises" (or falls) from
// the first value of x to the last.
func trend(r reading, up bool, sweeps ...*sweep) figures.Finding {
	var of versus
	text := ""
	for _, s := range sweeps {
		last := len(s.x) - 1
		if last < 1 {
			continue
		}
		switch s.errors[r.on][r.method].Apart(up) {
		case figures.Holds:
			of.less++
		case figures.HoldsNot:
			of.more++
		default:
			of.alike++
		}
		text += fmt.Sprintf("%s%s %s → %s", separator(text), s.table, percent(s.mean(r, 0)), percent(s.mean(r, last)))
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
