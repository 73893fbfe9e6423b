package figures

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/cmd/anond/internal/figures/chart"
)

// curves are what one panel measures: a value of each series at each x, taken
// once or several times. The i-th draws of two series share their records (or,
// for times, were taken one after the other), so draws are compared in pairs.
type curves struct {
	timed  bool // by addTimes
	xs     []float64
	names  []string
	values map[string][]float64   // the mean of the draws
	draws  map[string][][]float64 // by x
}

func newCurves(xs []float64, names ...string) *curves {
	s := &curves{xs: xs, names: names, values: map[string][]float64{}, draws: map[string][][]float64{}}
	for _, n := range names {
		s.values[n], s.draws[n] = make([]float64, len(xs)), make([][]float64, len(xs))
	}
	return s
}

// add notes one more draw of a series at the i-th x. The value is their mean.
func (s *curves) add(name string, i int, v float64) {
	d := append(s.draws[name][i], v)
	s.draws[name][i] = d
	s.values[name][i] += (v - s.values[name][i]) / float64(len(d))
}

// addTimes notes runs of a series at the i-th x. The value is their median.
func (s *curves) addTimes(name string, i int, seconds []float64) {
	s.timed = true
	s.draws[name][i], s.values[name][i] = seconds, median(seconds)
}

// panel draws them. Series named in ours are no method of the paper: they
// are dashed.
func (s *curves) panel(name, title string, x, y chart.Axis, ours []string) Panel {
	c := chart.NewChart(title, x, y)
	p := Panel{Name: name, Chart: c, Header: append([]string{x.Label}, s.names...), Timed: s.timed}
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

// from is the part of the curves from the i-th x on.
func (s *curves) from(i int) *curves {
	out := newCurves(s.xs[i:], s.names...)
	for _, n := range s.names {
		out.values[n], out.draws[n] = s.values[n][i:], s.draws[n][i:]
	}
	return out
}

// shuffle is an order of n records that the seed fixes.
func shuffle(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0)).Perm(n) }
