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
	alike := []equivclass.Code{0, 0, 0, 3}
	b.add([]float64{.2, .2, .2, .4}, alike, 5, 2, true)
	b.add([]float64{.1, .1, .1, .7}, alike, 1, 0, true)
	assert.Equal(t, 6, b.People)
	assert.Equal(t, 5, *b.Right)
	assert.Equal(t, []int{6, 6, 0}, []int{b.Above[0].People, b.Above[1].People, b.Above[2].People})
	assert.Equal(t, []int{5, 5, 0}, []int{*b.Above[0].Right, *b.Above[1].Right, *b.Above[2].Right})
}
