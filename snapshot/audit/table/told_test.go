package table

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTold: all of a value's people with one other value are certain, and four of five are not above .8.
func TestTold(t *testing.T) {
	var one, two Told
	one.add(3, 3)
	one.add(5, 4)
	two.add(6, 5)
	require.Equal(t, []Told{{People: 14, Certain: 3, Likely: 9}}, joinTold(joinTold(nil, []Told{one}), []Told{two}))
}
