package lgb

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/dataset"
	"anond/cmd/anond/internal/figures/figurestest"
)

// madeGrid gives every key the runs that of returns.
func madeGrid(measure string, of func(method string, k, l int, density float64) []float64) *lgbGrid {
	g := newLGBGrid(lgbTable{name: "made up", Table: &dataset.Table{}})
	for _, m := range lgbMethods() {
		for _, k := range lgbKs {
			for _, l := range lgbLs {
				for _, d := range lgbShares {
					g.runs[lgbKey{measure, m.name, k, l, d}] = of(m.name, k, l, d)
				}
			}
		}
	}
	return g
}

func TestLGBClaimsOfQueries(t *testing.T) {
	growing := madeGrid(lgbRate, func(method string, k, l int, _ float64) []float64 {
		v := float64(k*k*l) + map[string]float64{lgbNCP: 30}[method]
		return []float64{v, 2 * v}
	})
	assert.Equal(t, figures.Holds, growing.grows(lgbRate).Verdict)
	assert.Equal(t, figures.Holds, growing.weighs(lgbRate).Verdict, "k squared outweighs l")
	assert.Equal(t, figures.Holds, growing.small(lgbRate).Verdict)
	assert.Equal(t, figures.Holds, growing.closes(lgbRate).Verdict)
	assert.Equal(t, figures.Holds, growing.equal(lgbRate).Verdict)
	opposite := madeGrid(lgbRate, func(method string, k, l int, _ float64) []float64 {
		v := float64(l*l)/float64(k) - map[string]float64{lgbNCP: .12 * float64(l*l) / float64(k)}[method]
		return []float64{v, 3 * v}
	})
	assert.Equal(t, figures.HoldsNot, opposite.grows(lgbRate).Verdict, "falls in k")
	assert.Equal(t, figures.HoldsNot, opposite.weighs(lgbRate).Verdict)
	assert.Equal(t, figures.HoldsNot, opposite.small(lgbRate).Verdict)
	assert.Equal(t, figures.HoldsNot, opposite.closes(lgbRate).Verdict, "the same share at every l")
	assert.Equal(t, figures.HoldsNot, opposite.equal(lgbRate).Verdict, "12 % apart")
}

func TestLGBClaimsOfDensity(t *testing.T) {
	falling := madeGrid(lgbRate, func(_ string, k, l int, d float64) []float64 {
		v := 100 - d*float64(k*l)
		return []float64{v, v + 1}
	})
	assert.Equal(t, figures.Holds, falling.declines(lgbRate).Verdict)
	assert.Equal(t, figures.Holds, falling.largest(lgbRate).Verdict)
	rising := madeGrid(lgbRate, func(_ string, k, l int, d float64) []float64 { return []float64{d, 2 * d} })
	assert.Equal(t, figures.HoldsNot, rising.declines(lgbRate).Verdict)
	assert.Equal(t, figures.HoldsNot, rising.largest(lgbRate).Verdict)
	assert.Contains(t, rising.largest(lgbRate).Numbers, "no reduction anywhere")
	elsewhere := madeGrid(lgbRate, func(_ string, k, l int, d float64) []float64 { return []float64{100 - d/float64(k*l), 99 - d} })
	assert.Equal(t, figures.HoldsNot, elsewhere.largest(lgbRate).Verdict)
	assert.Contains(t, elsewhere.largest(lgbRate).Numbers, "k = 5, l = 5")
}

func TestLGBClaimsOfGroups(t *testing.T) {
	same := madeGrid(lgbCDM, func(_ string, k, _ int, _ float64) []float64 { return []float64{float64(k), 7} })
	assert.Equal(t, figures.Holds, same.untouched().Verdict)
	other := madeGrid(lgbCDM, func(_ string, k, l int, _ float64) []float64 { return []float64{float64(k), float64(l)} })
	assert.Equal(t, figures.HoldsNot, other.untouched().Verdict)
	assert.Equal(t, figures.Holds, savingOf("x", []float64{100, 100, 100}, []float64{86, 84, 83}).Verdict)
	assert.Equal(t, figures.HoldsNot, savingOf("x", []float64{100, 100, 100}, []float64{86, 90, 83}).Verdict)
	assert.Contains(t, savingOf("x", []float64{100, 100, 100}, []float64{86, 110, 83}).Numbers, "-10.0 % at k = 8")
}

// The other table's verdict is told, not taken.
func TestBesideKeepsTheVerdictOfThePublicData(t *testing.T) {
	public := figures.NewClaim("", "", figures.Found(figures.Holds, "1"))
	c := beside(public, figures.NewClaim("", "", figures.Found(figures.HoldsNot, "2")), "other")
	assert.Equal(t, figures.NewClaim("", "", figures.Found(figures.Holds, "1. On other: does not hold (2)")), c)
	assert.Equal(t, "1", public.Numbers(), "what was given is left alone")
}

func TestLGBFiguresOfGroups(t *testing.T) {
	for _, id := range []string{"lgb-5", "lgb-6"} {
		r := figurestest.Run(t, Figures(), id)
		require.Len(t, r.Panels, 4)
		for i, p := range r.Panels {
			series := figurestest.SeriesOf(p)
			require.Len(t, series, 6, "three k of the paper's method, three of ours")
			for _, k := range []string{"5", "8", "10"} {
				require.Equal(t, len(lgbLs), series[lgbFigures[i%2]+", k = "+k])
			}
		}
	}
}

func TestLGBFiguresOfQueries(t *testing.T) {
	seven := figurestest.Run(t, Figures(), "lgb-7")
	require.Len(t, seven.Panels, 4)
	require.Len(t, figurestest.SeriesOf(seven.Panels[0]), 3)
	require.Len(t, figurestest.SeriesOf(seven.Panels[1]), 6)
	require.Len(t, seven.Claims, 5)
	eight := figurestest.Run(t, Figures(), "lgb-8")
	require.Len(t, eight.Panels, 8)
	require.Len(t, figurestest.SeriesOf(eight.Panels[0]), 6)
	require.Len(t, eight.Claims, 4)
}

func TestFiguresStopWhenAsked(t *testing.T) {
	figurestest.Stops(t, Figures(), "lgb-5")
}

// Each attribute is promised what its flagged values allow, sex t-closeness.
func TestLGBPromises(t *testing.T) {
	source := figurestest.Data(t)
	acs, err := lgbACS(source, 2000)
	require.NoError(t, err)
	f := acs.flagged(0.2, 1)
	p := lgbPromises(f, 20)
	require.Equal(t, lgbReachable(f, 7), p[7].L)
	require.Less(t, p[7].L, 20)
	require.Equal(t, 5, lgbPromises(f, 5)[lgbAge].L)
	require.Zero(t, p[lgbSex].L)
	require.Equal(t, "t-close(0.2,equal)", p[lgbSex].Principle.Name())
}

func TestDeviation(t *testing.T) {
	assert.Zero(t, deviation([]int{5, 5, 5}))
	assert.InDelta(t, 2, deviation([]int{3, 7}), 1e-12)
}
