// Package durable writes files that are whole under their name or not there.
//
// Guarantee: Put writes to a temporary name, makes the content durable and renames. A crash
// leaves the old file or the new one, and at most a temporary file, which the next attempt
// overwrites. The name itself is durable once the directory has been synced, which is
// done for many at once.
package durable

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"anond/internal/disk"
)

// Prefix begins the name of what is not finished.
const Prefix = ".tmp-"

// Put writes a file, in place of one that is there, and returns its size.
func Put(files disk.Files, path string, write func(io.Writer) error) (int64, error) {
	dir, name := filepath.Split(path)
	tmp := filepath.Join(dir, Prefix+name)
	var size int64
	err := disk.Fill(files, tmp, func(w io.Writer) error {
		to := &sized{to: w}
		buf := bufio.NewWriterSize(to, 1<<16)
		err := errors.Join(write(buf), buf.Flush())
		size = to.n
		return err
	})
	if err != nil {
		return 0, err
	}
	return size, files.Rename(tmp, path)
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

// Temporary reports a name of what is not finished.
func Temporary(name string) bool { return strings.HasPrefix(name, Prefix) }
