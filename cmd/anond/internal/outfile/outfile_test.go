package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplaceFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(in("victim"), []byte("precious"), 0o644))
	require.NoError(t, os.Symlink("victim", in("out")))
	require.NoError(t, os.Symlink("victim", in(".out.tmp"))) // what an attacker could prepare
	for range 2 {
		require.NoError(t, Replace(in("out"), 0o600, func(w io.Writer) error { _, err := fmt.Fprint(w, "new"); return err }))
	}
	info, err := os.Lstat(in("out"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	for name, want := range map[string]string{"victim": "precious", "out": "new"} {
		data, err := os.ReadFile(in(name))
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
}

// A file that could not be written whole leaves the old one in place.
func TestReplaceKeepsTheOldFileOnAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	full := errors.New("no space")
	require.ErrorIs(t, Replace(path, 0o600, func(w io.Writer) error { _, _ = fmt.Fprint(w, "ne"); return full }), full)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(data))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	_, err = Create(path, 0o600)
	require.ErrorIs(t, err, os.ErrExist)
}
