// Package figurestest has the checks that the tests of every paper's figures
// share. For tests only.
//
// Guarantee: Run fails a figure that reports no steps, ignores its context,
// draws panels whose rows do not fit their header or are not finite, or judges
// a claim without numbers and, where it does not hold, without a reason.
//
// Method: the figure runs at a small share of the paper's sizes.
//
// Cost: seconds for each figure. Source: ours.
package figurestest

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/lab/figures"
)

// Find returns the figure of an ID.
func Find(t testing.TB, of []figures.Figure, id string) figures.Figure {
	t.Helper()
	for _, f := range of {
		if f.ID == id {
			return f
		}
	}
	require.Fail(t, "no figure "+id)
	return figures.Figure{}
}

// scale is the share of the papers' sizes at which a figure takes a moment.
const scale = 0.01

// Run runs a figure at a small scale and checks what every figure must do:
// report its steps and heed its context, draw rows of finite numbers as wide as
// their header, and make claims that say what was measured, with a reason where
// they do not hold.
func Run(t testing.TB, of []figures.Figure, id string) *figures.Result {
	t.Helper()
	f := Find(t, of, id)
	steps := 0
	r, err := f.Run(context.Background(), figures.Input{Seed: 1, Scale: scale, Progress: func(string) { steps++ }})
	require.NoError(t, err)
	require.Positive(t, steps)
	require.NotEmpty(t, r.Panels)
	for _, p := range r.Panels {
		numbers(t, id, p)
	}
	require.NotEmpty(t, r.Claims)
	for _, c := range r.Claims {
		assert.NotEmpty(t, c.Text)
		assert.NotEmpty(t, c.Numbers(), c.Text)
		assert.Contains(t, figures.Verdicts(), c.Verdict())
		if c.Verdict() == figures.Holds {
			assert.Empty(t, c.Why, c.Text)
		}
	}
	return r
}

// numbers holds that a panel's rows are as wide as its header, and its cells
// finite where they are numbers.
func numbers(t testing.TB, id string, p figures.Panel) {
	t.Helper()
	require.NotEmpty(t, p.Rows)
	for _, row := range p.Rows {
		require.Len(t, row, len(p.Header))
		for _, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			finite := err != nil || !math.IsNaN(v) && !math.IsInf(v, 0)
			require.True(t, finite && cell != "", "%s panel %s: %v", id, p.Name, row)
		}
	}
}

// Stops holds that a figure ends with its context.
func Stops(t testing.TB, of []figures.Figure, ids ...string) {
	t.Helper()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, id := range ids {
		_, err := Find(t, of, id).Run(stopped, figures.Input{Seed: 1, Scale: scale})
		require.ErrorIs(t, err, context.Canceled, id)
	}
}

// Columns holds the series and the number of rows of a panel that lists them
// side by side.
func Columns(t testing.TB, p figures.Panel, rows int, series ...string) {
	t.Helper()
	require.Equal(t, series, p.Header[1:], "panel %s", p.Name)
	require.Len(t, p.Rows, rows, "panel %s", p.Name)
}

// SeriesOf counts the rows of each series of a panel that lists them one after
// the other.
func SeriesOf(p figures.Panel) map[string]int {
	out := map[string]int{}
	for _, row := range p.Rows {
		out[row[1]]++
	}
	return out
}
