package figures

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/figures/dataset"
	"anond/equivclass"
)

// figureData is the directory of the datasets.
func figureData(t testing.TB) dataset.Source {
	t.Helper()
	dir := os.Getenv("ANOND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "adult.csv.gz")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED, NOT TESTED: the datasets are not here; set ANOND_DATA to the directory that holds them")
	}
	return dataset.Source(dir)
}

// runFigure runs a figure small and checks what every figure owes: rows of
// finite numbers as wide as their header, and claims that say what was measured.
func runFigure(t *testing.T, id string, scale float64) *Result {
	t.Helper()
	f, ok := Find(id)
	require.True(t, ok, id)
	r, err := f.Run(context.Background(), Input{Data: figureData(t), Seed: 1, Scale: scale})
	require.NoError(t, err)
	require.NotEmpty(t, r.Panels)
	require.NotEmpty(t, r.Claims)
	for _, p := range r.Panels {
		require.NotEmpty(t, p.Rows)
		for _, row := range p.Rows {
			require.Len(t, row, len(p.Header))
			v, err := strconv.ParseFloat(row[2], 64)
			require.NoError(t, err)
			require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "%s panel %s: %v", id, p.Name, row)
		}
	}
	for _, c := range r.Claims {
		assert.NotEmpty(t, c.Text)
		assert.Contains(t, []Verdict{Holds, HoldsNot, Undecided}, c.Verdict())
		assert.NotEmpty(t, c.Numbers(), c.Text)
	}
	return r
}

// seriesOf counts the rows of each series of a panel.
func seriesOf(p Panel) map[string]int {
	out := map[string]int{}
	for _, row := range p.Rows {
		out[row[1]]++
	}
	return out
}

func TestSunErrorFigures(t *testing.T) {
	for _, id := range []string{"sun-2", "sun-3", "sun-4", "sun-5", "sun-6", "sun-7"} {
		r := runFigure(t, id, 0.01)
		require.Len(t, r.Panels, 2, id)
		for _, p := range r.Panels {
			series := seriesOf(p)
			for _, name := range []string{sunAnatomyName, sunOrgName, sunMultiName, sunNCPName, sunUpName, sunMendedName, sunOwnCellsName, sunLiteralName} {
				require.Equal(t, 5, series[name], "%s: %s", id, name)
			}
			require.Len(t, series, 8)
		}
	}
}

func TestSunTimeFigures(t *testing.T) {
	require.Len(t, runFigure(t, "sun-8", 0.01).Panels, 1)
	require.Len(t, runFigure(t, "sun-9", 0.01).Panels, 2)
}

func TestSunFiguresStopWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, id := range []string{"sun-2", "sun-8"} {
		f, _ := Find(id)
		_, err := f.Run(ctx, Input{Data: figureData(t), Seed: 1, Scale: 0.02})
		require.ErrorIs(t, err, context.Canceled)
	}
}

// The seed fixes all numbers of the error figures.
func TestSunErrorsAreDeterministic(t *testing.T) {
	require.Equal(t, runFigure(t, "sun-5", 0.01).Panels[0].Rows, runFigure(t, "sun-5", 0.01).Panels[0].Rows)
}

// sunTwo is four records in two groups: age and sex, then the sensitive attribute.
func sunTwo(t *testing.T) (*dataset.Table, [][]int32) {
	t.Helper()
	table := &dataset.Table{Codes: make([][]equivclass.Code, 3)}
	rows := [][]string{{"20", "F", "a"}, {"23", "M", "b"}, {"31", "F", "a"}, {"31", "F", "a"}}
	for j, a := range []equivclass.Attribute{{Name: "age", Type: equivclass.Integer, Steps: []float64{5, 10}}, {Name: "sex", Type: equivclass.Categorical}, {Name: "job", Type: equivclass.Categorical}} {
		d := equivclass.NewDictionary(a)
		for _, r := range rows {
			c, found, _ := d.Find([]byte(r[j]))
			if !found {
				c = d.Add([]byte(r[j]))
			}
			table.Codes[j] = append(table.Codes[j], c)
		}
		table.Dicts = append(table.Dicts, d)
	}
	return table, [][]int32{{0, 1}, {2, 3}}
}

func sunBound(t *testing.T, table *dataset.Table, text string) *equivclass.BoundQuery {
	t.Helper()
	q, err := equivclass.ParseQuery(text)
	require.NoError(t, err)
	bound, err := equivclass.BindQuery(q, table.Dicts)
	require.NoError(t, err)
	return bound
}

// The statement printed in the paper counts a group's rows of SS as soon as one
// member matches; group shares split them.
func TestSunLiteralCountsWholeGroups(t *testing.T) {
	table, groups := sunTwo(t)
	q := sunBound(t, table, "count where sex = F and job = a")
	require.Equal(t, 3.0, sunLiteral(sunAnatomy(table, groups), q))
	require.Equal(t, 2.5, sunAnatomy(table, groups).Estimate(q).Estimate)
	none := sunBound(t, table, "count where age = 23 and sex = F and job = a")
	require.Equal(t, 0.0, sunLiteral(sunAnatomy(table, groups), none))
}

// Full domain: the ages of the second group are one, yet shown at the table's
// depth; a range of five years has five of them.
func TestSunFullDomainShowsOneDepth(t *testing.T) {
	table, groups := sunTwo(t)
	tight, full := sunGeneralized(table, groups), sunFullDomain(table, groups)
	require.Equal(t, equivclass.Cell{Lo: 20, Hi: 24}, tight.Cells[0][0])
	require.Equal(t, equivclass.Cell{Lo: 31, Hi: 31}, tight.Cells[1][0])
	require.Equal(t, equivclass.Cell{Lo: 20, Hi: 24}, full.Cells[0][0])
	require.Equal(t, equivclass.Cell{Lo: 30, Hi: 34}, full.Cells[1][0])
	require.InDelta(t, 0.4, full.Estimate(sunBound(t, table, "count where age = 31 and job = a")).Estimate, 1e-12, "a fifth of two")
}

func TestLiftNodes(t *testing.T) {
	source := figureData(t)
	table, err := source.Adult(50, dataset.AdultTree("education"), dataset.AdultTree("occupation"))
	require.NoError(t, err)
	h := table.Dicts[0].Attribute().Hierarchy
	leaf, _ := h.Leaf([]byte("Bachelors"))
	other, _ := h.Leaf([]byte("11th"))
	up := h.Parent(int(other))
	cells := [][]equivclass.Cell{{{Node: int(leaf)}}, {{Node: up}}}
	liftNodes(cells, 0, h)
	require.Equal(t, h.Parent(int(leaf)), cells[0][0].Node)
	require.Equal(t, up, cells[1][0].Node)
}
