package wang

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/figurestest"
)

// decided holds the number of claims, and that each that fails has its reason.
func decided(t *testing.T, r *figures.Result, claims int) {
	t.Helper()
	require.Len(t, r.Claims, claims)
	for _, c := range r.Claims {
		require.Equal(t, c.Verdict() != figures.Holds, c.Why != "", c.Text)
	}
}

func TestFiguresOfPartitions(t *testing.T) {
	methods := []string{"wang-close-k", "wang-median", "single-dimensional", "mondrian", "mondrian-relaxed", "mondrian-both", "extract"}
	r := figurestest.Run(t, Figures(), "wang-3")
	require.Len(t, r.Panels, 5)
	for i, rows := range []int{7, 7, 7, 7, 5} {
		figurestest.Columns(t, r.Panels[i], rows, methods...)
	}
	decided(t, r, 6)
	require.Equal(t, r.Panels[0].Rows, figurestest.Run(t, Figures(), "wang-3").Panels[0].Rows, "the seed fixes the result")

	r = figurestest.Run(t, Figures(), "wang-4")
	require.Len(t, r.Panels, 4)
	for _, p := range r.Panels {
		figurestest.Columns(t, p, 9, methods...)
	}
	decided(t, r, 3)
}

func TestFiguresOfUpdates(t *testing.T) {
	paper := []string{"full-update", "incremental", "i3m"}
	for id, series := range map[string][]string{"wang-5": append(paper[:3:3], "incremental with extract"), "wang-6": paper} {
		r := figurestest.Run(t, Figures(), id)
		require.Len(t, r.Panels, 4)
		for i, rows := range []int{5, 5, 4, 4} {
			figurestest.Columns(t, r.Panels[i], rows, series...)
		}
		decided(t, r, 3)
	}
}

func TestNormalRecordsAreBellShaped(t *testing.T) {
	p := normal(4000, 2, 5, 1)
	count := map[float32]int{}
	for _, x := range p.X {
		count[x]++
	}
	require.Len(t, count, 5)
	require.Greater(t, count[0.5], count[0.25])
	require.Greater(t, count[0.25], count[0])
	require.InDelta(t, count[0], count[1], 100)
	require.Equal(t, p.X, normal(4000, 2, 5, 1).X)
	require.NotEqual(t, p.X, normal(4000, 2, 5, 2).X)
}

func TestFiguresStopWhenAsked(t *testing.T) {
	figurestest.Stops(t, Figures(), "wang-3", "wang-4", "wang-5", "wang-6")
}
