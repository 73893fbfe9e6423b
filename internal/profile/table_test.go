package profile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// A line with several faults is refused for the first value that is published, as
// the columns stand, then for a column that is read along, and last for the subject.
func TestFaultsCountInOrderOfTheColumns(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject},
		{Name: "private", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "pay", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	row := equivclass.Row{nil, []byte("maybe"), []byte("[flu"), []byte("x"), []byte("y")}
	const badFlag equivclass.Reason = "bad_flag"
	table := newTable(schema, []Column{{"private", func(text string) bool { return text == "yes" }, badFlag}})
	for _, step := range []struct {
		attribute int
		reason    equivclass.Reason
		good      string
	}{
		{2, equivclass.ReasonCategory, "flu"}, {3, equivclass.ReasonNumber, "900"}, {4, equivclass.ReasonNumber, "30"},
		{1, badFlag, "yes"}, {0, equivclass.ReasonMissing, "Ann"},
	} {
		why, attribute := table.add(row)
		require.Equal(t, step.reason, why)
		require.Equal(t, schema.Attributes()[step.attribute].Name, attribute)
		row[step.attribute] = []byte(step.good)
	}
	why, _ := table.add(row)
	require.Equal(t, equivclass.Accepted, why)
	require.Equal(t, 1, table.Len())
}

// A further record of a subject is judged like any other, counts as a repeat only
// if it is good, and leaves nothing in the table.
func TestRepeatsAreJudgedAndNotTakenIn(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	table := newTable(schema, nil)
	add := func(texts ...string) equivclass.Reason {
		var row equivclass.Row
		for _, text := range texts {
			row = append(row, []byte(text))
		}
		why, _ := table.add(row)
		return why
	}
	assert.Equal(t, equivclass.ReasonNumber, add("Ann", "old", "flu"), "a refused record is not a subject's first")
	assert.Equal(t, equivclass.Accepted, add("Ann", "30", "flu"))
	assert.Equal(t, equivclass.Accepted, add("Ann", "31", "cold"))
	assert.Equal(t, equivclass.ReasonNumber, add("Ann", "old", "cold"))
	assert.Equal(t, 1, table.Repeats)
	assert.Equal(t, 1, table.Len())
	assert.Equal(t, 1, table.Dicts[1].Len())
	assert.Equal(t, 1, table.Dicts[2].Len())
}
