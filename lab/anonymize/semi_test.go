package anonymize

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// TestParseFlag: the words of both sides in any case, and nothing else.
func TestParseFlag(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "T": true, "YES": true, "y": true, "1": true, "False": false, "f": false,
		"no": false, "N": false, "0": false} {
		got, ok := parseFlag(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", " true", "2", "01", "maybe", "truetrue", "ja"} {
		_, ok := parseFlag(text)
		assert.False(t, ok, text)
	}
	_, ok := parseFlag("")
	assert.False(t, ok)
}

// Ranks follow values, not the order in which they came: example 1 of
// t-closeness (Li, Li and Venkatasubramanian), salaries 3k to 11k against 3k, 4k,
// 5k: 0.375.
func TestGroundRanksNumbersByValue(t *testing.T) {
	d := equivclass.NewDictionary(equivclass.Attribute{Name: "pay", Type: equivclass.Integer})
	var all, low equivclass.Bag
	for _, v := range []string{"11", "3", "7", "5", "9", "4", "10", "6", "8"} {
		code := equivtest.Code(t, d, v)
		all.Add(code, 1)
		if v == "3" || v == "4" || v == "5" {
			low.Add(code, 1)
		}
	}
	assert.InDelta(t, 0.375, groundOf(d, "ordered").Distance(low, all), 1e-9)
	assert.Equal(t, "ordered", groundOf(d, "ordered").Name())
	h := equivtest.Tree(t)
	tree := equivclass.NewDictionary(equivclass.Attribute{Type: equivclass.Categorical, Hierarchy: h})
	for name, want := range map[string]equivclass.Ground{"hierarchical": equivclass.TreeGround{Tree: h}, "equal": equivclass.EqualGround{},
		"": equivclass.EqualGround{}} {
		assert.Equal(t, want, groundOf(tree, name))
	}
	assert.Len(t, groundOf(tree, "ordered").(equivclass.OrderedGround).Rank, h.Leaves())
}

// TestEachRuleOfSemiAlone: a single break gives a single sentence, which names the attribute.
func TestEachRuleOfSemiAlone(t *testing.T) {
	h := equivtest.Tree(t)
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "sex", Role: equivclass.Quasi, Type: equivclass.Categorical}, {Name: "zip", Role: equivclass.Quasi, Type: equivclass.Categorical,
			Hierarchy: h}, {Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	for want, x := range map[string]struct {
		name string
		p    semi
	}{
		`"ill" is not a quasi-identifier`: {"ill", semi{L: 2}}, `"nose" is not a quasi-identifier`: {"nose", semi{L: 2}},
		`"sex" needs one of l and t`: {"sex", semi{}}, `"age" needs one of l and t`: {"age", semi{L: 2, T: 0.1}},
		`"sex": at l = 1 nothing`: {"sex", semi{L: 1}}, `"sex" has a distance or reference`: {"sex", semi{L: 2, Distance: "equal"}},
		`"sex": t is not between`: {"sex", semi{T: 1}}, `"sex": use equal distances`: {"sex", semi{T: 0.1, Distance: "ordered"}},
		`"age": use equal distances`: {"age", semi{T: 0.1, Distance: "hierarchical"}},
		`"sex": the counts`:          {"sex", semi{T: 0.1, Reference: map[string]int{"F": 0}}},
	} {
		require.ErrorContains(t, CheckSemi(schema, map[string]semi{x.name: x.p}), want)
	}
	good := map[string]semi{"age": {T: 0.2, Distance: "ordered"}, "zip": {T: 0.1, Distance: "hierarchical"}, "sex": {T: 0.1, Flag: "hidden"}}
	require.NoError(t, CheckSemi(schema, good))
	assert.Equal(t, "equal", good["sex"].Distance)
	_, _, err = withFlags(schema, map[string]semi{"sex": {L: 2, Flag: "age"}})
	assert.ErrorContains(t, err, `"age" flags "sex", and has role quasi itself`)
}
