// Package outfile writes the output files of commands.
//
// Guarantee: no file is written through a link, and no reader sees a partial file.
package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"anond/internal/disk/durabledir"
)

// Replace replaces a file in one step: readers see the old content or the new one. A link at path is replaced, not followed. The file is
// not synced: it is for content that can be made again.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	f, err := Create(tmp, mode)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// ReplaceDurably replaces a file in one step, in a directory that is made if it is not there.
// Once it has returned, the new content survives a power failure, and so do the names of all directories
// that were made for it.
func ReplaceDurably(path string, mode fs.FileMode, content []byte) error {
	return replaceDurably(durabledir.OS(0o700), path, mode, content)
}

// replaceDurably is ReplaceDurably, with the directories of a system.
func replaceDurably(directories durabledir.System, path string, mode fs.FileMode, content []byte) error {
	dir := filepath.Dir(path)
	_, missing := directories.Stat(dir)
	if err := durabledir.Make(directories, dir); err != nil && (missing != nil || !errors.Is(err, fs.ErrPermission)) {
		return err // one that was there may lie in a parent that is not ours to read
	}
	tmp := filepath.Join(dir, "."+filepath.Base(path)+".tmp")
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	f, err := Create(tmp, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return directories.Sync(dir)
}

// Create makes a file at a path where there is neither a file nor a link.
func Create(path string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}
