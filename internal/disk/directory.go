// Package disk writes files at once, and makes directories whose names survive a power cut.
//
// Guarantee: no reader and no crash sees a partial file under its name (Fill, Move), and no file is written through a link.
// When MakeDir returns, the names of the directory and of all its parents that were
// made by MakeDir are durable, also those of a process that was killed in the midst of it. What
// is named in a directory that may be entered and not be read is not: such a directory cannot
// be opened. That stops nobody; Unreadable names it, so that it can be told.
//
// Method: a directory is made, and its name synced, before anything is made in it. So of a
// path that ends in the midst, only the name of the last directory may not be durable.
//
// Cost: a sync for each directory that is made, and one more. Source: ours.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// system is what MakeDir needs of a file system.
type system interface {
	MkdirAll(dir string) error
	Stat(path string) (fs.FileInfo, error)
	Sync(path string) error
}

// MakeDir makes a directory and its parents.
func MakeDir(s system, dir string) error {
	parent := filepath.Dir(dir)
	if isMissing(s, dir) {
		if err := keep(s, parent); err != nil {
			return err
		}
	}
	if err := s.MkdirAll(dir); err != nil {
		return err
	}
	return s.Sync(parent)
}

// keep makes the name of a directory durable before anything is made in it.
func keep(s system, dir string) error {
	switch parent := filepath.Dir(dir); {
	case parent == dir:
		return nil
	case isMissing(s, dir):
		return MakeDir(s, dir)
	default:
		return s.Sync(parent)
	}
}

func isMissing(s system, dir string) bool {
	_, err := s.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// OS is the operating system's file system; directories get the mode.
type OS fs.FileMode

// MkdirAll implements System.
func (mode OS) MkdirAll(dir string) error { return os.MkdirAll(dir, fs.FileMode(mode)) }

// Stat implements System.
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Sync implements System.
func (OS) Sync(path string) error { return Sync(path) }

// Sync makes the content of a file, or the names in a directory, durable: fsync concerns the
// inode, not the descriptor that wrote. A directory that may not be read is left out.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		if info, known := os.Stat(path); errors.Is(err, fs.ErrPermission) && known == nil && info.IsDir() {
			return nil
		}
		return err
	}
	if err := f.Sync(); err != nil {
		_ = f.Close() // the first error tells more
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return f.Close()
}

// Unreadable names which of a directory and the one above it Sync leaves out.
func Unreadable(dir string) (out []string) {
	for _, d := range []string{dir, filepath.Dir(dir)} {
		f, err := os.Open(d)
		switch {
		case err == nil:
			_ = f.Close() // nothing was written
		case errors.Is(err, fs.ErrPermission):
			out = append(out, d)
		}
	}
	return out
}
