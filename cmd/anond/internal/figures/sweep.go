package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"anond/cmd/anond/internal/figures/chart"
)

// sweep is one measure of one series along an axis, taken several times. Run r
// of two sweeps shares its records and its queries, so runs are compared in
// pairs: what differs is the method, not the draw.
type sweep struct {
	name string
	ours bool // not in the paper: drawn dashed
	x    []float64
	y    [][]float64 // by point, then run
}

// add appends a value to a point, which is created if it is new.
func (s *sweep) add(x, y float64) {
	at := slices.Index(s.x, x)
	if at < 0 {
		at = len(s.x)
		s.x, s.y = append(s.x, x), append(s.y, nil)
	}
	s.y[at] = append(s.y[at], y)
}

// mean returns the mean of the runs at each point.
func (s *sweep) mean() []float64 { return s.points(meanOf) }

// median returns the median of the runs at each point.
func (s *sweep) median() []float64 { return s.points(medianOf) }

func (s *sweep) points(of func([]float64) float64) []float64 {
	out := make([]float64, len(s.y))
	for i, runs := range s.y {
		out[i] = of(runs)
	}
	return out
}

func meanOf(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(1, len(xs)))
}

func medianOf(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(xs))
	return (sorted[(len(xs)-1)/2] + sorted[len(xs)/2]) / 2
}

// sweepPanel draws the middle of each sweep (its mean, or the median of times)
// and lists it with the smallest and largest run.
func sweepPanel(name, title string, x, y chart.Axis, middle func([]float64) float64, sweeps []*sweep) Panel {
	p := Panel{Name: name, Chart: chart.NewChart(title, x, y), Header: []string{x.Label, "series", y.Label, "smallest run", "largest run", "runs"}}
	for _, s := range sweeps {
		line := chart.Series{Name: s.name, Dashed: s.ours}
		for i, v := range s.points(middle) {
			line.Points = append(line.Points, chart.Point{X: s.x[i], Y: v})
			p.Rows = append(p.Rows, []string{shown(s.x[i]), s.name, shown(v), shown(slices.Min(s.y[i])), shown(slices.Max(s.y[i])), strconv.Itoa(len(s.y[i]))})
		}
		p.Chart.Add(line)
	}
	return p
}

// shown writes whole numbers as they are and others with four figures, which is
// more than any run repeats.
func shown(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// shownAll writes the middles of a sweep point by point.
func shownAll(values []float64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strings.Join(texts, ", ")
}

// factorText writes by how much b exceeds a, at each point at which both were
// measured: "1.2 to 3 times".
func factorText(a, b []float64) string {
	var lo, hi float64
	for i := range a {
		if f := b[i] / a[i]; i == 0 {
			lo, hi = f, f
		} else {
			lo, hi = min(lo, f), max(hi, f)
		}
	}
	return fmt.Sprintf("%.3g to %.3g times", lo, hi)
}
