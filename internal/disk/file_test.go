package disk

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
	OS
	File
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
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return d.OS.Sync(dir)
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
	d := &directories{OS: 0o700, File: 0o600, t: t, keeps: map[string]bool{root: true}}
	for _, content := range []string{"somebody", "somebody and others"} {
		require.NoError(t, replaceDurably(d, d, path, []byte(content)))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(data))
		require.Equal(t, filepath.Dir(path), d.last, "the name of the file is synced behind everything else")
		for at := path; at != root; at = filepath.Dir(at) {
			require.True(t, d.keeps[at], at)
		}
	}
	d.barred = filepath.Join(root, "elsewhere") // it was there
	require.NoError(t, replaceDurably(d, d, path, nil))
	d.barred = filepath.Dir(path)
	require.ErrorIs(t, replaceDurably(d, d, path, nil), fs.ErrPermission)
}

// faulty is a file system of which one call fails, for want of room.
type faulty struct {
	File
	calls []string
	fails int
}

var errFull = errors.New("no space")

func (f *faulty) call(what string) error {
	f.calls = append(f.calls, what)
	if len(f.calls) == f.fails {
		return errFull
	}
	return nil
}

type faultyFile struct {
	io.WriteCloser
	f *faulty
}

func (w faultyFile) Write(p []byte) (int, error) {
	if err := w.f.call("write"); err != nil {
		n, _ := w.WriteCloser.Write(p[:len(p)/2])
		return n, err
	}
	return w.WriteCloser.Write(p)
}

func (f *faulty) Create(path string) (io.WriteCloser, error) {
	if err := f.call("create"); err != nil {
		return nil, err
	}
	w, err := f.File.Create(path)
	return faultyFile{w, f}, err
}

func (f *faulty) Sync(path string) error {
	if err := f.call("sync " + filepath.Base(path)); err != nil {
		return err
	}
	return f.File.Sync(path)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.call("rename"); err != nil {
		return err
	}
	return f.File.Rename(from, to)
}

// TestNoFaultLeavesAPartialFile: whichever step fails, there is the old content or the new one, and nothing else; the name is
// given only to what is durable, and is durable at the end.
func TestNoFaultLeavesAPartialFile(t *testing.T) {
	for fails := range 6 {
		dir := filepath.Join(t.TempDir(), "d")
		path := filepath.Join(dir, "out")
		require.NoError(t, ReplaceDurably(path, 0o600, []byte("old content")))
		f := &faulty{File: 0o600, fails: fails}
		err := replaceDurably(OS(0o700), f, path, []byte("new content"))
		require.Equal(t, fails > 0, errors.Is(err, errFull), "call %d: %v", fails, f.calls)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		want := "old content"
		if fails == 0 || fails == 5 { // only the sync of the directory failed
			want = "new content"
		}
		require.Equal(t, want, string(data), "call %d: %v", fails, f.calls)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1, "call %d: %v", fails, f.calls)
		if fails == 0 {
			require.Equal(t, []string{"create", "write", "sync .out.tmp", "rename", "sync d"}, f.calls)
		}
	}
}
