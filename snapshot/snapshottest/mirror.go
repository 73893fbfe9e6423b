package snapshottest

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"anond/snapshot"
)

// Mirror is the operating system's file system below one directory, and knows what
// of it would survive a power cut: whatever is changed through it is changed on a
// Disk, too. So others can read the files, and a power cut can be tried.
type Mirror struct {
	snapshot.FS
	Disk *Disk
	root string
}

// NewMirror mirrors what is made below an existing directory.
func NewMirror(root string) *Mirror { return &Mirror{unsynced{snapshot.OS()}, New(root), root} }

// unsynced leaves out real syncs: the Disk knows what is synced.
type unsynced struct{ snapshot.FS }

func (unsynced) Sync(path string) error {
	_, err := os.Stat(path)
	return err
}

// both changes the files, and the mirror if that succeeded.
func both(err error, mirror func() error) error {
	if err != nil {
		return err
	}
	return mirror()
}

// MkdirAll is FS.MkdirAll.
func (m *Mirror) MkdirAll(dir string) error {
	return both(m.FS.MkdirAll(dir), func() error { return m.Disk.MkdirAll(dir) })
}

// Mkdir is FS.Mkdir.
func (m *Mirror) Mkdir(dir string) error {
	return both(m.FS.Mkdir(dir), func() error { return m.Disk.Mkdir(dir) })
}

// MkdirPrivate is FS.MkdirPrivate.
func (m *Mirror) MkdirPrivate(dir string) error {
	return both(m.FS.MkdirPrivate(dir), func() error { return m.Disk.MkdirPrivate(dir) })
}

// Publicize is FS.Publicize.
func (m *Mirror) Publicize(dir string) error {
	return both(m.FS.Publicize(dir), func() error { return m.Disk.Publicize(dir) })
}

// Link is FS.Link.
func (m *Mirror) Link(from, to string) error {
	return both(m.FS.Link(from, to), func() error { return m.Disk.Link(from, to) })
}

// Truncate is FS.Truncate.
func (m *Mirror) Truncate(path string, size int64) error {
	return both(m.FS.Truncate(path, size), func() error { return m.Disk.Truncate(path, size) })
}

// Sync is FS.Sync.
func (m *Mirror) Sync(path string) error {
	return both(m.FS.Sync(path), func() error { return m.Disk.Sync(path) })
}

// SyncAll is FS.SyncAll.
func (m *Mirror) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := m.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

// Rename is FS.Rename.
func (m *Mirror) Rename(from, to string) error {
	return both(m.FS.Rename(from, to), func() error { return m.Disk.Rename(from, to) })
}

// RemoveAll is FS.RemoveAll.
func (m *Mirror) RemoveAll(path string) error {
	return both(m.FS.RemoveAll(path), func() error { return m.Disk.RemoveAll(path) })
}

// Create is FS.Create.
func (m *Mirror) Create(path string) (io.WriteCloser, error) {
	return m.open(m.FS.Create, m.Disk.Create, path)
}

// Append is FS.Append.
func (m *Mirror) Append(path string) (io.WriteCloser, error) {
	return m.open(m.FS.Append, m.Disk.Append, path)
}

// CreateSealed is FS.CreateSealed.
func (m *Mirror) CreateSealed(path string) (io.WriteCloser, error) {
	return m.open(m.FS.CreateSealed, m.Disk.CreateSealed, path)
}

type opener func(string) (io.WriteCloser, error)

func (m *Mirror) open(real, mirror opener, path string) (io.WriteCloser, error) {
	f, err := real(path)
	if err != nil {
		return nil, err
	}
	image, err := mirror(path)
	return mirroredFile{f, image}, err
}

type mirroredFile struct {
	io.WriteCloser
	image io.Writer
}

func (f mirroredFile) Write(p []byte) (int, error) {
	n, err := f.WriteCloser.Write(p)
	_, _ = f.image.Write(p[:n]) // memory takes all
	return n, err
}

// Cut cuts the power (Disk.Cut), and leaves of the files what survives. Only
// directories that were made through the mirror are touched.
func (m *Mirror) Cut(keep func() float64) error {
	before, err := m.Disk.find(m.root)
	if err != nil {
		return err
	}
	for name := range before.entries {
		if err := os.RemoveAll(filepath.Join(m.root, name)); err != nil {
			return err
		}
	}
	m.Disk.Cut(keep)
	after, err := m.Disk.find(m.root)
	if err != nil {
		return err
	}
	return after.write(m.root, map[*node]string{})
}

// write writes a directory's content. A file with several names stays one file.
func (n *node) write(dir string, done map[*node]string) error {
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		child, path := n.entries[name], filepath.Join(dir, name)
		if err := child.writeAt(path, done); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) writeAt(path string, done map[*node]string) error {
	if n.entries != nil {
		mode := os.FileMode(0o755)
		if n.private {
			mode = 0o700
		}
		if err := os.Mkdir(path, mode); err != nil {
			return err
		}
		return n.write(path, done)
	}
	if other, ok := done[n]; ok {
		return os.Link(other, path)
	}
	done[n] = path
	mode := os.FileMode(0o644)
	if n.sealed {
		mode = 0o444
	}
	return os.WriteFile(path, n.data, mode)
}

// Put writes a file durably, as an operator would: one that is there is replaced,
// so that its other names stay as they are.
func (m *Mirror) Put(path string, data []byte, sealed bool) error {
	if err := m.RemoveAll(path); err != nil {
		return err
	}
	if err := m.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	create := m.Create
	if sealed {
		create = m.CreateSealed
	}
	w, err := create(path)
	if err != nil {
		return err
	}
	if _, err = w.Write(data); err == nil {
		err = w.Close()
	}
	for at := path; err == nil && len(at) >= len(m.root); at = filepath.Dir(at) {
		err = m.Disk.sync(at)
	}
	return err
}
