package profile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/promise"
)

// TestPoolsOfSeveralAttributes: each sensitive attribute is told apart, with what could be promised of it; pools are large
// enough for all; and
// no value is named.
func TestPoolsOfSeveralAttributes(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "hiv", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	table := newTable(schema, nil)
	for i := range 1000 {
		hiv := "secret-no"
		if i%10 == 0 {
			hiv = "secret-yes"
		}
		why, _ := table.Append(equivclass.Row{[]byte("30"), []byte("secret-" + string(rune('a'+i%8))), []byte(hiv)})
		require.Equal(t, equivclass.Accepted, why)
	}
	rare, err := promise.Parse("0.3")
	require.NoError(t, err)
	said := func(promises map[int]*promise.Promise, l int) (*Pools, string) {
		p, text := poolsFor(table, 10, l, promises, 5000), strings.Builder{}
		p.Text(&text)
		assert.NotContains(t, text.String(), "secret")
		return p, text.String()
	}

	p, text := said(nil, 5)
	assert.Equal(t, 0, p.MinPool, "hiv has a value with 90 %")
	assert.Equal(t, "hiv", p.Asks)
	assert.Equal(t, []string{"diagnosis", "hiv"}, []string{p.Attributes[0].Name, p.Attributes[1].Name})
	assert.Equal(t, []int{6, 1}, []int{p.Attributes[0].L, p.Attributes[1].L})
	assert.NotEmpty(t, p.Attributes[1].Gain)
	assert.Contains(t, text, `no pool is large enough for what is promised of "hiv"`)

	p, text = said(map[int]*promise.Promise{2: {AtMost: map[string]promise.Ratio{"secret-yes": rare}}}, 5)
	assert.Equal(t, "diagnosis", p.Asks)
	assert.InDelta(t, .125, p.TopShare(), 1e-9, "that of hiv does not count")
	assert.Greater(t, p.MinPool, 300)
	assert.Equal(t, p.Need[3].Records, p.MinPool, "the need of l = 5")
	assert.Contains(t, text, `Of the attributes "diagnosis" asks for most.`)

	p, text = said(map[int]*promise.Promise{1: promise.Frequency(2), 2: {AtMost: map[string]promise.Ratio{"secret-yes": rare}}}, 0)
	assert.Equal(t, "hiv", p.Asks)
	assert.Empty(t, p.Need)
	assert.Contains(t, text, "what is promised needs pools of ")
}

// TestWhatCouldBePromisedOfThoseWhoHaveAValue: where nothing is promised of a missing value, shares are of those who have one.
func TestWhatCouldBePromisedOfThoseWhoHaveAValue(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "income", Role: equivclass.Sensitive, Type: equivclass.Categorical, Missing: equivclass.OpenMissing},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	reached := func(open bool, none, valued int) (*Pools, string) {
		table := newTable(schema, nil)
		for i := range none + valued {
			income := "secret-" + string(rune('a'+i%4))
			if i >= valued {
				income = ""
			}
			why, _ := table.Append(equivclass.Row{[]byte("30"), []byte("x" + string(rune('a'+i%8))), []byte(income)})
			require.Equal(t, equivclass.Accepted, why)
		}
		p, text := poolsFor(table, 10, 2, map[int]*promise.Promise{2: {L: 2, Open: open}}, 5000), strings.Builder{}
		p.Text(&text)
		assert.NotContains(t, text.String(), "secret")
		return p, text.String()
	}
	p, text := reached(true, 600, 400)
	assert.Equal(t, reachable{Name: "income", Values: 4, TopShare: .25, Open: 600, Promised: true, Pool: 5000, L: 3,
		Gain: p.Attributes[1].Gain, AtMost: p.Attributes[1].AtMost}, p.Attributes[1])
	assert.NotEmpty(t, p.Attributes[1].Gain)
	assert.Contains(t, text, `"income" has 4 different values, the most frequent one with 25.0 % of the 400 records that have one.`)
	all, _ := reached(true, 0, 400)
	most, _ := promise.Parse(all.Attributes[1].AtMost)
	least, _ := promise.Parse(p.Attributes[1].AtMost)
	assert.True(t, most.Less(least), "of a pool of 5000 people only 2000 have a value")

	p, _ = reached(false, 600, 400)
	like := p.Attributes[1]
	assert.Equal(t, []any{5, .6, 1}, []any{like.Values, like.TopShare, like.L}, "missing is a value like others")
	p, text = reached(true, 50, 0)
	assert.Equal(t, reachable{Name: "income", Open: 50, Promised: true, Pool: 5000, L: 1}, p.Attributes[1])
	assert.NotContains(t, text, "NaN")
}
