package frontier

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rows of level L1 whose numbers grow with the hold, in straight lines.
func rowsOfL1(seed uint64) (rows []frontierRow) {
	for _, hold := range []float64{2, 0, 1} {
		rows = append(rows, frontierRow{Seed: seed, Policy: "append", MeanHoldStreamed: hold, NCPInterval: 1 - .1*hold, QueryLarge: .4 - .1*hold})
	}
	return rows
}

func TestCompareAtTheSameHold(t *testing.T) {
	rows := append(rowsOfL1(1),
		frontierRow{Seed: 1, Policy: "L2", MaxHold: 5, MeanHoldStreamed: .5, NCPInterval: .3, QueryLarge: .7, MedianBucket: 30},
		frontierRow{Seed: 1, Policy: "L2", MaxHold: 8, MeanHoldStreamed: 1.01, NCPInterval: .2}, frontierRow{Seed: 1, Policy: "regroup x2"})
	found := compare(append(rows, rowsOfL1(2)...))
	require.Len(t, found, 2, "there is no level L2 for seed 2")
	require.Equal(t, []float64{1, 2}, []float64{found[0].HoldAtMost, found[1].HoldAtMost})
	require.Equal(t, []int64{5, 8}, []int64{found[0].MaxHold, found[1].MaxHold}, "the longest hold that is allowed")
	require.Equal(t, 30, found[0].MedianBucket)
	require.InDelta(t, .95, found[0].NCPIntervalL1, 1e-12, "halfway between two rows")
	require.InDelta(t, 2, found[0].QueryLarge, 1e-12, ".7 against .35")
	require.Zero(t, found[0].QuerySmall, "not asked")
	require.Empty(t, compare(rows[:3]))
	late := append(rowsOfL1(1), frontierRow{Seed: 1, Policy: "L2", MeanHoldStreamed: 3})
	require.Empty(t, compare(late), "level L2 waits longer than is allowed")
}

func TestBetweenStaysWithinTheRows(t *testing.T) {
	rows := of(rowsOfL1(1), 1, "append")
	for hold, want := range map[float64]float64{-1: 1, 0: 1, .25: .975, 1: .9, 2: .8, 5: .8} {
		require.InDelta(t, want, between(rows, hold).NCPInterval, 1e-12, hold)
	}
}

func TestSpreads(t *testing.T) {
	r := &Result{Comparison: []comparison{{HoldAtMost: 1, NCPInterval: .2}, {HoldAtMost: 2, NCPInterval: 9}, {HoldAtMost: 1, NCPInterval: .4}}}
	s := r.Spreads(1)
	require.Equal(t, "ncp_interval", s[1].Name)
	require.InDeltaSlice(t, []float64{.3, .2, .4}, []float64{s[1].Mean, s[1].Low, s[1].High}, 1e-12)
	require.Empty(t, r.Spreads(3))
}

// Several seeds are measured in one run, and each as if it were alone.
func TestSeeds(t *testing.T) {
	o := Options{Dataset: "acs", K: 5, L: 2, Seed: 1, Seeds: 2, Scale: .03, Bare: true, Policies: []string{"append", "L2"},
		MaxHolds: []int64{0}}
	both, err := Measure(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, "acs", both.Dataset)
	o.Seed, o.Seeds = 2, 1
	second, err := Measure(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, both.Rows, 4)
	for i, row := range second.Rows {
		row.Seconds = both.Rows[2+i].Seconds
		require.Equal(t, row, both.Rows[2+i])
	}
}
