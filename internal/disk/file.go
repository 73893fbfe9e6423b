package disk

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Files is what writing a file at once needs of a file system.
type Files interface {
	Create(path string) (io.WriteCloser, error)
	Sync(path string) error
	Rename(from, to string) error
	RemoveAll(path string) error
}

// Fill makes a file under a temporary name, with its content durable. What could not be written whole is removed: it takes
// no room on a disk that is full.
func Fill(files Files, tmp string, write func(io.Writer) error) error {
	f, err := files.Create(tmp)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = files.Sync(tmp)
	}
	if err != nil {
		return errors.Join(err, files.RemoveAll(tmp))
	}
	return nil
}

// Move gives what is durable under a temporary name its name, in the place of a file that has it: readers and a crash see the
// old one or the new one. Once it has returned, the name is durable.
func Move(files Files, tmp, path string) error {
	if err := files.Rename(tmp, path); err != nil {
		return err
	}
	return files.Sync(filepath.Dir(path))
}

// Replace replaces a file of the system in one step: readers see the old content or the new one. A link at path is replaced,
// not followed. The file is not synced: it is for content that can be made again.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return replace(unsynced{File(mode)}, path, write)
}

// ReplaceJSON is Replace of what only the owner may read, as JSON for programs and people.
func ReplaceJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, 0o600, Bytes(append(text, '\n')))
}

// ReplaceDurably is Replace in a directory that is made if it is not there. Once it has returned, the new content survives a
// power failure, and so do the names of all directories that were made for it.
func ReplaceDurably(path string, mode fs.FileMode, content []byte) error {
	return replaceDurably(OS(0o700), File(mode), path, content)
}

// replaceDurably is ReplaceDurably, with the directories of a system.
func replaceDurably(directories system, files Files, path string, content []byte) error {
	dir := filepath.Dir(path)
	_, missing := directories.Stat(dir)
	if err := MakeDir(directories, dir); err != nil && (missing != nil || !errors.Is(err, fs.ErrPermission)) {
		return err // one that was there may lie in a parent that is not ours to read
	}
	return replace(files, path, Bytes(content))
}

func replace(files Files, path string, write func(io.Writer) error) error {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := files.RemoveAll(tmp); err != nil { // of a process that was killed
		return err
	}
	if err := Fill(files, tmp, write); err != nil {
		return err
	}
	if err := Move(files, tmp, path); err != nil {
		return errors.Join(err, files.RemoveAll(tmp))
	}
	return nil
}

// Bytes writes what is known.
func Bytes(content []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(content); return err }
}

// Create makes a file at a path where there is neither a file nor a link.
func Create(path string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}

// File is the operating system's file system; new files get the mode.
type File fs.FileMode

// Create implements Files: no file or link may be there.
func (mode File) Create(path string) (io.WriteCloser, error) { return Create(path, fs.FileMode(mode)) }

// Sync implements Files.
func (File) Sync(path string) error { return Sync(path) }

// Rename implements Files.
func (File) Rename(from, to string) error { return os.Rename(from, to) }

// RemoveAll implements Files. It removes no directory that holds something.
func (File) RemoveAll(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unsynced leaves content and names to the cache of the system.
type unsynced struct{ Files }

func (unsynced) Sync(string) error { return nil }
