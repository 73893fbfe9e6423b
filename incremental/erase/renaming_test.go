package erase

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestNoValueInUseIsTakenAway: an erasure that would leave a record with a value that vanishes is refused.
func TestNoValueInUseIsTakenAway(t *testing.T) {
	e := &Erasure{renamed: map[int][]equivclass.Code{1: {0, vanished, 1}}}
	codes := []equivclass.Code{2, 0}
	require.NoError(t, e.renamed.apply(1, codes))
	require.Equal(t, []equivclass.Code{1, 0}, codes)
	require.ErrorIs(t, e.renamed.apply(1, []equivclass.Code{0, 1}), errTakenAway)
	require.NoError(t, e.renamed.apply(0, []equivclass.Code{1}))
}
