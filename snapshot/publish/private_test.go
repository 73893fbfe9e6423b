package publish_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestNothingIsPublicBeforeTheGate: until the auditor has let a rendering pass,
// only the daemon's user can read it; a release has the mode of the others.
func TestNothingIsPublicBeforeTheGate(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	require.NoError(t, p.Open())
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	public := mode(p.Dir)
	require.Equal(t, fs.FileMode(0o055), public&0o055, "under a umask that lets others in")
	seen := 0
	p.Hook = func(s publish.Step) error {
		if s == publish.StepRender || s == publish.StepGate {
			seen++
			assert.Equal(t, fs.ModeDir|0o700, mode(filepath.Join(p.Dir, ".tmp-000001")), "after %s", s)
		}
		return nil
	}
	_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	assert.Equal(t, 2, seen)
	assert.Equal(t, public, mode(filepath.Join(p.Dir, "000001")))
	assert.Equal(t, fs.FileMode(0o444), mode(filepath.Join(p.Dir, "000001", "manifest.json")))
	names, err := snapshot.OS().ReadDir(p.Dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"000001", "CURRENT", "hierarchies"}, names, "nothing temporary stays")
}

// A refused rendering was never public, and is removed.
func TestARefusedRenderingIsRemoved(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	p.Gate = &testGate{refuse: publish.ErrRefused}
	require.NoError(t, p.Open())
	_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.ErrorIs(t, err, publish.ErrRefused)
	names, err := snapshot.OS().ReadDir(p.Dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"hierarchies"}, names)
}
