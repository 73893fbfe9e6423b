package lgb

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/lab/topdown"
)

// Figure 3: the QI partition has three subsets (a), the local equivalence groups
// cut the third in two (b).
func TestLGBFigure3(t *testing.T) {
	table := FlaggedExample(t)
	subsets, rest := LGB{K: 2}.subsets(table, make([]bool, table.Len()))
	require.Empty(t, rest)
	var rows [][]int32
	for _, s := range subsets {
		rows = append(rows, s.rows)
	}
	assert.ElementsMatch(t, [][]int32{{0, 1}, {2, 5}, {3, 4, 6, 7}}, rows)
	result, err := lgbOf(2, 2, topdown.Mondrian{}).Run(table)
	require.NoError(t, err)
	assert.ElementsMatch(t, FlaggedExampleGroups, result.Groups)
}
