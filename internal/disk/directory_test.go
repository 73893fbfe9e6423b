package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// disk knows which directories there are, and which of them a power cut leaves.
type volume struct {
	is, stays map[string]bool
	left      int // calls until the process dies; below 0: it does not
}

var errDied = errors.New("died")

func newDisk() *volume {
	return &volume{map[string]bool{"/": true, "/var": true}, map[string]bool{"/": true, "/var": true}, -1}
}

func (d *volume) call() error {
	if d.left == 0 {
		return errDied
	}
	d.left--
	return nil
}

func (d *volume) MkdirAll(dir string) error {
	if d.is[dir] {
		return nil
	}
	if err := d.call(); err != nil {
		return err
	}
	if parent := filepath.Dir(dir); !d.is[parent] {
		return errors.New("its parent was not made before: " + parent)
	}
	d.is[dir] = true
	return nil
}

func (d *volume) Stat(path string) (fs.FileInfo, error) {
	if !d.is[path] {
		return nil, fs.ErrNotExist
	}
	return nil, nil
}

func (d *volume) Sync(path string) error {
	if err := d.call(); err != nil {
		return err
	}
	for dir := range d.is {
		if filepath.Dir(dir) == path {
			d.stays[dir] = true
		}
	}
	return nil
}

// survives reports whether a path is there after a power cut.
func (d *volume) survives(dir string) bool {
	return d.stays[dir] && (dir == "/" || d.survives(filepath.Dir(dir)))
}

// TestMakeIsDurable: wherever a process dies, the next one makes the whole path durable.
func TestMakeIsDurable(t *testing.T) {
	const deep = "/var/a/b/c"
	for died := range 8 {
		d := newDisk()
		d.left = died
		first := MakeDir(d, deep)
		require.Equal(t, died < 7, errors.Is(first, errDied), died)
		d.left = -1
		require.NoError(t, MakeDir(d, deep))
		require.True(t, d.survives(deep), "after a kill behind call %d", died)
	}
}

func TestMakeOnTheSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		require.NoError(t, MakeDir(OS(0o700), dir))
	}
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, MakeDir(OS(0o700), filepath.Join(file, "c")))
}
