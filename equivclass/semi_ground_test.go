package equivclass

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Ranks follow values, not the order in which they came: example 1 of
// t-closeness (Li, Li and Venkatasubramanian), salaries 3k to 11k against 3k, 4k,
// 5k: 0.375.
func TestSemiGroundRanksNumbersByValue(t *testing.T) {
	d := NewDictionary(Attribute{Name: "pay", Type: Integer, Promise: &SemiPromise{T: 0.1, Distance: "ordered"}})
	var all, low Bag
	for _, v := range []string{"11", "3", "7", "5", "9", "4", "10", "6", "8"} {
		code := d.Add([]byte(v))
		all.Add(code, 1)
		if v == "3" || v == "4" || v == "5" {
			low.Add(code, 1)
		}
	}
	assert.InDelta(t, 0.375, SemiGround(d).Distance(low, all), 1e-9)
	assert.Equal(t, "ordered", SemiGround(d).Name())
	h := queryTree(t)
	for name, want := range map[string]Ground{"hierarchical": TreeGround{Tree: h}, "equal": EqualGround{}, "": EqualGround{}} {
		assert.Equal(t, want, SemiGround(NewDictionary(Attribute{Type: Categorical, Hierarchy: h, Promise: &SemiPromise{T: 0.1, Distance: name}})))
	}
	ordered := SemiGround(NewDictionary(Attribute{Type: Categorical, Hierarchy: h, Promise: &SemiPromise{T: 0.1, Distance: "ordered"}}))
	assert.Len(t, ordered.(OrderedGround).Rank, h.Leaves())
}
