package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/ops/chart"
)

func TestSeriesTakePointsAsTheyCome(t *testing.T) {
	s := &Series{}
	for _, v := range [][2]float64{{1, 1}, {2, 5}, {1, 3}} {
		s.Add(v[0], v[1])
	}
	require.Equal(t, []float64{1, 2}, s.X)
	require.Equal(t, []float64{2, 5}, s.Values())
	s.Timed = true
	s.Add(1, 10)
	require.Equal(t, []float64{3, 5}, s.Values(), "of times the median")
	require.Panics(t, func() { NewLines(nil, nil, nil).Of("nobody") })
}

func TestPanelsListTheirNumbers(t *testing.T) {
	s := made("m", []float64{1, 9, 2}, []float64{5, 4})
	s.Timed = true
	p := PanelOfRuns("a", "T", chart.Axis{Label: "n"}, chart.Axis{Label: "s"}, []*Series{s})
	require.Equal(t, []string{"n", "series", "s", "smallest run", "largest run", "runs"}, p.Header)
	require.Equal(t, [][]string{{"1", "m", "2", "1", "9", "3"}, {"2", "m", "4.5", "4", "5", "2"}}, p.Rows)
	require.True(t, p.Timed)

	p = linesOf([]float64{1, 2, 3}, []float64{4, 5, 6}, []float64{7, 8, 1.0 / 3}).Panel("", "T", chart.Axis{Label: "n"}, chart.Axis{})
	require.Equal(t, []string{"n", "a", "b", "c"}, p.Header)
	require.Equal(t, []string{"3", "3", "6", "0.333333"}, p.Rows[2])
	require.False(t, p.Timed)
}

func TestNumbers(t *testing.T) {
	require.Equal(t, []string{"123456789", "0.5", "1.23457"}, []string{Number(123456789, 6), Number(0.5, 6), Number(1.234567, 6)})
	require.Equal(t, []string{"45000", "0.1235"}, []string{Number(45000, 4), Number(0.12346, 4)})
	require.Equal(t, []string{"0.667", "1235", "+Inf"}, []string{Short(2. / 3), Short(1234.6), Short(math.Inf(1))})
	require.Equal(t, "0.333, 2, 4.5e+04", List([]float64{1. / 3, 2, 45000}))
}

func TestStatistics(t *testing.T) {
	require.Equal(t, []float64{2, 2.5, 0}, []float64{Median([]float64{3, 1, 2}), Median([]float64{4, 1, 2, 3}), Median(nil)})
	require.Equal(t, []float64{2, 0}, []float64{Mean([]float64{1, 3}), Mean(nil)})
	require.Equal(t, []float64{1, 0}, []float64{StandardError([]float64{1, 3}), StandardError([]float64{1})})
	require.Equal(t, 1.0, ratio(0, 0))
	require.InDelta(t, 2, Exponent([]float64{1, 10}, []float64{3, 300}), 1e-12)
}
