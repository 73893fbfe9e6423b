package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/disk/durabledir"
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

// directories are those of the system, and what was done to them: a directory that was there, or was synced
// into its parent, keeps its name in a power cut.
type directories struct {
	durabledir.OS
	t      *testing.T
	keeps  map[string]bool
	last   string // what was synced last
	barred string // what may not be read
}

func (d *directories) MkdirAll(dir string) error {
	require.True(d.t, d.keeps[filepath.Dir(dir)], "%s is made in a directory whose name may be lost", dir)
	return d.OS.MkdirAll(dir)
}

func (d *directories) Sync(dir string) error {
	if dir == d.barred {
		return &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		d.keeps[filepath.Join(dir, e.Name())] = true
	}
	d.last = dir
	return errors.Join(err, d.OS.Sync(dir))
}

// A power cut behind ReplaceDurably leaves the file, however deep the directories are that were made for it.
func TestReplaceDurablyKeepsTheWholePath(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "elsewhere", "0", "ledger.forgotten")
	d := &directories{OS: 0o700, t: t, keeps: map[string]bool{root: true}}
	for _, content := range []string{"somebody", "somebody and others"} {
		require.NoError(t, replaceDurably(d, path, 0o600, []byte(content)))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(data))
		require.Equal(t, filepath.Dir(path), d.last, "the name of the file is synced behind everything else")
		for at := path; at != root; at = filepath.Dir(at) {
			require.True(t, d.keeps[at], at)
		}
	}
	d.barred = filepath.Join(root, "elsewhere") // it was there
	require.NoError(t, replaceDurably(d, path, 0o600, nil))
	d.barred = filepath.Dir(path)
	require.ErrorIs(t, replaceDurably(d, path, 0o600, nil), fs.ErrPermission)
}
