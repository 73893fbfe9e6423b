// Package durable writes files that are whole under their name or not there.
//
// Guarantee: Put writes to a temporary name, makes the content durable and renames. A crash
// leaves the old file or the new one, and at most a temporary file, which the next attempt
// overwrites. The name itself is durable once Names has been called for the directory.
package durable

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"anond/snapshot"
)

// Prefix begins the name of what is not finished.
const Prefix = ".tmp-"

// Put writes a file, in place of one that is there, and returns its size.
func Put(files snapshot.FS, path string, write func(io.Writer) error) (int64, error) {
	dir, name := filepath.Split(path)
	tmp := filepath.Join(dir, Prefix+name)
	size, err := fill(files, tmp, write)
	if err != nil {
		return 0, errors.Join(err, files.RemoveAll(tmp))
	}
	if err := files.Sync(tmp); err != nil {
		return 0, err
	}
	return size, files.Rename(tmp, path)
}

func fill(files snapshot.FS, path string, write func(io.Writer) error) (int64, error) {
	f, err := files.Create(path)
	if err != nil {
		return 0, err
	}
	size := &sized{to: f}
	buf := bufio.NewWriterSize(size, 1<<16)
	if err := errors.Join(write(buf), buf.Flush()); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	return size.n, f.Close()
}

type sized struct {
	to io.Writer
	n  int64
}

func (s *sized) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.n += int64(n)
	return n, err
}

// Names makes the names in directories durable, in this order.
func Names(files snapshot.FS, dirs ...string) error {
	for _, dir := range dirs {
		if err := files.Sync(dir); err != nil {
			return err
		}
	}
	return nil
}

// Dir makes a directory below one that exists, and the directories between them, durably.
func Dir(files snapshot.FS, top string, below ...string) error {
	for _, name := range below {
		dir := filepath.Join(top, name)
		_, err := files.Stat(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := files.MkdirAll(dir); err != nil {
			return err
		}
		if err := files.Sync(top); err != nil {
			return err
		}
		top = dir
	}
	return nil
}

// Temporary reports a name of what is not finished.
func Temporary(name string) bool { return strings.HasPrefix(name, Prefix) }
