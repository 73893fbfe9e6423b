package publish

import (
	"errors"
	"io"
	"sync"

	"anond/snapshot"
)

// ErrClosed is what a Closable answers once it is closed.
var ErrClosed = errors.New("publishing has ended")

// Closable is a file system that can be taken away from a publication which nobody
// waits for any more.
//
// Guarantee: when Close has returned, no change that was asked of it is in
// progress, and none will be made. So whoever gives up the lock of a state after
// Close leaves nothing behind that writes next to the next owner.
type Closable struct {
	snapshot.FS
	mu      sync.Mutex
	idle    sync.Cond // closed, and no change is in progress
	changes int       // in progress
	closed  bool
}

// NewClosable makes a file system closable. Reading passes it.
func NewClosable(files snapshot.FS) *Closable {
	f := &Closable{FS: files}
	f.idle.L = &f.mu
	return f
}

// Close refuses all further changes and waits for those in progress.
func (f *Closable) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.closed = true; f.changes > 0; {
		f.idle.Wait()
	}
}

func (f *Closable) do(change func() error) error {
	if !f.begins() {
		return ErrClosed
	}
	defer f.ends()
	return change()
}

func (f *Closable) begins() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.changes++
	}
	return !f.closed
}

func (f *Closable) ends() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changes--; f.changes == 0 {
		f.idle.Broadcast()
	}
}

// MkdirAll is FS.MkdirAll, until Close.
func (f *Closable) MkdirAll(dir string) error {
	return f.do(func() error { return f.FS.MkdirAll(dir) })
}

// Mkdir is FS.Mkdir, until Close.
func (f *Closable) Mkdir(dir string) error {
	return f.do(func() error { return f.FS.Mkdir(dir) })
}

// MkdirPrivate is FS.MkdirPrivate, until Close.
func (f *Closable) MkdirPrivate(dir string) error {
	return f.do(func() error { return f.FS.MkdirPrivate(dir) })
}

// Publicize is FS.Publicize, until Close.
func (f *Closable) Publicize(dir string) error {
	return f.do(func() error { return f.FS.Publicize(dir) })
}

// Truncate is FS.Truncate, until Close.
func (f *Closable) Truncate(path string, size int64) error {
	return f.do(func() error { return f.FS.Truncate(path, size) })
}

// Sync is FS.Sync, until Close.
func (f *Closable) Sync(path string) error { return f.do(func() error { return f.FS.Sync(path) }) }

// SyncAll is FS.SyncAll, until Close.
func (f *Closable) SyncAll(paths []string) error {
	return f.do(func() error { return f.FS.SyncAll(paths) })
}

// Rename is FS.Rename, until Close.
func (f *Closable) Rename(from, to string) error {
	return f.do(func() error { return f.FS.Rename(from, to) })
}

// Link is FS.Link, until Close.
func (f *Closable) Link(from, to string) error {
	return f.do(func() error { return f.FS.Link(from, to) })
}

// RemoveAll is FS.RemoveAll, until Close.
func (f *Closable) RemoveAll(path string) error {
	return f.do(func() error { return f.FS.RemoveAll(path) })
}

// Create is FS.Create, until Close, which ends the writing too.
func (f *Closable) Create(path string) (io.WriteCloser, error) { return f.open(f.FS.Create, path) }

// Append is FS.Append, until Close, which ends the writing too.
func (f *Closable) Append(path string) (io.WriteCloser, error) { return f.open(f.FS.Append, path) }

// CreateSealed is FS.CreateSealed, until Close, which ends the writing too.
func (f *Closable) CreateSealed(path string) (io.WriteCloser, error) {
	return f.open(f.FS.CreateSealed, path)
}

func (f *Closable) open(by func(string) (io.WriteCloser, error), path string) (w io.WriteCloser, err error) {
	err = f.do(func() error {
		w, err = by(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &closableFile{w, f}, nil
}

// closableFile is a file that was opened through a Closable.
type closableFile struct {
	io.WriteCloser
	files *Closable
}

func (w *closableFile) Write(p []byte) (n int, err error) {
	err = w.files.do(func() error {
		n, err = w.WriteCloser.Write(p)
		return err
	})
	return n, err
}
