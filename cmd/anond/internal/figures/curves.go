package figures

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/cmd/anond/internal/chart"
)

// curves is what one panel measures: a value of each series at each x.
type curves struct {
	xs     []float64
	names  []string
	values map[string][]float64
}

func newCurves(xs []float64, names ...string) *curves {
	s := &curves{xs: xs, names: names, values: map[string][]float64{}}
	for _, n := range names {
		s.values[n] = make([]float64, len(xs))
	}
	return s
}

// set notes the value of a series at the i-th x.
func (s *curves) set(name string, i int, v float64) { s.values[name][i] = v }

// panel draws them. Series named in ours are no method of the paper: they
// are dashed.
func (s *curves) panel(name, title string, x, y chart.Axis, ours []string) Panel {
	c := chart.NewChart(title, x, y)
	p := Panel{Name: name, Chart: c, Header: append([]string{x.Label}, s.names...)}
	for _, n := range s.names {
		line := chart.Series{Name: n, Style: chart.LinePoints, Dashed: slices.Contains(ours, n)}
		for i, v := range s.values[n] {
			line.Points = append(line.Points, chart.Point{X: s.xs[i], Y: v})
		}
		c.Add(line)
	}
	for i, x := range s.xs {
		row := []string{number(x)}
		for _, n := range s.names {
			row = append(row, number(s.values[n][i]))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// number writes a value with six significant digits, whole numbers in full.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// ints are the x values of curves as the integers they stand for.
func ints(xs []float64) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}

// floats are integers as the x values of curves.
func floats(xs ...int) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = float64(x)
	}
	return out
}

// last is the curves at their last x alone.
func (s *curves) last() *curves {
	end := len(s.xs) - 1
	out := newCurves(s.xs[end:], s.names...)
	for _, n := range s.names {
		out.set(n, 0, s.values[n][end])
	}
	return out
}

// median is the middle of some times.
func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// shuffle is an order of n records that the seed fixes.
func shuffle(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0)).Perm(n) }
