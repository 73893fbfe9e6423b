package snapshot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"anond/internal/disk"
)

// FS is the file system as publishing needs it. Names are paths. Tests record
// the calls, and fail or stop at each of them. Modes are those of public files;
// the operator's umask may narrow them.
type FS interface {
	// MkdirAll makes a directory and its parents (0755: releases are public).
	MkdirAll(dir string) error
	// Mkdir makes a directory below one that is there (0755).
	Mkdir(dir string) error
	// MkdirPrivate makes a directory that is not there yet, for its owner alone
	// (0700). Publicize gives it the mode that MkdirAll would have given it.
	MkdirPrivate(dir string) error
	Publicize(dir string) error
	// Create makes a file anew (0644), Append opens one to write at its end.
	Create(path string) (io.WriteCloser, error)
	Append(path string) (io.WriteCloser, error)
	// CreateSealed makes a file that is not there yet, to be written now and never
	// again (0444, whatever the umask is).
	CreateSealed(path string) (io.WriteCloser, error)
	// Link gives a file one more name.
	Link(from, to string) error
	// Truncate cuts a file.
	Truncate(path string, size int64) error
	// Sync makes the content of a file, or the names in a directory that may be read, durable.
	Sync(path string) error
	// SyncAll is Sync of many, in any order.
	SyncAll(paths []string) error
	Rename(from, to string) error
	RemoveAll(path string) error

	ReadFile(path string) ([]byte, error)
	Open(path string) (io.ReadCloser, error)
	Stat(path string) (fs.FileInfo, error)
	// ReadDir returns the names in a directory, sorted.
	ReadDir(dir string) ([]string, error)
}

// OS returns the operating system's file system.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) MkdirAll(dir string) error                  { return os.MkdirAll(dir, 0o755) }
func (osFS) Mkdir(dir string) error                     { return os.Mkdir(dir, 0o755) }
func (osFS) MkdirPrivate(dir string) error              { return os.Mkdir(dir, 0o700) }
func (osFS) Truncate(path string, size int64) error     { return os.Truncate(path, size) }
func (osFS) Rename(from, to string) error               { return os.Rename(from, to) }
func (osFS) Link(from, to string) error                 { return os.Link(from, to) }
func (osFS) Stat(path string) (fs.FileInfo, error)      { return os.Stat(path) }
func (osFS) RemoveAll(path string) error                { return os.RemoveAll(path) }
func (osFS) ReadFile(path string) ([]byte, error)       { return os.ReadFile(path) }
func (osFS) Open(path string) (io.ReadCloser, error)    { return os.Open(path) }
func (osFS) Create(path string) (io.WriteCloser, error) { return open(path, os.O_TRUNC) }
func (osFS) Append(path string) (io.WriteCloser, error) { return open(path, os.O_APPEND) }

// Publicize asks the system for the mode by making such a directory: the umask
// cannot be read without changing it for the whole process.
func (osFS) Publicize(dir string) error {
	probe := dir + ".mode" // temporary like dir itself: Publisher.Open removes it
	if err := os.RemoveAll(probe); err != nil {
		return err
	}
	if err := os.Mkdir(probe, 0o755); err != nil {
		return err
	}
	info, err := os.Stat(probe)
	if err = errors.Join(err, os.Remove(probe)); err != nil {
		return err
	}
	return os.Chmod(dir, info.Mode()&(fs.ModePerm|fs.ModeSetgid))
}

// CreateSealed sets the mode whatever the umask is: manifests name it, and the
// directory of the release keeps out whom the umask keeps out.
func (osFS) CreateSealed(path string) (io.WriteCloser, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, partMode)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(partMode); err != nil {
		return nil, joinClose(err, f)
	}
	return f, nil
}

func open(path string, how int) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o644)
}

func (osFS) ReadDir(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (osFS) Sync(path string) error { return disk.Sync(path) }

// SyncAll syncs several at once: file systems with a journal make durable together
// what is asked of them together.
func (f osFS) SyncAll(paths []string) error {
	next := make(chan string)
	failed := make([]error, min(len(paths), syncsAtOnce))
	var wg sync.WaitGroup
	for w := range failed {
		wg.Go(func() {
			for path := range next {
				if failed[w] == nil {
					failed[w] = f.Sync(path)
				}
			}
		})
	}
	for _, path := range paths {
		next <- path
	}
	close(next)
	wg.Wait()
	return errors.Join(failed...)
}

// syncsAtOnce is how many syncs are asked for at once.
const syncsAtOnce = 16

func joinClose(err error, f io.Closer) error {
	_ = f.Close() // the first error tells more
	return err
}
