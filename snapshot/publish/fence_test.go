package publish_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/snapshot"
)

// TestFence: once another process may publish, no step is taken that others see,
// and what was interrupted is finished by whoever may.
func TestFence(t *testing.T) {
	want, _ := reference(t)
	lost := errors.New("lost")
	for stop := range 6 { // three steps a release
		root := t.TempDir()
		p := publisher(unsynced{FS: snapshot.OS()}, root)
		asked := 0
		var frozen map[string]string
		p.Fence = func() error {
			if asked++; asked <= stop {
				return nil
			}
			var err error
			frozen, err = readTree(root)
			require.NoError(t, err)
			return lost
		}
		var intents []state.Intent
		require.ErrorIs(t, publishAll(t, p, &intents), lost)
		got, err := readTree(root)
		require.NoError(t, err)
		require.Equal(t, frozen, got, "nothing is touched behind the fence, the rendering of another neither")
		if stop == 0 {
			for name := range got {
				require.False(t, strings.HasPrefix(filepath.ToSlash(name), "releases/000001/"), "no release has its name")
			}
		}
		require.NoError(t, publishAll(t, publisher(unsynced{FS: snapshot.OS()}, root), &intents))
		got, err = readTree(root)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
