package snapshot

import (
	"errors"
	"io"
	"sync"
)

// ErrFenced is what a closed Fence answers.
var ErrFenced = errors.New("publishing has ended")

// Fence is a file system that can be taken away from a publication which nobody
// waits for any more.
//
// Guarantee: when Close has returned, no change that was asked of the Fence is in
// progress, and none will be made. So whoever gives up the lock of a state after
// Close leaves nothing behind that writes next to the next owner.
type Fence struct {
	FS
	mu     sync.RWMutex // held for reading while a change is made
	closed bool
}

// NewFence puts a fence around a file system. Reading passes it.
func NewFence(files FS) *Fence { return &Fence{FS: files} }

// Close waits for the changes in progress and refuses all others.
func (f *Fence) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

func (f *Fence) do(change func() error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return ErrFenced
	}
	return change()
}

// MkdirAll is FS.MkdirAll, until Close.
func (f *Fence) MkdirAll(dir string) error { return f.do(func() error { return f.FS.MkdirAll(dir) }) }

// MkdirPrivate is FS.MkdirPrivate, until Close.
func (f *Fence) MkdirPrivate(dir string) error {
	return f.do(func() error { return f.FS.MkdirPrivate(dir) })
}

// Publicize is FS.Publicize, until Close.
func (f *Fence) Publicize(dir string) error { return f.do(func() error { return f.FS.Publicize(dir) }) }

// Truncate is FS.Truncate, until Close.
func (f *Fence) Truncate(path string, size int64) error {
	return f.do(func() error { return f.FS.Truncate(path, size) })
}

// Sync is FS.Sync, until Close.
func (f *Fence) Sync(path string) error { return f.do(func() error { return f.FS.Sync(path) }) }

// Rename is FS.Rename, until Close.
func (f *Fence) Rename(from, to string) error {
	return f.do(func() error { return f.FS.Rename(from, to) })
}

// RemoveAll is FS.RemoveAll, until Close.
func (f *Fence) RemoveAll(path string) error {
	return f.do(func() error { return f.FS.RemoveAll(path) })
}

// Create is FS.Create, until Close, which ends the writing too.
func (f *Fence) Create(path string) (io.WriteCloser, error) { return f.open(f.FS.Create, path) }

// Append is FS.Append, until Close, which ends the writing too.
func (f *Fence) Append(path string) (io.WriteCloser, error) { return f.open(f.FS.Append, path) }

func (f *Fence) open(by func(string) (io.WriteCloser, error), path string) (w io.WriteCloser, err error) {
	err = f.do(func() error {
		w, err = by(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &fencedFile{w, f}, nil
}

// fencedFile is a file that was opened through a fence.
type fencedFile struct {
	io.WriteCloser
	fence *Fence
}

func (w *fencedFile) Write(p []byte) (n int, err error) {
	err = w.fence.do(func() error {
		n, err = w.WriteCloser.Write(p)
		return err
	})
	return n, err
}
