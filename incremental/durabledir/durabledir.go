// Package durabledir makes directories whose names survive a power cut.
//
// Guarantee: when Make returns, the names of the directory and of all its parents that were
// made by Make are durable, also those of a process that was killed in the midst of it.
//
// Method: a directory is made, and its name synced, before anything is made in it. So of a
// path that ends in the midst, only the name of the last directory may not be durable.
//
// Cost: a sync for each directory that is made, and one more. Source: ours.
package durabledir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// System is what Make needs of a file system.
type System interface {
	MkdirAll(dir string) error
	Stat(path string) (fs.FileInfo, error)
	Sync(path string) error
}

// Make makes a directory and its parents. A parent that was there and may not be read is
// not ours, so its name is not our matter.
func Make(s System, dir string) error {
	parent := filepath.Dir(dir)
	if isMissing(s, dir) {
		if err := keep(s, parent); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	if err := s.MkdirAll(dir); err != nil {
		return err
	}
	return s.Sync(parent)
}

// keep makes the name of a directory durable before anything is made in it.
func keep(s System, dir string) error {
	switch parent := filepath.Dir(dir); {
	case parent == dir:
		return nil
	case isMissing(s, dir):
		return Make(s, dir)
	default:
		return s.Sync(parent)
	}
}

func isMissing(s System, dir string) bool {
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
func (OS) Sync(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
