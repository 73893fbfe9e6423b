package publish_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestCurrentDoesNotGoBack: a process that catches up publishes release 1 again. The one before it, which does not
// know yet that it is too late, publishes release 2 in the same directory meanwhile.
func TestCurrentDoesNotGoBack(t *testing.T) {
	root := t.TempDir()
	all := views(t)
	old := publisher(unsynced{FS: snapshot.OS()}, root)
	require.NoError(t, old.Open())
	first, err := old.Publish(publish.Of(all[0]), settings(render.Anatomy()))
	require.NoError(t, err)

	late := publisher(unsynced{FS: snapshot.OS()}, root)
	require.NoError(t, late.Open())
	late.Repeats = &first.SHA256
	late.Hook = func(s publish.Step) error {
		if s != publish.StepRename {
			return nil
		}
		_, err := old.Publish(publish.Of(all[1]), settings(render.Anatomy()))
		return err
	}
	again, err := late.Publish(publish.Of(all[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	require.Equal(t, first.SHA256, again.SHA256)
	current, err := os.ReadFile(filepath.Join(late.Dir, "CURRENT"))
	require.NoError(t, err)
	require.Equal(t, "000002\n", string(current))
}
