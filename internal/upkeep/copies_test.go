package upkeep

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/fault"
)

// TestNoRoomForACopy: a copy that would fill the disk is refused, in words.
func TestNoRoomForACopy(t *testing.T) {
	require.NoError(t, checkRoom(t.TempDir(), 1))
	err := checkRoom(t.TempDir(), math.MaxInt64/2)
	require.ErrorContains(t, err, "there is no room for a copy of the state in ")
	require.NotEmpty(t, fault.Hint(err))
}
