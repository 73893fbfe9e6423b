package query

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// What a release shows reads back as the same cell.
func TestCellReaderReadsWhatIsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	table := queryTable(t, rng, 60)
	for j, d := range table.Dicts {
		r := NewCellReader(d)
		for range 50 {
			codes := make([]equivclass.Code, 1+rng.IntN(4))
			for i := range codes {
				codes[i] = table.Codes[j][rng.IntN(60)]
			}
			cell := CellOf(d, codes)
			got, why := r.Read(cell.Text(d))
			require.Equal(t, equivclass.Accepted, why)
			require.Equal(t, cell, got)
		}
	}
}

func TestCellReaderForms(t *testing.T) {
	date := NewCellReader(equivclass.NewDictionary(equivclass.Attribute{Name: "d", Type: equivclass.Date}))
	cell, why := date.Read("[2020-01-01,2020-03-01]")
	require.Equal(t, equivclass.Accepted, why)
	assert.Equal(t, 60.0, cell.Hi-cell.Lo)
	_, why = date.Read("[2020-03-01,2020-01-01]")
	assert.Equal(t, equivclass.ReasonOutOfRange, why)
	_, why = date.Read("soon")
	assert.Equal(t, equivclass.ReasonDate, why)

	number := NewCellReader(equivclass.NewDictionary(equivclass.Attribute{Name: "n", Type: equivclass.Decimal, Digits: 4}))
	cell, why = number.Read("[-1.5,2]")
	require.Equal(t, equivclass.Accepted, why)
	assert.Equal(t, Cell{Lo: -1.5, Hi: 2}, cell)
	for _, bad := range []string{"[1]", "[1,", "", "[,]", "[1,2,3]"} {
		_, why = number.Read(bad)
		assert.Equal(t, equivclass.ReasonNumber, why, bad)
	}

	tree := NewCellReader(equivclass.NewDictionary(equivclass.Attribute{Name: "t", Type: equivclass.Categorical,
		Hierarchy: equivtest.Tree(t)}))
	_, why = tree.Read("nowhere")
	assert.Equal(t, equivclass.ReasonHierarchy, why)

	set := NewCellReader(equivclass.NewDictionary(equivclass.Attribute{Name: "s", Type: equivclass.Categorical}))
	cell, why = set.Read("{b|a|b}")
	require.Equal(t, equivclass.Accepted, why)
	assert.Equal(t, "{a|b}", cell.Text(set.dict))
	_, why = set.Read("{a|*b}")
	assert.Equal(t, equivclass.ReasonCategory, why)
}

// A release that is read from its cells answers as the one that was written.
func TestCellReleaseFromTextAnswersAlike(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	written := NewCellRelease(table.Dicts, table.Codes, equivtest.ExampleGroups, 2)
	read := &CellRelease{Dicts: table.Dicts, Sensitive: 2, Bags: written.Bags}
	for _, cells := range written.Cells {
		row := make([]Cell, 3)
		for j := range 2 {
			c, why := NewCellReader(table.Dicts[j]).Read(cells[j].Text(table.Dicts[j]))
			require.Equal(t, equivclass.Accepted, why)
			row[j] = c
		}
		read.Cells = append(read.Cells, row)
	}
	q := paBound(t, table.Dicts, equivtest.ExampleQuery)
	require.Equal(t, written.Estimate(q), read.Estimate(q))
}
