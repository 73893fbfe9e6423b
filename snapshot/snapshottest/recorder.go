package snapshottest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"anond/snapshot"
)

// ErrCrash is what every call gives after the simulated crash.
var ErrCrash = errors.New("crashed")

// Recorder is the file system with a log of its side effects. It fails one of
// them (counted from 1), and all that follow if the fault is ErrCrash. A write
// that fails leaves half of its bytes.
type Recorder struct {
	snapshot.FS
	Root   string
	Log    []string
	Effect int
	FailAt int
	Fault  error
	failed bool
}

func NewRecorder(root string) *Recorder { return &Recorder{FS: Unsynced{snapshot.OS()}, Root: root} }

// Unsynced saves the time of real syncs, where only their order is tested.
type Unsynced struct{ snapshot.FS }

func (Unsynced) Sync(path string) error {
	_, err := os.Stat(path)
	return err
}

func (u Unsynced) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := u.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) did(format string, args ...any) error {
	r.Effect++
	if r.failed && errors.Is(r.Fault, ErrCrash) {
		return ErrCrash
	}
	if r.Effect == r.FailAt {
		r.failed = true
		return &os.PathError{Op: strings.Fields(format)[0], Path: "x", Err: r.Fault}
	}
	line := fmt.Sprintf(format, args...)
	if r.Root != "" {
		line = strings.ReplaceAll(strings.ReplaceAll(line, r.Root, "."), filepath.Dir(r.Root), "..")
	}
	r.Log = append(r.Log, line)
	return nil
}

func (r *Recorder) MkdirAll(dir string) error {
	if err := r.did("mkdir %s", dir); err != nil {
		return err
	}
	return r.FS.MkdirAll(dir)
}

func (r *Recorder) Mkdir(dir string) error {
	if err := r.did("mkdir %s", dir); err != nil {
		return err
	}
	return r.FS.Mkdir(dir)
}

func (r *Recorder) MkdirPrivate(dir string) error {
	if err := r.did("mkdir-private %s", dir); err != nil {
		return err
	}
	return r.FS.MkdirPrivate(dir)
}

func (r *Recorder) Publicize(dir string) error {
	if err := r.did("publicize %s", dir); err != nil {
		return err
	}
	return r.FS.Publicize(dir)
}

func (r *Recorder) Create(path string) (io.WriteCloser, error) {
	if err := r.did("create %s", path); err != nil {
		return nil, err
	}
	w, err := r.FS.Create(path)
	return &recordedFile{r, path, w}, err
}

func (r *Recorder) Append(path string) (io.WriteCloser, error) {
	if err := r.did("append %s", path); err != nil {
		return nil, err
	}
	w, err := r.FS.Append(path)
	return &recordedFile{r, path, w}, err
}

func (r *Recorder) CreateSealed(path string) (io.WriteCloser, error) {
	if err := r.did("create %s", path); err != nil {
		return nil, err
	}
	w, err := r.FS.CreateSealed(path)
	return &recordedFile{r, path, w}, err
}

func (r *Recorder) Link(from, to string) error {
	if err := r.did("link %s -> %s", from, to); err != nil {
		return err
	}
	return r.FS.Link(from, to)
}

func (r *Recorder) Truncate(path string, size int64) error {
	if err := r.did("truncate %s %d", path, size); err != nil {
		return err
	}
	return r.FS.Truncate(path, size)
}

func (r *Recorder) Sync(path string) error {
	if err := r.did("sync %s", path); err != nil {
		return err
	}
	return r.FS.Sync(path)
}

func (r *Recorder) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := r.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) Rename(from, to string) error {
	if err := r.did("rename %s -> %s", from, to); err != nil {
		return err
	}
	return r.FS.Rename(from, to)
}

func (r *Recorder) RemoveAll(path string) error {
	_, noDir := r.ReadDir(path)
	if _, noFile := r.ReadFile(path); noDir != nil && noFile != nil {
		return r.FS.RemoveAll(path)
	}
	if err := r.did("remove %s", path); err != nil {
		return err
	}
	return r.FS.RemoveAll(path)
}

type recordedFile struct {
	r    *Recorder
	path string
	io.WriteCloser
}

func (f *recordedFile) Write(p []byte) (int, error) {
	if err := f.r.did("write %s %d", f.path, len(p)); err != nil {
		n, _ := f.WriteCloser.Write(p[:len(p)/2])
		return n, err
	}
	return f.WriteCloser.Write(p)
}

func (f *recordedFile) Close() error {
	err := f.WriteCloser.Close()
	return errors.Join(f.r.did("close %s", f.path), err)
}
