package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures/chart"
)

// made is a sweep of made-up runs, one slice a point.
func made(name string, runs ...[]float64) *sweep {
	s := &sweep{name: name}
	for i, point := range runs {
		for _, y := range point {
			s.add(float64(i+1), y)
		}
	}
	return s
}

func TestBelowNeedsEveryPointAndEveryRun(t *testing.T) {
	a := made("a", []float64{1, 2}, []float64{3, 1})
	for _, c := range []struct {
		name string
		b    *sweep
		want Verdict
	}{
		{"above in all runs", made("b", []float64{2, 3}, []float64{4, 2}), Holds},
		{"below in all runs of one point", made("b", []float64{2, 3}, []float64{2, 0.5}), HoldsNot},
		{"runs disagree at one point", made("b", []float64{2, 3}, []float64{4, 0.5}), Undecidable},
		{"equal in one run", made("b", []float64{2, 3}, []float64{3, 2}), Undecidable},
	} {
		f := below(byPairs, meanOf, a, c.b)
		assert.Equal(t, c.want, f.verdict, c.name)
		assert.Contains(t, f.numbers, "b", c.name)
	}
	open := below(byPairs, meanOf, a, made("b", []float64{2, 3}, []float64{4, 2}), made("c", []float64{2, 3}, []float64{4, 0.5}))
	assert.Equal(t, Undecidable, open.verdict)
	assert.Contains(t, open.numbers, "c at 2")
}

func TestTimesAreToldApartByAClearGapOnly(t *testing.T) {
	quick := []float64{1, 5, 1.1}
	assert.Equal(t, -1, byTimes(quick, []float64{1.5, 7.5, 1.7}), "half again as long, under whatever load")
	assert.Equal(t, 0, byTimes(quick, []float64{1.1, 5.5, 9}))
	assert.Equal(t, 1, byTimes(quick, []float64{0.5, 2, 1.1}))
	f := below(byTimes, medianOf, made("a", quick), made("b", []float64{1.1, 5.5, 9}))
	assert.Equal(t, Undecidable, f.verdict)
}

func TestRisesLooksAtEveryRun(t *testing.T) {
	up := made("up", []float64{1, 2}, []float64{1.5, 1.9}, []float64{2, 4})
	down := made("down", []float64{2, 4}, []float64{1.5, 1.9}, []float64{1, 2})
	mixed := made("mixed", []float64{1, 4}, []float64{2, 3}, []float64{9, 2})
	level := made("level", []float64{1, 2}, []float64{1, 2}, []float64{1.001, 2.001})
	for _, c := range []struct {
		s      *sweep
		up     bool
		want   Verdict
		saying string
	}{
		{up, true, Holds, "rises"}, {up, false, HoldsNot, "rises"},
		{down, true, HoldsNot, "falls"}, {down, false, Holds, "falls"},
		{mixed, true, Undecidable, "disagree"}, {mixed, false, Undecidable, "disagree"},
		{level, true, HoldsNot, "level"}, {level, false, HoldsNot, "level"},
	} {
		f := rises(c.up, c.s)
		assert.Equal(t, c.want, f.verdict, "%s, up %t", c.s.name, c.up)
		assert.Contains(t, f.numbers, c.saying)
	}
	assert.Equal(t, HoldsNot, rises(true, up, mixed, level).verdict, "one refutation refutes all")
	assert.Equal(t, Undecidable, rises(true, up, mixed).verdict)
	assert.InDelta(t, 2/3.0, made("", []float64{1}, []float64{2}, []float64{1}, []float64{2}).change(0)*5/3, 1e-12, "least squares: slope 0.2, three steps, mean 1.5")
}

func TestWithin(t *testing.T) {
	s := made("s", []float64{2}, []float64{3}, []float64{4})
	assert.Equal(t, Holds, within(2, meanOf, s).verdict)
	assert.Equal(t, HoldsNot, within(1.9, meanOf, s).verdict)
}

func TestAClaimKeepsItsReasonWhereItDoesNotHold(t *testing.T) {
	assert.Empty(t, found{Holds, "1"}.claim("text", "why").Why)
	assert.Equal(t, Claim{"text", HoldsNot, "1", "why"}, found{HoldsNot, "1"}.claim("text", "why"))
	assert.Equal(t, "why", found{Undecidable, "1"}.claim("text", "why").Why)
	assert.Equal(t, found{Undecidable, "1; 2"}, found{Holds, "1"}.and(found{Undecidable, "2"}))
}

func TestSweepPanel(t *testing.T) {
	p := sweepPanel("a", "T", chart.Axis{Label: "n"}, chart.Axis{Label: "s"}, medianOf, []*sweep{made("m", []float64{1, 9, 2}, []float64{5, 4})})
	require.Equal(t, []string{"n", "series", "s", "smallest run", "largest run", "runs"}, p.Header)
	require.Equal(t, [][]string{{"1", "m", "2", "1", "9", "3"}, {"2", "m", "4.5", "4", "5", "2"}}, p.Rows)
}

func TestShown(t *testing.T) {
	assert.Equal(t, "45000", shown(45000))
	assert.Equal(t, "0.1235", shown(0.12346))
}
