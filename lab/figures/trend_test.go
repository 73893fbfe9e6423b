package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStepsAndEnds(t *testing.T) {
	l := linesOf([]float64{1, 2, 3}, []float64{3, 2.99, 3.5}, []float64{2, 2, 2})
	a, b, c := l.Of("a"), l.Of("b"), l.Of("c")
	require.Equal(t, Found(Holds, "a goes from 1 to 3"), a.Steps(true, 0))
	require.Equal(t, HoldsNot, a.Steps(false, 0).Verdict)
	require.Equal(t, Found(HoldsNot, "b goes from 3 to 3.5, 1 of 2 steps back"), b.Steps(true, 0))
	require.Equal(t, Holds, b.Steps(true, 0.02).Verdict, "a step back of 0.3 % is not counted")
	require.Equal(t, HoldsNot, c.Steps(true, 0).Verdict, "what stays does not rise")
	require.Equal(t, HoldsNot, c.Steps(false, 0).Verdict)
	require.Equal(t, Holds, a.Ends(true, 0.1).Verdict)
	require.Equal(t, HoldsNot, a.Ends(false, 0.1).Verdict)
	require.Equal(t, Undecided, c.Ends(true, 0.1).Verdict)
	require.Equal(t, Undecided, c.Ends(false, 0.1).Verdict)
}

func TestFallsFaster(t *testing.T) {
	f := linesOf([]float64{9, 5, 1}, []float64{9, 5, 3}, []float64{9, 5, 1})
	require.Equal(t, Holds, f.FallsFaster("a", "b").Verdict)
	require.Equal(t, HoldsNot, f.FallsFaster("b", "a").Verdict)
	require.Equal(t, HoldsNot, f.FallsFaster("a", "c").Verdict)
}

func TestApartByTwoStandardErrors(t *testing.T) {
	up := made("up", []float64{1, 1.1, 0.9}, []float64{5, 9, 1}, []float64{2, 2.1, 1.9})
	require.Equal(t, Holds, up.Apart(true))
	require.Equal(t, HoldsNot, up.Apart(false))
	wide := made("wide", []float64{1, 9, 2}, []float64{2, 8, 3})
	require.Equal(t, Undecided, wide.Apart(true))
	require.Equal(t, Undecided, wide.Apart(false))
}

func TestFitLooksAtEveryRun(t *testing.T) {
	up := made("up", []float64{1, 2}, []float64{1.5, 1.9}, []float64{2, 4})
	down := made("down", []float64{2, 4}, []float64{1.5, 1.9}, []float64{1, 2})
	mixed := made("mixed", []float64{1, 4}, []float64{2, 3}, []float64{9, 2})
	level := made("level", []float64{1, 2}, []float64{1, 2}, []float64{1.001, 2.001})
	for _, c := range []struct {
		s      *Series
		up     bool
		want   Verdict
		saying string
	}{
		{up, true, Holds, "rises"}, {up, false, HoldsNot, "rises"},
		{down, true, HoldsNot, "falls"}, {down, false, Holds, "falls"},
		{mixed, true, Undecided, "disagree"}, {mixed, false, Undecided, "disagree"},
		{level, true, HoldsNot, "level"}, {level, false, HoldsNot, "level"},
	} {
		f := Fit(c.up, c.s)
		assert.Equal(t, c.want, f.Verdict, "%s, up %t", c.s.Name, c.up)
		assert.Contains(t, f.Numbers, c.saying)
	}
	assert.Equal(t, HoldsNot, Fit(true, up, mixed, level).Verdict, "one refutation refutes all")
	assert.Equal(t, Undecided, Fit(true, up, mixed).Verdict)
	four := made("", []float64{1}, []float64{2}, []float64{1}, []float64{2})
	assert.InDelta(t, 2/3.0, four.change(0)*5/3, 1e-12, "least squares: slope 0.2, three steps, mean 1.5")
}

func TestFitCountsItsLines(t *testing.T) {
	up, down := made("up", []float64{1, 2}, []float64{2, 3}), made("down", []float64{2, 3}, []float64{1, 2})
	mixed := made("mixed", []float64{1, 4}, []float64{3, 1})
	assert.Equal(t, Holds, FitCounted("x", true, []*Series{up, up}).Verdict)
	assert.Equal(t, Undecided, FitCounted("x", true, []*Series{up, mixed}).Verdict)
	f := FitCounted("x", true, []*Series{up, down, mixed})
	assert.Equal(t, HoldsNot, f.Verdict)
	assert.Contains(t, f.Numbers, "of 3 lines 1 rise, 1 fall, 0 are level and in 1 the runs disagree")
}
