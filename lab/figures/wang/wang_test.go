package wang

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/lab/figures"
	"anond/lab/figures/figurestest"
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
		if id == "wang-6" && !tier.Full() {
			t.Log("PARTLY RUN: wang-6 is wang-5 on Adult; the full tier runs it")
			continue
		}
		r := figurestest.Run(t, Figures(), id)
		for i, rows := range []int{5, 5, 4, 4} {
			figurestest.Columns(t, r.Panels[i], rows, series...)
		}
		decided(t, r, 3)
		panels := map[string]figures.Panel{}
		for _, p := range r.Panels {
			panels[p.Name] = p
		}
		figurestest.Columns(t, panels["e"], 6, "full-update", "i3m", "nearest", "exists j")
		require.Len(t, r.Claims[1].Readings, len(readings))
		over := len(settings)
		if id == "wang-5" {
			require.Len(t, panels, 13)
			over += 4
		} else {
			require.Len(t, panels, 11)
		}
		require.Len(t, r.Claims[2].Readings, over)
		reaches(t, panels["k"])
	}
}

// reaches holds what each reading must do to the part of the table that is
// partitioned anew, whatever the records are.
func reaches(t *testing.T, p figures.Panel) {
	t.Helper()
	column := map[string][]float64{}
	for i, name := range p.Header {
		for _, row := range p.Rows {
			v, err := strconv.ParseFloat(row[i], 64)
			require.NoError(t, err)
			column[name] = append(column[name], v)
		}
	}
	of := func(b batch, r reading) []float64 {
		v := column[setting{b, plain, r}.reach()]
		require.Len(t, v, len(updateKs), "%s, %s", b.name, r.name)
		return v
	}
	for i := range updateKs {
		require.LessOrEqual(t, of(onePercent, nearest1)[i], of(onePercent, nearest8)[i], "topN")
		require.LessOrEqual(t, of(onePercent, everyJ)[i], of(onePercent, exists8)[i], "neighbours")
		require.LessOrEqual(t, of(everyK, nearest1)[i], of(everyK, global)[i], "global")
	}
	require.Less(t, of(onePercent, nearest1)[0], of(onePercent, nearest8)[0])
	require.Less(t, of(onePercent, everyJ)[0], of(onePercent, exists8)[0])
	require.InDelta(t, 1, of(onePercent, global)[0], 1e-9, "small classes: some record is in none, and the update is global")
	require.Greater(t, of(atOnce, nearest1)[0], 2*of(everyK, nearest1)[0], "the more records an update takes, the more of the table")
}

// Both implementations of close-k make the same classes, so C_AVG does not
// depend on which is taken.
func TestBothCloseKMakeTheSameClasses(t *testing.T) {
	for _, values := range []int{5, 40} {
		p := normal(600, 3, values, 2)
		for _, k := range []int{2, 7} {
			want := equivclass.Requirement{K: k, L: 1}
			a, _ := stored.by.Partition(p, want)
			b, _ := plain.by.Partition(p, want)
			require.Equal(t, equivtest.Sorted(a), equivtest.Sorted(b))
		}
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
