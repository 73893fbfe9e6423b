package incremental_test

import (
	"anond/incremental/state"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChangeIsWhatIsNewOfTheView: what a release changes is the difference of the
// views of it and of the release before, also after a restart.
func TestChangeIsWhatIsNewOfTheView(t *testing.T) {
	c := lived(t, 3, 8)
	dead := 0
	for range 2 {
		for _, i := range c.m.Releases().Intents() {
			v, err := c.m.Releases().View(i.Release)
			require.NoError(t, err)
			change, err := c.m.Releases().Change(i.Release)
			require.NoError(t, err)
			require.Equal(t, i.Release-1, change.Since)
			old := func(c state.ClassView) bool { return max(c.Born, c.Died) < i.Release }
			require.Equal(t, slices.DeleteFunc(slices.Clone(v.Classes), old), change.Classes)
			require.ElementsMatch(t, slices.DeleteFunc(slices.Clone(v.Dead), old), change.Dead)
			dead += len(change.Dead)
			v.Classes, v.Dead, v.Since = change.Classes, change.Dead, change.Since
			require.Equal(t, v, change)
		}
		c.crash()
	}
	require.NotZero(t, dead)
	_, err := c.m.Releases().Change(uint32(len(c.m.Releases().Intents()) + 1))
	require.Error(t, err)
}
