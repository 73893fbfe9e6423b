package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Paths are compared where their links lead, also where the end does not exist.
func TestResolveFollowsLinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	in := func(name string) string { return filepath.Join(root, name) }
	require.NoError(t, os.MkdirAll(in("real/sub"), 0o700))
	for link, to := range map[string]string{"link": "real", "chain": "link", "deep": "real/sub", "dangling": "real/nothing", "loop": "loop",
		"up": "real/sub/..", "abroad": in("real")} {
		require.NoError(t, os.Symlink(to, in(link)))
	}
	for path, want := range map[string]string{
		"real": "real", "link": "real", "chain/x": "real/x", "deep/a/b/c": "real/sub/a/b/c", "dangling": "real/nothing",
		"dangling/x": "real/nothing/x",
		"nowhere/x":  "nowhere/x", "up/y": "real/y", "abroad/z": "real/z", "deep/../x": "x",
	} {
		assert.Equal(t, in(want), resolve(in(path)), path)
	}
	assert.NotEmpty(t, resolve(in("loop/x")), "a loop of links comes to an end")
	assert.True(t, Inside(in("link"), in("real/x")))
	assert.True(t, Inside(in("real"), in("dangling/x")))
	assert.False(t, Inside(in("deep"), in("link")))

	require.NoError(t, os.WriteFile(in("file"), nil, 0o600))
	require.NoError(t, os.Link(in("file"), in("real/name")))
	assert.True(t, same(in("file"), in("link/name")))
	assert.True(t, named(in("link"), in("file")))
	assert.False(t, named(in("deep"), in("file")))
}
