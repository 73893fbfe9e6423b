package beliefs

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
)

// TestExactNumbersOfAnIntervalAreOneValue: the promise is about intervals of exact numbers, and so are beliefs: three numbers of an
// interval with a fifth each are a belief of three fifths.
func TestExactNumbersOfAnIntervalAreOneValue(t *testing.T) {
	var b Beliefs
	values := [][]int{{0}, {0}, {0}, {1}}
	b.add([]float64{.2, .2, .2, .4}, values, 5, 2, true)
	b.add([]float64{.1, .1, .1, .7}, values, 1, 0, true)
	assert.Equal(t, 6, b.People)
	assert.Equal(t, 5, *b.Right)
	assert.Equal(t, []int{6, 6, 0}, []int{b.Above[0].People, b.Above[1].People, b.Above[2].People})
	assert.Equal(t, []int{5, 5, 0}, []int{*b.Above[0].Right, *b.Above[1].Right, *b.Above[2].Right})
}

// TestAHistoryCountsAtEachOfItsValues: what is believed of people with histories is that a value occurs anywhere, each once.
func TestAHistoryCountsAtEachOfItsValues(t *testing.T) {
	d := equivclass.NewSequences(equivclass.Attribute{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}, 2)
	for _, h := range [][]string{{"flu", "flu"}, {"flu", "gout"}, {"gout", "flu"}, {"gout"}} {
		d.Sequence(equivclass.Joined(h))
	}
	values := counted(d)
	assert.Equal(t, [][]int{{0}, {0, 1}, {1, 0}, {1}}, [][]int{values[0], values[1], {values[2][1], values[2][0]}, values[3]})
	var b Beliefs
	b.add([]float64{.1, .3, .35, .25}, values, 2, 2, true) // gout .9, flu .75
	b.add([]float64{.5, .1, .05, .35}, values, 1, 0, true) // flu .65
	assert.Equal(t, []int{3, 3, 2}, []int{b.Above[0].People, b.Above[1].People, b.Above[2].People})
	assert.Equal(t, 3, *b.Right)
	assert.InDeltaSlice(t, []float64{.25, .375, .375, 0}, ofLength([]float64{.2, .3, .3, .2}, d, 1), .001)
}
