package histories

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lab/figures"
	"anond/lab/figures/figurestest"
)

// TestHistoriesIsAFigure: at a small scale, too, visits apart tell people's illness, and histories tell nobody's.
func TestHistoriesIsAFigure(t *testing.T) {
	tier.NotShort(t, "it publishes two datasets")
	r := figurestest.Run(t, Figures(), "histories")
	require.Len(t, r.Claims, 2)
	for _, c := range r.Claims {
		require.Equal(t, figures.Holds, c.Verdict(), "%s: %s", c.Text, c.Numbers())
	}
}

// TestBeliefs: without buckets the belief is the prior; a bucket whose people all have one value tells it; and two visits of which each has
// two values tell the one that both have, as far as people stay.
func TestBeliefs(t *testing.T) {
	f := newFeed(figures.Input{Seed: 1, Scale: .01})
	one := func(of ...int) []float64 {
		out := make([]float64, values)
		for _, v := range of {
			out[v] = 1 / float64(len(of))
		}
		return out
	}
	require.InDelta(t, f.share[0], f.ever([][]float64{nil})[0], 1e-9)
	twice := 1 - (1-f.share[0])*(stay+(1-stay)*(1-f.share[0]))
	require.InDelta(t, twice, f.ever([][]float64{nil, nil})[0], 1e-9)
	require.InDelta(t, 1, f.ever([][]float64{nil, one(3)})[3], 1e-9)
	require.InDelta(t, .5, f.ever([][]float64{one(3, 7)})[7], 1e-9)
	require.Greater(t, f.ever([][]float64{one(3, 7), one(3, 9)})[3], .8)
	require.Zero(t, f.ever([][]float64{one(3, 7), one(3, 9)})[1])
}

// TestClaimsFollowWhatWasMeasured: each claim fails where the numbers refute it.
func TestClaimsFollowWhatWasMeasured(t *testing.T) {
	of := func() *result {
		return &result{people: 100, apart: []told{{published: 100}, {published: 100, aboveCap: 90, above: 40, right: 39}},
			whole: told{published: 100, most: .2}}
	}
	for i, spoil := range []func(r *result){func(r *result) { r.apart[1].above = 1 }, func(r *result) { r.whole.aboveCap = 1 }} {
		require.Equal(t, figures.Holds, of().claims()[i].Verdict())
		r := of()
		spoil(r)
		require.Equal(t, figures.HoldsNot, r.claims()[i].Verdict())
	}
}
