package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"

	"anond/snapshot"
)

// Files are those of a release in progress, in a directory of its
// own, behind the release before.
type Files struct {
	snapshot.FS
	from, to string
	dirs     map[string]bool // of parts, made already
	order    []string        // these, in order
	fresh    []string        // files whose content is new
	copies   bool            // links do not work between the two directories
}

// NewFiles makes the files of a release in a directory, behind those of another one.
func NewFiles(files snapshot.FS, from, to string) *Files {
	return &Files{FS: files, from: from, to: to, dirs: map[string]bool{}}
}

// Write makes a file of a content.
func (f *Files) Write(name string, data []byte) error {
	w, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Close())
}

// Create makes a file that nobody may write to once it is closed.
func (f *Files) Create(name string) (io.WriteCloser, error) {
	to, err := f.place(name)
	if err != nil {
		return nil, err
	}
	f.fresh = append(f.fresh, to)
	return f.CreateSealed(to)
}

// place makes the directory that a file belongs to.
func (f *Files) place(name string) (string, error) {
	to := filepath.Join(f.to, filepath.FromSlash(name))
	dir := path.Dir(name)
	if dir == "." || f.dirs[dir] {
		return to, nil
	}
	f.order = append(f.order, filepath.Dir(to))
	return to, f.directory(dir)
}

// directory makes a directory of the release, but never that of the release itself: if another
// process has taken that away, what is written then would be half a release.
func (f *Files) directory(dir string) error {
	if dir == "." || f.dirs[dir] {
		return nil
	}
	if err := f.directory(path.Dir(dir)); err != nil {
		return err
	}
	f.dirs[dir] = true
	if err := f.Mkdir(filepath.Join(f.to, filepath.FromSlash(dir))); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Open opens a file of the release before.
func (f *Files) Open(name string) (io.ReadCloser, error) {
	r, err := f.FS.Open(filepath.Join(f.from, filepath.FromSlash(name)))
	return r, missing(err)
}

// Keep links a file of the release before, or copies it where links do not work.
func (f *Files) Keep(name string, entry snapshot.FileEntry) error {
	to, err := f.place(name)
	if err != nil {
		return err
	}
	if !f.copies {
		err := f.Link(filepath.Join(f.from, filepath.FromSlash(name)), to)
		if notExist(err) {
			return f.absent(err)
		}
		if err == nil || !noLinks(err) {
			return err
		}
		// One file may have as many links as it can; the others go on being linked.
		f.copies = !errors.Is(err, syscall.EMLINK)
	}
	return f.copy(name, entry)
}

// noLinks tells the errors by which systems say that a file cannot be linked:
// too many links, another file system, or a file system without links.
func noLinks(err error) bool {
	for _, e := range []error{syscall.EMLINK, syscall.EXDEV, syscall.EPERM, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS,
		errors.ErrUnsupported} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// missing says of a file that is not there that the release before is damaged.
func missing(err error) error {
	if notExist(err) {
		return fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
	}
	return err
}

// absent says which of the two directories lacks what a link needs.
func (f *Files) absent(err error) error {
	if _, there := f.Stat(f.to); there != nil {
		return there
	}
	return missing(err)
}

// copy copies a file, which must be what the manifest says.
func (f *Files) copy(name string, entry snapshot.FileEntry) error {
	r, err := f.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := f.Create(name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), r)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	if n != entry.Bytes || hex.EncodeToString(sum.Sum(nil)) != entry.SHA256 {
		return fmt.Errorf("%w: %s is not what its manifest says", snapshot.ErrDamaged, name)
	}
	return nil
}

// Unsynced are the paths to make durable before the release's own directory: new
// contents, then the names in the directories of parts.
func (f *Files) Unsynced() []string { return append(f.fresh, f.order...) }
