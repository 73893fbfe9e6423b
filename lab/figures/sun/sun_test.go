package sun

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/query"
	"anond/lab/figures/dataset"
	"anond/lab/figures/figurestest"
)

func TestErrorFigures(t *testing.T) {
	ids := []string{"sun-2", "sun-7", "sun-3", "sun-4", "sun-5", "sun-6"}
	for _, id := range ids[:tier.Of(t, 1, 2, len(ids))] {
		r := figurestest.Run(t, Figures(), id)
		require.Len(t, r.Panels, 2, id)
		for _, p := range r.Panels {
			series := figurestest.SeriesOf(p)
			for _, name := range []string{anatomyName, orgName, multiName, ncpName, upName, fixedName, ownCellsName, asPrintedName} {
				require.Equal(t, 5, series[name], "%s: %s", id, name)
			}
			require.Len(t, series, 8)
		}
	}
}

func TestTimeFigures(t *testing.T) {
	tier.NotShort(t, "it measures times")
	require.Len(t, figurestest.Run(t, Figures(), "sun-8").Panels, 1)
	tier.Heavy(t, "two more panels of times")
	require.Len(t, figurestest.Run(t, Figures(), "sun-9").Panels, 2)
}

func TestFiguresStopWhenAsked(t *testing.T) {
	figurestest.Stops(t, Figures(), "sun-2", "sun-8")
}

// The seed fixes all numbers of the error figures.
func TestErrorsAreDeterministic(t *testing.T) {
	tier.Heavy(t, "it draws a figure twice; the frozen figures show the same")
	require.Equal(t, figurestest.Run(t, Figures(), "sun-5").Panels[0].Rows, figurestest.Run(t, Figures(), "sun-5").Panels[0].Rows)
}

// twoGroups is four records in two groups: age and sex, then the sensitive attribute.
func twoGroups(t *testing.T) (*equivclass.Table, [][]int32) {
	t.Helper()
	table := &equivclass.Table{Codes: make([][]equivclass.Code, 3)}
	rows := [][]string{{"20", "F", "a"}, {"23", "M", "b"}, {"31", "F", "a"}, {"31", "F", "a"}}
	for j, a := range []equivclass.Attribute{{Name: "age", Type: equivclass.Integer, Steps: []int64{5, 10}},
		{Name: "sex", Type: equivclass.Categorical}, {Name: "job", Type: equivclass.Categorical}} {
		d := equivclass.NewDictionary(a)
		for _, r := range rows {
			c, why := d.Encode([]byte(r[j]))
			require.Equal(t, equivclass.Accepted, why)
			table.Codes[j] = append(table.Codes[j], c)
		}
		table.Dicts = append(table.Dicts, d)
	}
	return table, [][]int32{{0, 1}, {2, 3}}
}

func bind(t *testing.T, table *equivclass.Table, text string) *query.Bound {
	t.Helper()
	q, err := query.Parse(text)
	require.NoError(t, err)
	bound, err := query.Bind(q, table.Dicts)
	require.NoError(t, err)
	return bound
}

// The statement printed in the paper counts a group's rows of SS as soon as one
// member matches; group shares split them.
func TestPrintedSQLCountsWholeGroups(t *testing.T) {
	table, groups := twoGroups(t)
	q := bind(t, table, "count where sex = F and job = a")
	require.Equal(t, 3.0, asPrinted(publishAnatomy(table, groups), q))
	require.Equal(t, 2.5, publishAnatomy(table, groups).Estimate(q).Estimate)
	none := bind(t, table, "count where age = 23 and sex = F and job = a")
	require.Equal(t, 0.0, asPrinted(publishAnatomy(table, groups), none))
}

// Full domain: the ages of the second group are one, yet shown at the table's
// depth; a range of five years has five of them.
func TestFullDomainShowsOneDepth(t *testing.T) {
	table, groups := twoGroups(t)
	tight, full := publishCells(table, groups), publishFullDomain(table, groups)
	require.Equal(t, query.Cell{Lo: 20, Hi: 24}, tight.Cells[0][0])
	require.Equal(t, query.Cell{Lo: 31, Hi: 31}, tight.Cells[1][0])
	require.Equal(t, query.Cell{Lo: 20, Hi: 24}, full.Cells[0][0])
	require.Equal(t, query.Cell{Lo: 30, Hi: 34}, full.Cells[1][0])
	require.InDelta(t, 0.4, full.Estimate(bind(t, table, "count where age = 31 and job = a")).Estimate, 1e-12, "a fifth of two")
}

func TestLiftNodes(t *testing.T) {
	source := dataset.Source("")
	table, err := source.Adult(50, dataset.AdultTree("education"), dataset.AdultTree("occupation"))
	require.NoError(t, err)
	h := table.Dicts[0].Attribute().Hierarchy
	leaf, _ := h.Leaf([]byte("Bachelors"))
	other, _ := h.Leaf([]byte("11th"))
	up := h.Parent(int(other))
	cells := [][]query.Cell{{{Node: int(leaf)}}, {{Node: up}}}
	liftNodes(cells, 0, h)
	require.Equal(t, h.Parent(int(leaf)), cells[0][0].Node)
	require.Equal(t, up, cells[1][0].Node)
}

// The search of all combinations judges as the partitioner does: the most
// general one holds, the exact one does not, and what Org(p,k) found does.
func TestEveryCombination(t *testing.T) {
	adult, err := dataset.Source("").Adult(2000, columns...)
	require.NoError(t, err)
	w := defaults
	w.n, w.d, w.k = 2000, 2, 3
	sample := w.sample(adult, 1)
	levels := [][][]int32{levelsOf(sample.Dicts[0]), levelsOf(sample.Dicts[1])}
	require.Len(t, levels[0], 5, "exact, 5, 10, 20 years, and the whole domain")
	most := []int{len(levels[0]) - 1, len(levels[1]) - 1}
	require.True(t, w.heldBy(sample, levels, most))
	require.False(t, w.heldBy(sample, levels, []int{0, 0}))
	held := w.everyCombination(sample)
	require.Greater(t, held, 1)
	require.Less(t, held, len(levels[0])*len(levels[1]))
	w.k = 2001
	require.Zero(t, w.everyCombination(sample))
}
