package publish

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"anond/snapshot"
)

// replaceBy puts a file in place at once and durably: a reader and a crash see the old content or
// the new one. tmp is the name of the temporary file. fence is asked before others see anything;
// nil: nobody is asked.
func replaceBy(files snapshot.FS, path, tmp string, data []byte, fence func() error) error {
	dir := filepath.Dir(path)
	if err := writeFile(files, filepath.Join(dir, tmp), data); err != nil {
		return err
	}
	if err := files.Sync(filepath.Join(dir, tmp)); err != nil {
		return err
	}
	if fence != nil {
		if err := fence(); err != nil {
			return err
		}
	}
	if err := files.Rename(filepath.Join(dir, tmp), path); err != nil {
		return err
	}
	return files.Sync(dir)
}

// writeFile makes a file that others may not see yet.
func writeFile(files snapshot.FS, path string, data []byte) error {
	w, err := files.Create(path)
	return fill(w, err, data)
}

// fill fills a file that was made, and closes it.
func fill(w io.WriteCloser, err error, data []byte) error {
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Close())
}

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
