package publish_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"anond/snapshot"
)

// errCrash is what every call gives after the simulated crash.
var errCrash = errors.New("crashed")

// recorder is the file system with a log of its side effects. It fails one of
// them (counted from 1), and all that follow if the fault is errCrash. A write
// that fails leaves half of its bytes.
type recorder struct {
	snapshot.FS
	root   string
	log    []string
	effect int
	failAt int
	fault  error
	failed bool
}

func newRecorder(root string) *recorder { return &recorder{FS: unsynced{snapshot.OS()}, root: root} }

// unsynced saves the time of real syncs, where only their order is tested.
type unsynced struct{ snapshot.FS }

func (unsynced) Sync(path string) error {
	_, err := os.Stat(path)
	return err
}

func (u unsynced) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := u.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) did(format string, args ...any) error {
	r.effect++
	if r.failed && errors.Is(r.fault, errCrash) {
		return errCrash
	}
	if r.effect == r.failAt {
		r.failed = true
		return &os.PathError{Op: strings.Fields(format)[0], Path: "x", Err: r.fault}
	}
	line := fmt.Sprintf(format, args...)
	if r.root != "" {
		line = strings.ReplaceAll(strings.ReplaceAll(line, r.root, "."), filepath.Dir(r.root), "..")
	}
	r.log = append(r.log, line)
	return nil
}

func (r *recorder) MkdirAll(dir string) error {
	if err := r.did("mkdir %s", dir); err != nil {
		return err
	}
	return r.FS.MkdirAll(dir)
}

func (r *recorder) Mkdir(dir string) error {
	if err := r.did("mkdir %s", dir); err != nil {
		return err
	}
	return r.FS.Mkdir(dir)
}

func (r *recorder) MkdirPrivate(dir string) error {
	if err := r.did("mkdir-private %s", dir); err != nil {
		return err
	}
	return r.FS.MkdirPrivate(dir)
}

func (r *recorder) Publicize(dir string) error {
	if err := r.did("publicize %s", dir); err != nil {
		return err
	}
	return r.FS.Publicize(dir)
}

func (r *recorder) Create(path string) (io.WriteCloser, error) {
	if err := r.did("create %s", path); err != nil {
		return nil, err
	}
	w, err := r.FS.Create(path)
	return &recordedFile{r, path, w}, err
}

func (r *recorder) Append(path string) (io.WriteCloser, error) {
	if err := r.did("append %s", path); err != nil {
		return nil, err
	}
	w, err := r.FS.Append(path)
	return &recordedFile{r, path, w}, err
}

func (r *recorder) CreateSealed(path string) (io.WriteCloser, error) {
	if err := r.did("create %s", path); err != nil {
		return nil, err
	}
	w, err := r.FS.CreateSealed(path)
	return &recordedFile{r, path, w}, err
}

func (r *recorder) Link(from, to string) error {
	if err := r.did("link %s -> %s", from, to); err != nil {
		return err
	}
	return r.FS.Link(from, to)
}

func (r *recorder) Truncate(path string, size int64) error {
	if err := r.did("truncate %s %d", path, size); err != nil {
		return err
	}
	return r.FS.Truncate(path, size)
}

func (r *recorder) Sync(path string) error {
	if err := r.did("sync %s", path); err != nil {
		return err
	}
	return r.FS.Sync(path)
}

func (r *recorder) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := r.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) Rename(from, to string) error {
	if err := r.did("rename %s -> %s", from, to); err != nil {
		return err
	}
	return r.FS.Rename(from, to)
}

func (r *recorder) RemoveAll(path string) error {
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
	r    *recorder
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

// tree reads all files below a directory.
func readTree(root string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[name] = string(data)
		return err
	})
	return out, err
}
