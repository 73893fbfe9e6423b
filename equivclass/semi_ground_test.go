package equivclass_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// Ranks follow values, not the order in which they came: example 1 of
// t-closeness (Li, Li and Venkatasubramanian), salaries 3k to 11k against 3k, 4k,
// 5k: 0.375.
func TestSemiGroundRanksNumbersByValue(t *testing.T) {
	d := equivclass.NewDictionary(equivclass.Attribute{Name: "pay", Type: equivclass.Integer,
		Promise: &equivclass.SemiPromise{T: 0.1, Distance: "ordered"}})
	var all, low equivclass.Bag
	for _, v := range []string{"11", "3", "7", "5", "9", "4", "10", "6", "8"} {
		code := equivtest.Code(t, d, v)
		all.Add(code, 1)
		if v == "3" || v == "4" || v == "5" {
			low.Add(code, 1)
		}
	}
	assert.InDelta(t, 0.375, equivclass.SemiGround(d).Distance(low, all), 1e-9)
	assert.Equal(t, "ordered", equivclass.SemiGround(d).Name())
	h := equivtest.Tree(t)
	for name, want := range map[string]equivclass.Ground{"hierarchical": equivclass.TreeGround{Tree: h}, "equal": equivclass.EqualGround{},
		"": equivclass.EqualGround{}} {
		assert.Equal(t, want, equivclass.SemiGround(equivclass.NewDictionary(equivclass.Attribute{Type: equivclass.Categorical, Hierarchy: h,
			Promise: &equivclass.SemiPromise{T: 0.1, Distance: name}})))
	}
	ordered := equivclass.SemiGround(equivclass.NewDictionary(equivclass.Attribute{Type: equivclass.Categorical, Hierarchy: h,
		Promise: &equivclass.SemiPromise{T: 0.1, Distance: "ordered"}}))
	assert.Len(t, ordered.(equivclass.OrderedGround).Rank, h.Leaves())
}
