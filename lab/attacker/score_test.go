package attacker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestScore: four people in two classes, counted by hand.
func TestScore(t *testing.T) {
	truth := world{0, 1, 0, 2}
	want := equivclass.Requirement{K: 2, L: 2}
	points := spread().Points()
	r := &Release{publish(points, want, truth, 3, [][]int32{{0, 1}, {2, 3}}, nil), byPlace, truth, draws{}}
	b := &beliefs{values: 3, draws: 100, counts: []uint32{
		95, 5, 0, // told, rightly
		95, 5, 0, // told, wrongly
		60, 0, 40, // right
		40, 0, 60, // right
	}}
	var s Scorer
	s.Add(r, b)
	got := s.Score()
	require.Equal(t, 4, got.Records)
	require.Equal(t, 1.0, got.Above5.Value)
	require.Equal(t, .5, got.Above9.Value)
	require.Equal(t, 2, got.Told9)
	require.Equal(t, .5, got.Right9.Value)
	require.Equal(t, .75, got.Guess.Value)
	require.Equal(t, .5, got.Share.Value)
	require.InDelta(t, (.95+.05+.6+.6)/4, got.Truth.Value, 1e-9)
	require.Equal(t, .5, got.TruthShare.Value)
	require.InDelta(t, .05, got.Gain.Value, 1e-9)
	require.Less(t, got.Guess.Low, .5)
	require.Greater(t, got.Guess.High, .9)
	require.Equal(t, 1.0, got.Curve[50])
	require.Equal(t, 1.0, got.Curve[60])
	require.Equal(t, .5, got.Curve[61])
	require.Equal(t, .0, got.Curve[96])
}

// TestIntervals: that of Wilson as tables have it, wider where the people of a group go
// together, and never empty where nobody was told.
func TestIntervals(t *testing.T) {
	e := wilson(.5, 100)
	require.InDelta(t, .4038, e.Low, 1e-3)
	require.InDelta(t, .5962, e.High, 1e-3)
	rate := func(groups int) Estimate {
		var c clusters
		for g := range groups {
			c.begin()
			for i := range 100 / groups {
				c.add(g%2 == 0 || groups == 1 && i%2 == 0)
			}
		}
		return c.rate()
	}
	alone, together := rate(100), rate(10)
	require.Equal(t, .5, together.Value)
	require.Greater(t, together.High-together.Low, 2*(alone.High-alone.Low))
	var none clusters
	none.begin()
	for range 1000 {
		none.add(false)
	}
	require.Zero(t, none.rate().Value)
	require.InDelta(t, .0038, none.rate().High, 1e-3)
}
