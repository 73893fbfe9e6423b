package pools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/state"
)

// TestBagsOfHistories: a person counts once at each value that the history has anywhere, so that the counts come to more than there are
// people; and a bucket is refused in which more than 1/l of the people have ever had a value, whatever the shares of histories are.
func TestBagsOfHistories(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "drug", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	c := state.NewColumns(schema)
	c.Sequences(3)
	people := []state.RecordID{}
	for i, h := range [][]string{{"gout", "flu"}, {"flu", "flu"}, {"cold", "gout"}, {"zoster", "cold"}} {
		drugs := equivclass.Joined([]string{"d", string(rune('a' + i))})
		why, _ := c.Append(equivclass.Row{[]byte("30"), []byte(equivclass.Joined(h)), []byte(drugs)})
		require.Equal(t, equivclass.Accepted, why)
		people = append(people, state.RecordID(i))
	}
	policy := &state.Policy{Promises: map[int]*promise.Promise{1: promise.Frequency(2), 2: promise.Frequency(1)}}
	m := numbered(&c, policy)
	require.Equal(t, []string{"cold", "flu", "gout", "zoster"}, m.attributes[0].Values)
	want := merge.Bag{{Value: 0, N: 2}, {Value: 1, N: 2}, {Value: 2, N: 2}, {Value: 3, N: 1},
		{Value: 4, N: 1}, {Value: 5, N: 1}, {Value: 6, N: 1}, {Value: 7, N: 4}}
	require.Equal(t, want, m.bagOf(people), "of the drugs a, b, c, d everybody has d")
	many := make([]state.RecordID, 0, 400)
	for range 100 {
		many = append(many, people...)
	}
	for i, n := range m.bagOf(many) {
		require.Equal(t, merge.Count{Value: want[i].Value, N: 100 * want[i].N}, n, "many are counted as few are")
	}
	policy = &state.Policy{Promises: map[int]*promise.Promise{1: promise.Frequency(2), 2: {Most: promise.NewRatio(1, 1)}}}
	judge := Judge(&c, policy, nil, people)
	require.NoError(t, judge(people))
	require.ErrorContains(t, judge(people[:3]), "requirement", "two of three have ever had flu, though no history comes twice")
}
