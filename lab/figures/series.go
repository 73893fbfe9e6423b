package figures

import (
	"fmt"
	"slices"
)

// Series is one line of a panel: a quantity along an axis, taken once or several
// times at each point. Run r of two series shares its records and queries (or,
// of times, was taken right after the other), so that runs are compared in
// pairs: what differs is the method, not the draw.
type Series struct {
	Name   string
	Dashed bool // no method of the paper, so drawn dashed
	Timed  bool // the runs are times: their median is used, because a busy machine distorts a mean
	X      []float64
	Runs   [][]float64 // by point, then run
}

// Add appends a run to a point, which is created if it is new.
func (s *Series) Add(x, y float64) {
	at := slices.Index(s.X, x)
	if at < 0 {
		at = len(s.X)
		s.Append(x)
	}
	s.Runs[at] = append(s.Runs[at], y)
}

// Append adds a point with its runs.
func (s *Series) Append(x float64, runs ...float64) {
	s.X, s.Runs = append(s.X, x), append(s.Runs, runs)
}

// Values are what the series is drawn by: at each point the mean of the runs, of
// times their median.
func (s *Series) Values() []float64 {
	out := make([]float64, len(s.Runs))
	for i, runs := range s.Runs {
		if s.Timed {
			out[i] = Median(runs)
		} else {
			out[i] = Mean(runs)
		}
	}
	return out
}

// Lines are series over the same points, in the order of a legend.
type Lines struct {
	X      []float64
	series []*Series
}

// NewLines makes empty series: those of the paper, and ours after them. Without
// points, series take them as they are added.
func NewLines(xs []float64, paper, ours []string) *Lines {
	l := &Lines{X: xs}
	for i, name := range slices.Concat(paper, ours) {
		s := &Series{Name: name, Dashed: i >= len(paper), X: slices.Clone(xs), Runs: make([][]float64, len(xs))}
		l.series = append(l.series, s)
	}
	return l
}

// Of returns a series by its name. Names are constants of the figures: a wrong
// one is a mistake in the program.
func (l *Lines) Of(name string) *Series {
	for _, s := range l.series {
		if s.Name == name {
			return s
		}
	}
	panic(fmt.Sprintf("figures: no series %q", name))
}

// All returns series by name, or every one.
func (l *Lines) All(names ...string) []*Series {
	if len(names) == 0 {
		return l.series
	}
	var out []*Series
	for _, n := range names {
		out = append(out, l.Of(n))
	}
	return out
}

// Add appends a run to a series at the i-th point.
func (l *Lines) Add(name string, i int, v float64) {
	s := l.Of(name)
	s.Runs[i] = append(s.Runs[i], v)
}

// Times sets the runs of a series of times at the i-th point.
func (l *Lines) Times(name string, i int, seconds []float64) {
	s := l.Of(name)
	s.Timed, s.Runs[i] = true, seconds
}

// From is the part of the lines from the i-th point on.
func (l *Lines) From(i int) *Lines {
	out := &Lines{X: l.X[i:]}
	for _, s := range l.series {
		part := *s
		part.X, part.Runs = s.X[i:], s.Runs[i:]
		out.series = append(out.series, &part)
	}
	return out
}

// Ints are the points of a series as the integers that they stand for.
func Ints(xs []float64) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}
