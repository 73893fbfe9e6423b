package dpo

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
)

// TestPeopleAreCountedByTheirGroup: people and not groups are counted, a share at the end of a row belongs to it, and many sizes make
// ranges that double.
func TestPeopleAreCountedByTheirGroup(t *testing.T) {
	bag := func(values ...equivclass.Code) equivclass.Bag { return equivclass.BagOfCodes(values) }
	bags := []equivclass.Bag{bag(0, 1, 2, 3, 4), bag(0, 1, 2, 3), bag(0, 0, 1, 2, 3, 4, 5, 6, 7, 8), bag(0, 0, 1, 2, 3)}
	assert.Equal(t, []part{{"above 15 to 20\u202f%", "15", "62.5\u202f%", 62.5}, {"above 20 to 25\u202f%", "4", "16.7\u202f%", 16.7},
		{"above 35 to 40\u202f%", "5", "20.8\u202f%", 20.8}}, byShare(bags))
	assert.Equal(t, example{Size: 5, Top: 2, Share: "40.0\u202f%"}, exampleOf(bags, bags), "12 of 24 people are in groups up to it")

	names := func(parts []part) (out []string) {
		for _, p := range parts {
			out = append(out, p.Name+": "+p.People)
		}
		return out
	}
	assert.Equal(t, []string{"5: 10", "10: 10"}, names(bySize([]int{5, 10, 5})))
	assert.Equal(t, []string{"5 to 9: 35", "10 to 13: 46"}, names(bySize([]int{5, 6, 7, 8, 9, 10, 11, 12, 13})))
}

// TestHistoriesCountAtEachValue: a person counts at every value of the history, once, so that shares are those of "ever".
func TestHistoriesCountAtEachValue(t *testing.T) {
	d := equivclass.NewSequences(equivclass.Attribute{Name: "illness"}, 2)
	var codes []equivclass.Code
	for _, h := range [][]string{{"flu", "cold"}, {"cold", "flu"}, {"flu", "flu"}, {"gout", "burn"}} {
		codes = append(codes, d.Sequence(equivclass.Joined(h)))
	}
	bags := []equivclass.Bag{equivclass.BagOfCodes(codes)}
	assert.Equal(t, 1, topOf(bags[0]))
	promised := promisedOf(bags, d, false)
	assert.Equal(t, 3, topOf(promised[0]))
	assert.Equal(t, example{Size: 4, Top: 3, Share: "75.0\u202f%"}, exampleOf(bags, promised))
}
