package chaos

import (
	"io"

	"anond/snapshot"
)

// disk is the file system of the releases, on which the armed faults take effect.
type disk struct {
	snapshot.FS
	armed *armed
}

func (d *disk) MkdirAll(dir string) error {
	return d.do("mkdir", dir, func() error { return d.FS.MkdirAll(dir) })
}

func (d *disk) Mkdir(dir string) error {
	return d.do("mkdir", dir, func() error { return d.FS.Mkdir(dir) })
}

func (d *disk) MkdirPrivate(dir string) error {
	return d.do("mkdir", dir, func() error { return d.FS.MkdirPrivate(dir) })
}

func (d *disk) Publicize(dir string) error {
	return d.do("chmod", dir, func() error { return d.FS.Publicize(dir) })
}

func (d *disk) Link(from, to string) error {
	return d.do("link", to, func() error { return d.FS.Link(from, to) })
}

func (d *disk) Truncate(path string, size int64) error {
	return d.do("truncate", path, func() error { return d.FS.Truncate(path, size) })
}

func (d *disk) Rename(from, to string) error {
	return d.do("rename", to, func() error { return d.FS.Rename(from, to) })
}

func (d *disk) RemoveAll(path string) error {
	return d.do("remove", path, func() error { return d.FS.RemoveAll(path) })
}

func (d *disk) Sync(path string) error {
	return d.do("sync", path, func() error { return d.FS.Sync(path) })
}

func (d *disk) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := d.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) Create(path string) (io.WriteCloser, error) {
	return d.open("create", path, d.FS.Create)
}

func (d *disk) Append(path string) (io.WriteCloser, error) {
	return d.open("append", path, d.FS.Append)
}

func (d *disk) CreateSealed(path string) (io.WriteCloser, error) {
	return d.open("create", path, d.FS.CreateSealed)
}

func (d *disk) do(op, path string, change func() error) error {
	if err := d.armed.effect(op, path); err != nil {
		return err
	}
	return change()
}

func (d *disk) open(op, path string, by func(string) (io.WriteCloser, error)) (w io.WriteCloser, err error) {
	if err := d.armed.effect(op, path); err != nil {
		return nil, err
	}
	if w, err = by(path); err != nil {
		return nil, err
	}
	return &openFile{w, path, d.armed}, nil
}

// openFile is a file that is being written. A write that fails leaves half.
type openFile struct {
	io.WriteCloser
	path  string
	armed *armed
}

func (f *openFile) Write(p []byte) (int, error) {
	if err := f.armed.effect("write", f.path); err != nil {
		n, _ := f.WriteCloser.Write(p[:len(p)/2])
		return n, err
	}
	return f.WriteCloser.Write(f.armed.spoil(f.path, p))
}
