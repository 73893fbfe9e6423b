package figures

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures/dataset"
)

// small runs a figure at a scale at which it takes a moment.
func small(t *testing.T, id string) *Result {
	t.Helper()
	f, ok := Find(id)
	require.True(t, ok)
	var steps int
	r, err := f.Run(context.Background(), Input{Data: data(t), Seed: 1, Scale: 0.01, Progress: func(string) { steps++ }})
	require.NoError(t, err)
	require.Positive(t, steps)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = f.Run(stopped, Input{Data: data(t), Seed: 1, Scale: 0.01})
	require.True(t, errors.Is(err, context.Canceled), "a figure heeds its context")
	return r
}

// shape holds a panel's series and number of rows.
func shape(t *testing.T, p Panel, rows int, series ...string) {
	t.Helper()
	require.Equal(t, series, p.Header[1:], "panel %s", p.Name)
	require.Len(t, p.Rows, rows, "panel %s", p.Name)
	for _, r := range p.Rows {
		require.Len(t, r, len(p.Header))
		for _, cell := range r {
			require.NotContains(t, []string{"NaN", "+Inf", "-Inf", ""}, cell)
		}
	}
}

func decided(t *testing.T, r *Result, claims int) {
	t.Helper()
	require.Len(t, r.Claims, claims)
	for _, c := range r.Claims {
		require.NotEmpty(t, c.Text)
		require.NotEmpty(t, c.Numbers(), c.Text)
		require.Contains(t, []Verdict{Holds, HoldsNot, Undecided}, c.Verdict())
		require.Equal(t, c.Verdict() != Holds, c.Why != "", c.Text)
	}
}

func TestWangFiguresOfPartitions(t *testing.T) {
	methods := []string{"wang-close-k", "wang-median", "single-dimensional", "mondrian", "mondrian-relaxed", "mondrian-both", "extract"}
	r := small(t, "wang-3")
	require.Len(t, r.Panels, 5)
	for i, rows := range []int{7, 7, 7, 7, 5} {
		shape(t, r.Panels[i], rows, methods...)
	}
	decided(t, r, 6)
	require.Equal(t, r.Panels[0].Rows, small(t, "wang-3").Panels[0].Rows, "the seed fixes the result")

	r = small(t, "wang-4")
	require.Len(t, r.Panels, 4)
	for _, p := range r.Panels {
		shape(t, p, 9, methods...)
	}
	decided(t, r, 3)
}

func TestWangFiguresOfUpdates(t *testing.T) {
	paper := []string{"full-update", "incremental", "i3m"}
	for id, series := range map[string][]string{"wang-5": append(paper[:3:3], "incremental with extract"), "wang-6": paper} {
		r := small(t, id)
		require.Len(t, r.Panels, 4)
		for i, rows := range []int{5, 5, 4, 4} {
			shape(t, r.Panels[i], rows, series...)
		}
		decided(t, r, 3)
	}
}

func TestWangNormalIsBellShaped(t *testing.T) {
	p := wangNormal(4000, 2, 5, 1)
	count := map[float32]int{}
	for _, x := range p.X {
		count[x]++
	}
	require.Len(t, count, 5)
	require.Greater(t, count[0.5], count[0.25])
	require.Greater(t, count[0.25], count[0])
	require.InDelta(t, count[0], count[1], 100)
	require.Equal(t, p.X, wangNormal(4000, 2, 5, 1).X)
	require.NotEqual(t, p.X, wangNormal(4000, 2, 5, 2).X)
}

// data is the directory of the public datasets.
func data(t *testing.T) dataset.Source {
	t.Helper()
	dir := os.Getenv("ANOND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "adult.csv.gz")); err != nil {
		t.Skip("SKIPPED, NOT TESTED: adult.csv.gz is not here; set ANOND_DATA to the directory that holds it")
	}
	return dataset.Source(dir)
}
