package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/lake/internal/source"
	"anond/snapshot"
	"anond/snapshot/publish/publishtest"
)

// TestPartsOfErasAreOneTable: columns are those of the newest era, then what only earlier ones have, and a part has null in those that it
// does not have.
func TestPartsOfErasAreOneTable(t *testing.T) {
	dir := t.TempDir()
	publishtest.NewEras(t, 4).Publish(t, dir)
	chain, err := source.Open(snapshot.OS(), dir)
	require.NoError(t, err)
	r, err := chain.Release(0)
	require.NoError(t, err)
	tables, err := r.Tables()
	require.NoError(t, err)
	require.Len(t, tables, 5)
	var names []string
	for _, c := range tables[0].Columns {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"part", "age", "age_lower", "age_upper", "postcode", "income", "income_lower", "income_upper", "illness", "drug",
		"ward",
		"class", "bucket"}, names)
	assert.Len(t, tables[4].Parts, 2, "the first era has no pair tables")
	rows, lacking := 0, map[string]int{}
	for i := range tables[0].Parts {
		n, err := tables[0].Rows(&tables[0].Parts[i], func(values []source.Value) error {
			for c, v := range values {
				if v.Null {
					lacking[names[c]]++
				}
			}
			return nil
		})
		require.NoError(t, err)
		rows += int(n)
	}
	assert.Equal(t, 112, rows)
	assert.Equal(t, map[string]int{"income": 16, "income_lower": 16, "income_upper": 16, "illness": 16, "drug": 16, "ward": 96}, lacking)
}
