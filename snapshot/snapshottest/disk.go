package snapshottest

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// node is a file or directory of Disk, with what a power cut leaves of it.
type node struct {
	data, durable           []byte           // file
	sealed                  bool             // file: mode 0444
	entries, durableDir     map[string]*node // directory
	private, durablePrivate bool             // directory: mode 0700
}

func newDir() *node { return &node{entries: map[string]*node{}, durableDir: map[string]*node{}} }

// Disk is a file system in memory that may forget what was not synced: the content
// of files, and the names in directories. It is a snapshot.FS.
type Disk struct {
	root *node
	// Forgets says which paths' syncs do nothing; nil: none.
	Forgets func(path string) bool
}

// New returns a disk with one durable directory.
func New(dir string) *Disk {
	m := &Disk{root: newDir()}
	_ = m.MkdirAll(dir) // it cannot fail
	for n := m.root; n != nil; {
		n.durableDir = maps.Clone(n.entries)
		var child *node
		for _, child = range n.entries {
		}
		n = child
	}
	return m
}

// find returns what a path names.
func (m *Disk) find(name string) (*node, error) {
	at := m.root
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if part != "" && part != "." {
			if at = at.entries[part]; at == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
		}
	}
	return at, nil
}

// MkdirAll makes a directory and its parents.
func (m *Disk) MkdirAll(dir string) error {
	at := m.root
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if at.entries[part] == nil {
			at.entries[part] = newDir()
		}
		at = at.entries[part]
	}
	return nil
}

// Mkdir makes a directory that is not there yet, below one that is.
func (m *Disk) Mkdir(dir string) error {
	if _, err := m.find(dir); err == nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	}
	if _, err := m.find(path.Dir(dir)); err != nil {
		return err
	}
	return m.MkdirAll(dir)
}

// MkdirPrivate is Mkdir with mode 0700.
func (m *Disk) MkdirPrivate(dir string) error {
	if err := m.Mkdir(dir); err != nil {
		return err
	}
	n, err := m.find(dir)
	n.private = true
	return err
}

// Publicize makes a directory one for all.
func (m *Disk) Publicize(dir string) error {
	n, err := m.find(dir)
	if err == nil {
		n.private = false
	}
	return err
}

func (m *Disk) open(name string, truncate bool) (io.WriteCloser, error) {
	dir, err := m.find(path.Dir(name))
	if err != nil {
		return nil, err
	}
	n := dir.entries[path.Base(name)]
	if n == nil {
		n = &node{}
		dir.entries[path.Base(name)] = n
	}
	if truncate {
		n.data = nil
	}
	return memFile{n}, nil
}

type memFile struct{ n *node }

func (f memFile) Write(p []byte) (int, error) { f.n.data = append(f.n.data, p...); return len(p), nil }
func (f memFile) Close() error                { return nil }

// Create makes a file anew.
func (m *Disk) Create(name string) (io.WriteCloser, error) { return m.open(name, true) }

// Append opens a file to write at its end.
func (m *Disk) Append(name string) (io.WriteCloser, error) { return m.open(name, false) }

// CreateSealed makes a file that is not there yet.
func (m *Disk) CreateSealed(name string) (io.WriteCloser, error) {
	if _, err := m.find(name); err == nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	w, err := m.open(name, true)
	if n, missing := m.find(name); missing == nil {
		n.sealed = true
	}
	return w, err
}

// Link gives a file one more name.
func (m *Disk) Link(from, to string) error {
	n, err := m.find(from)
	if err != nil {
		return err
	}
	dir, err := m.find(path.Dir(to))
	if err == nil {
		dir.entries[path.Base(to)] = n
	}
	return err
}

// memInfo is what Stat tells of a node.
type memInfo struct {
	fs.FileInfo
	node *node
}

func (i memInfo) IsDir() bool { return i.node.entries != nil }

// Size is that of a file's content.
func (i memInfo) Size() int64 { return int64(len(i.node.data)) }

// ModTime is before all times: this disk knows none.
func (i memInfo) ModTime() time.Time { return time.Time{} }

// Stat tells whether a path is a directory.
func (m *Disk) Stat(name string) (fs.FileInfo, error) {
	n, err := m.find(name)
	return memInfo{node: n}, err
}

// Truncate cuts a file.
func (m *Disk) Truncate(name string, size int64) error {
	n, err := m.find(name)
	if err == nil {
		n.data = slices.Clone(n.data[:size])
	}
	return err
}

// Sync makes the content of a file, or the names in a directory, durable.
func (m *Disk) Sync(name string) error {
	if m.Forgets != nil && m.Forgets(name) {
		_, err := m.find(name)
		return err
	}
	return m.sync(name)
}

func (m *Disk) sync(name string) error {
	n, err := m.find(name)
	if err == nil {
		n.durable, n.durableDir, n.durablePrivate = slices.Clone(n.data), maps.Clone(n.entries), n.private
	}
	return err
}

// SyncAll is Sync of many.
func (m *Disk) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := m.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

// Rename moves a file or directory. A directory that is not empty keeps its name.
func (m *Disk) Rename(from, to string) error {
	n, err := m.find(from)
	if err != nil {
		return err
	}
	if there, err := m.find(to); err == nil && len(there.entries) > 0 {
		return &fs.PathError{Op: "rename", Path: to, Err: syscall.ENOTEMPTY}
	}
	dir, err := m.find(path.Dir(to))
	if err != nil {
		return err
	}
	old, _ := m.find(path.Dir(from))
	delete(old.entries, path.Base(from))
	dir.entries[path.Base(to)] = n
	return nil
}

// RemoveAll removes a file or directory.
func (m *Disk) RemoveAll(name string) error {
	if dir, err := m.find(path.Dir(name)); err == nil {
		delete(dir.entries, path.Base(name))
	}
	return nil
}

// ReadFile returns the content of a file.
func (m *Disk) ReadFile(name string) ([]byte, error) {
	n, err := m.find(name)
	if err != nil {
		return nil, err
	}
	if n.entries != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return slices.Clone(n.data), nil
}

// Open opens a file for reading.
func (m *Disk) Open(name string) (io.ReadCloser, error) {
	data, err := m.ReadFile(name)
	return io.NopCloser(bytes.NewReader(data)), err
}

// ReadDir returns the names in a directory, sorted.
func (m *Disk) ReadDir(name string) ([]string, error) {
	n, err := m.find(name)
	if err != nil {
		return nil, err
	}
	if n.entries == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return slices.Sorted(maps.Keys(n.entries)), nil
}
