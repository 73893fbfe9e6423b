package lgb

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
	"anond/lab/figures/figurestest"
	"anond/lab/lgb"
)

// madeGrid gives every key the runs that of returns.
func madeGrid(measure string, of func(method string, k, l int, density float64) []float64) *grid {
	g := newGrid(table{name: "made up", Table: &equivclass.Table{}})
	for _, m := range cutters() {
		for _, k := range allK {
			for _, l := range allL {
				for _, d := range densities {
					g.runs[gridKey{measure, m.name, k, l, d}] = of(m.name, k, l, d)
				}
			}
		}
	}
	return g
}

func TestClaimsOfQueries(t *testing.T) {
	growing := madeGrid(ofRate, func(method string, k, l int, _ float64) []float64 {
		v := float64(k*k*l) + map[string]float64{nameNCP: 30}[method]
		return []float64{v, 2 * v}
	})
	assert.Equal(t, figures.Holds, growing.grows(ofRate).Verdict)
	assert.Equal(t, figures.Holds, growing.weighs(ofRate).Verdict, "k squared outweighs l")
	assert.Equal(t, figures.Holds, growing.small(ofRate).Verdict)
	assert.Equal(t, figures.Holds, growing.closes(ofRate).Verdict)
	assert.Equal(t, figures.Holds, growing.equal(ofRate).Verdict)
	opposite := madeGrid(ofRate, func(method string, k, l int, _ float64) []float64 {
		v := float64(l*l)/float64(k) - map[string]float64{nameNCP: .12 * float64(l*l) / float64(k)}[method]
		return []float64{v, 3 * v}
	})
	assert.Equal(t, figures.HoldsNot, opposite.grows(ofRate).Verdict, "falls in k")
	assert.Equal(t, figures.HoldsNot, opposite.weighs(ofRate).Verdict)
	assert.Equal(t, figures.HoldsNot, opposite.small(ofRate).Verdict)
	assert.Equal(t, figures.HoldsNot, opposite.closes(ofRate).Verdict, "the same share at every l")
	assert.Equal(t, figures.HoldsNot, opposite.equal(ofRate).Verdict, "12 % apart")
}

func TestClaimsOfDensity(t *testing.T) {
	falling := madeGrid(ofRate, func(_ string, k, l int, d float64) []float64 {
		v := 100 - d*float64(k*l)
		return []float64{v, v + 1}
	})
	assert.Equal(t, figures.Holds, falling.declines(ofRate).Verdict)
	assert.Equal(t, figures.Holds, falling.largest(ofRate).Verdict)
	rising := madeGrid(ofRate, func(_ string, k, l int, d float64) []float64 { return []float64{d, 2 * d} })
	assert.Equal(t, figures.HoldsNot, rising.declines(ofRate).Verdict)
	assert.Equal(t, figures.HoldsNot, rising.largest(ofRate).Verdict)
	assert.Contains(t, rising.largest(ofRate).Numbers, "no reduction anywhere")
	elsewhere := madeGrid(ofRate, func(_ string, k, l int, d float64) []float64 { return []float64{100 - d/float64(k*l), 99 - d} })
	assert.Equal(t, figures.HoldsNot, elsewhere.largest(ofRate).Verdict)
	assert.Contains(t, elsewhere.largest(ofRate).Numbers, "k = 5, l = 5")
}

func TestClaimsOfGroups(t *testing.T) {
	same := madeGrid(ofCDM, func(_ string, k, _ int, _ float64) []float64 { return []float64{float64(k), 7} })
	assert.Equal(t, figures.Holds, same.untouched().Verdict)
	other := madeGrid(ofCDM, func(_ string, k, l int, _ float64) []float64 { return []float64{float64(k), float64(l)} })
	assert.Equal(t, figures.HoldsNot, other.untouched().Verdict)
	assert.Equal(t, figures.Holds, savingOf("x", []float64{100, 100, 100}, []float64{86, 84, 83}).Verdict)
	assert.Equal(t, figures.HoldsNot, savingOf("x", []float64{100, 100, 100}, []float64{86, 90, 83}).Verdict)
	assert.Contains(t, savingOf("x", []float64{100, 100, 100}, []float64{86, 110, 83}).Numbers, "-10.0 % at k = 8")
}

// The other table's verdict is told, not taken.
func TestBesideKeepsTheVerdictOfThePublicData(t *testing.T) {
	public := figures.NewClaim("", "", figures.Found(figures.Holds, "1"))
	c := withOther(public, figures.NewClaim("", "", figures.Found(figures.HoldsNot, "2")), "other")
	assert.Equal(t, figures.NewClaim("", "", figures.Found(figures.Holds, "1. On other: does not hold (2)")), c)
	assert.Equal(t, "1", public.Numbers(), "what was given is left alone")
}

func TestFiguresOfGroups(t *testing.T) {
	tier.NotShort(t, "it draws figures")
	for _, id := range []string{"lgb-5", "lgb-6"} {
		r := figurestest.Run(t, Figures(), id)
		require.Len(t, r.Panels, 4)
		for i, p := range r.Panels {
			series := figurestest.SeriesOf(p)
			require.Len(t, series, 6, "three k of the paper's method, three of ours")
			for _, k := range []string{"5", "8", "10"} {
				require.Equal(t, len(allL), series[paperMethods[i%2]+", k = "+k])
			}
		}
	}
}

func TestFiguresOfQueries(t *testing.T) {
	seven := figurestest.Run(t, Figures(), "lgb-7")
	require.Len(t, seven.Panels, 4)
	require.Len(t, figurestest.SeriesOf(seven.Panels[0]), 3)
	require.Len(t, figurestest.SeriesOf(seven.Panels[1]), 6)
	require.Len(t, seven.Claims, 5)
	tier.Heavy(t, "twelve more panels; TestFiguresAreFrozen has them as well")
	eight := figurestest.Run(t, Figures(), "lgb-8")
	require.Len(t, eight.Panels, 12)
	require.Len(t, figurestest.SeriesOf(eight.Panels[0]), 6)
	require.Len(t, eight.Claims, 4)
}

func TestFiguresStopWhenAsked(t *testing.T) {
	figurestest.Stops(t, Figures(), "lgb-5")
}

// Each attribute is promised what its flagged values allow, sex t-closeness.
func TestPromises(t *testing.T) {
	source := dataset.Source("")
	acs, err := treeACS(source, 2000)
	require.NoError(t, err)
	f := acs.flagged(0.2, 1)
	p := promises(f, 20)
	require.Equal(t, reachable(f, 7), p[7].L)
	require.Less(t, p[7].L, 20)
	require.Equal(t, 5, promises(f, 5)[ageAt].L)
	require.Zero(t, p[sexAt].L)
	require.Equal(t, "t-close(0.2,equal)", p[sexAt].Principle.Name())
}

func TestDeviation(t *testing.T) {
	assert.Zero(t, deviation([]int{5, 5, 5}))
	assert.InDelta(t, 2, deviation([]int{3, 7}), 1e-12)
}

// NCP as printed: a group of both sexes and 1 to 3 of the years 1 to 5, and one
// of a sex and a year. An exact category costs 1/|A| or nothing.
func TestPrintedNCP(t *testing.T) {
	made := equivtest.Table(t, []equivclass.Attribute{{Name: "age", Type: equivclass.Integer}, {Name: "sex", Type: equivclass.Categorical},
		{Name: "income", Type: equivclass.Integer}},
		[][]string{{"1", "F", "10!"}, {"3", "M", "20!"}, {"5", "F", "30!"}, {"5", "F", "40!"}, {"5", "M", "50!"}})
	cut := &lgb.Result{Groups: [][]int32{{0, 1}, {2, 3}}, Flags: []uint64{4, 4}, Rest: []int32{4}}
	one, none := printedNCP(made, cut)
	require.InDelta(t, 2*(.5+1)+2*.5+2, one, 1e-12)
	require.InDelta(t, 2*(.5+1)+2, none, 1e-12)
	require.Zero(t, folded(made, cut))
	cut.Flags[0] = 6
	require.Equal(t, 2, folded(made, cut))
}

// What only made-up hierarchies refute is left open; another table's verdict is
// told next to it.
func TestMadeUpHierarchiesDecideNothing(t *testing.T) {
	g := newGrid(table{name: "made up", Table: &equivclass.Table{}})
	for _, measure := range []string{ofNCP, ofPrintedOne, ofPrintedNil} {
		for _, k := range allK {
			g.runs[gridKey{measure, nameMDP, k, 5, usualDensity}] = []float64{100, 100}
			g.runs[gridKey{measure, nameNCP, k, 5, usualDensity}] = []float64{95, 95}
		}
	}
	require.Equal(t, figures.Undecided, g.claims6(true)[1].Verdict())
	require.Equal(t, figures.HoldsNot, g.claims6(false)[1].Verdict())
	require.Equal(t, figures.Holds, g.claims6(true)[0].Verdict())
}

// Both ways to draw flags reach the share; drawn together a person has all or none.
func TestFlagsDrawnTogether(t *testing.T) {
	acs, err := treeACS(dataset.Source(""), 5000)
	require.NoError(t, err)
	for _, together := range []bool{false, true} {
		acs.together = together
		words := map[uint64]int{}
		for _, f := range acs.flagged(0.3, 1).Flags {
			words[f]++
		}
		flagged := 0
		for f, n := range words {
			flagged += n * (bits.OnesCount64(f) - 1)
		}
		require.InDelta(t, 0.3, float64(flagged)/float64(3*acs.Len()), 0.02)
		require.Len(t, words, map[bool]int{false: 8, true: 2}[together])
	}
}

// A claim of figure 8 depends on the reading if the two ways disagree.
func TestBothWaysToDrawFlagsAreReadings(t *testing.T) {
	no := []figures.Claim{figures.NewClaim("c", "w", figures.Found(figures.HoldsNot, "1"))}
	yes := []figures.Claim{figures.NewClaim("c", "w", figures.Found(figures.Holds, "2"))}
	require.Equal(t, figures.Depends, byFlags(no, yes)[0].Verdict())
	require.Equal(t, figures.HoldsNot, byFlags(no, no)[0].Verdict())
}
