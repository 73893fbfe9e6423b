package figures

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"anond/cmd/anond/internal/figures/chart"
	"anond/equivclass"
)

// paSweep is one panel: the errors of each method at each value of a parameter.
type paSweep struct {
	table   string // OCC-5, …
	x       []float64
	methods []paSeries
	at      [][]*paSample // by value of x, then method
	empty   int           // queries without any record, of all workloads
	asked   int
}

func newPASweep(table string, x []float64) *paSweep {
	s := &paSweep{table: table, x: x, methods: paMethods()}
	for range x {
		row := make([]*paSample, len(s.methods))
		for i := range row {
			row[i] = &paSample{}
		}
		s.at = append(s.at, row)
	}
	return s
}

// cut partitions a table by every method; methods with the same partitioner share
// its groups.
func (s *paSweep) cut(t paTable, l int, seed uint64) [][][]int32 {
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
func (s *paSweep) measure(ctx context.Context, at int, t paTable, w paWorkload, groups [][][]int32) error {
	for i, m := range s.methods {
		s.at[at][i].add(t.errors(ctx, w, groups[i], m.blocks(t.sensitive()+1)))
	}
	s.empty += w.empty
	s.asked += w.empty + len(w.queries)
	return ctx.Err()
}

// panel draws the paSweep.
func (s *paSweep) panel(name, xLabel string) Panel {
	c := chart.NewChart(s.table, chart.Axis{Label: xLabel}, chart.Axis{Label: "mean relative error"})
	p := Panel{Name: name, Chart: c, Header: []string{xLabel, "method", "mean error", "standard error", "median error", "queries"}}
	highest := 0.0
	for i, m := range s.methods {
		series := chart.Series{Name: m.name, Dashed: m.dashed}
		for j, x := range s.x {
			v := s.at[j][i]
			series.Points = append(series.Points, chart.Point{X: x, Y: v.mean()})
			highest = max(highest, v.mean())
			p.Rows = append(p.Rows, []string{paNumber(x), m.name, paDecimal(v.mean()), paDecimal(v.spread()), paDecimal(v.median()), strconv.Itoa(len(v.values))})
		}
		c.Add(series)
	}
	c.Y.Max = highest * 1.02
	return p
}

// paVersus says, over all values of x, how often a method has less error, the same
// within the queries' spread, and more error than another.
type paVersus struct{ less, alike, more int }

func (v paVersus) all() int { return v.less + v.alike + v.more }

func (v paVersus) String() string {
	return fmt.Sprintf("less error in %d of %d settings, more in %d, within two standard errors in %d", v.less, v.all(), v.more, v.alike)
}

// verdict is that of "less error in all cases".
func (v paVersus) verdict() Verdict {
	switch {
	case v.more > 0:
		return HoldsNot
	case v.alike > 0:
		return Undecidable
	}
	return Holds
}

func paCompare(a, b int, sweeps ...*paSweep) (v paVersus) {
	for _, s := range sweeps {
		for _, row := range s.at {
			switch row[a].less(row[b]) {
			case -1:
				v.less++
			case 0:
				v.alike++
			default:
				v.more++
			}
		}
	}
	return v
}

// paRatio is a method's mean error over another's, over all settings of sweeps.
func paRatio(a, b int, sweeps ...*paSweep) float64 {
	var upper, lower float64
	for _, s := range sweeps {
		for _, row := range s.at {
			upper, lower = upper+row[a].mean(), lower+row[b].mean()
		}
	}
	return upper / lower
}

// paTrend holds the mean error of a method against "it rises" (sign 1) or "it
// falls" (-1) from the first value of x to the last.
func paTrend(method, sign int, sweeps ...*paSweep) (Verdict, string) {
	along, against, open, text := 0, 0, 0, ""
	for _, s := range sweeps {
		if len(s.at) < 2 {
			continue
		}
		first, last := s.at[0][method], s.at[len(s.at)-1][method]
		d := paDirection(last.mean()-first.mean(), math.Hypot(first.spread(), last.spread()))
		switch d * sign {
		case 1:
			along++
		case -1:
			against++
		default:
			open++
		}
		text += fmt.Sprintf("%s%s %s → %s", paSeparator(text), s.table, paPercent(first.mean()), paPercent(last.mean()))
	}
	v := Holds
	switch {
	case against > 0:
		v = HoldsNot
	case open > 0:
		v = Undecidable
	}
	return v, text
}

func paSeparator(before string) string {
	if before == "" {
		return ""
	}
	return "; "
}

func paNumber(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func paDecimal(x float64) string { return strconv.FormatFloat(x, 'f', 5, 64) }

func paPercent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }
