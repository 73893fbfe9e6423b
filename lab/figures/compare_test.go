package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linesOf is lines over 1, 2, 3 with the series a, b, c of one run.
func linesOf(a, b, c []float64) *Lines {
	l := NewLines([]float64{1, 2, 3}, []string{"a", "b"}, []string{"c"})
	for i := range a {
		l.Add("a", i, a[i])
		l.Add("b", i, b[i])
		l.Add("c", i, c[i])
	}
	return l
}

// made is a series of made-up runs, one slice a point.
func made(name string, runs ...[]float64) *Series {
	s := &Series{Name: name}
	for i, point := range runs {
		s.Append(float64(i+1), point...)
	}
	return s
}

func TestBelowNeedsEveryPointAndEveryRun(t *testing.T) {
	a := made("a", []float64{1, 2}, []float64{3, 1})
	for _, c := range []struct {
		name string
		b    *Series
		want Verdict
	}{
		{"above in all runs", made("b", []float64{2, 3}, []float64{4, 2}), Holds},
		{"below in all runs of one point", made("b", []float64{2, 3}, []float64{2, 0.5}), HoldsNot},
		{"runs disagree at one point", made("b", []float64{2, 3}, []float64{4, 0.5}), Undecided},
		{"equal in one run", made("b", []float64{2, 3}, []float64{3, 2}), Undecided},
		{"equal in all runs of one point", made("b", []float64{2, 3}, []float64{3, 1}), HoldsNot},
	} {
		f := Below(Pairs, a, c.b)
		assert.Equal(t, c.want, f.Verdict, c.name)
		assert.Contains(t, f.Numbers, "b", c.name)
	}
	open := Below(Pairs, a, made("b", []float64{2, 3}, []float64{4, 2}), made("c", []float64{2, 3}, []float64{4, 0.5}))
	assert.Equal(t, Undecided, open.Verdict)
	assert.Contains(t, open.Numbers, "c at 2")
}

func TestTimesAreToldApartByAClearGapOnly(t *testing.T) {
	quick, by := []float64{1, 5, 1.1}, Gap(ClearGap)
	assert.Equal(t, Holds, by(quick, []float64{1.5, 7.5, 1.7}), "half again as long, under whatever load")
	assert.Equal(t, Undecided, by(quick, []float64{1.1, 5.5, 9}))
	assert.Equal(t, HoldsNot, by(quick, []float64{0.5, 2, 1.1}))
	assert.Equal(t, Undecided, Below(by, made("a", quick), made("b", []float64{1.1, 5.5, 9})).Verdict)
}

func TestAnswersAreToldApartByTheirErrors(t *testing.T) {
	low, high, wild := []float64{.1, .11, .12, .13}, []float64{.2, .21, .22, .23}, []float64{.01, .5, .01, .02}
	assert.Equal(t, Holds, Errors(low, high))
	assert.Equal(t, HoldsNot, Errors(high, low))
	assert.Equal(t, Undecided, Errors(low, wild))
}

func TestLinesAreComparedInRatios(t *testing.T) {
	l := linesOf([]float64{1, 2, 3}, []float64{1.05, 3, 4}, []float64{2, 4, 2.5})
	require.Equal(t, Found(Holds, "a is 0.667 to 0.952 of b (below at 3 of 3)"), l.Below(Pairs, "a", "b"))
	require.Equal(t, Undecided, l.Below(Gap(0.1), "a", "b").Verdict, "5 % is no clear gap in time")
	require.Equal(t, Found(HoldsNot, "a is 0.5 to 1.2 of c (below at 2 of 3)"), l.Below(Gap(0.1), "a", "c"))
	require.Equal(t, HoldsNot, l.Below(Pairs, "a", "b", "c").Verdict, "the worst of all decides")
	require.Equal(t, HoldsNot, l.Below(Pairs, "a", "a").Verdict, "equal is not below")
	require.Equal(t, Holds, l.From(2).Below(Pairs, "a", "b").Verdict)
	require.Equal(t, HoldsNot, l.From(2).Below(Pairs, "a", "c").Verdict)
}

func TestRunsAreComparedInPairs(t *testing.T) {
	l := linesOf([]float64{1, 1, 1}, []float64{2, 2, 2}, []float64{3, 3, 3})
	l.Add("a", 1, 5) // mean 3
	l.Add("b", 1, 6) // mean 4
	l.Add("c", 1, 4) // mean 3.5
	require.Equal(t, 3.0, l.Of("a").Values()[1])
	require.Equal(t, Holds, l.Below(Pairs, "a", "b").Verdict)
	require.Equal(t, Found(Undecided, "a is 0.333 to 0.857 of c (below at 2 of 3, not clear at 1)"), l.Below(Pairs, "a", "c"))
	require.Equal(t, HoldsNot, l.Below(Pairs, "b", "a").Verdict)
	require.Equal(t, Holds, l.From(2).Below(Pairs, "a", "c").Verdict)
	l.Times("a", 0, []float64{1, 1, 9})
	l.Times("b", 0, []float64{2, 2, 8})
	require.Equal(t, 1.0, l.Of("a").Values()[0], "the middle of three")
	require.Equal(t, Holds, l.From(0).Below(Gap(0.1), "a", "b").Verdict)
}

func TestComparisonsAreCounted(t *testing.T) {
	c := Compare(Pairs, made("a", []float64{1}, []float64{2}, []float64{3}), made("b", []float64{2}, []float64{1}, []float64{4}))
	require.Equal(t, []int{2, 1, 0}, []int{c.Count(Holds), c.Count(HoldsNot), c.Count(Undecided)})
}
