package publish

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"anond/internal/disk"
	"anond/snapshot"
)

// replaceBy puts a file in place at once and durably: a reader and a crash see the old content or
// the new one. tmp is the name of the temporary file. fence is asked before others see anything;
// nil: nobody is asked.
func replaceBy(files snapshot.FS, path, tmp string, data []byte, fence func() error) error {
	tmp = filepath.Join(filepath.Dir(path), tmp)
	if err := disk.Fill(files, tmp, disk.Bytes(data)); err != nil {
		return err
	}
	if fence != nil {
		if err := fence(); err != nil {
			return err
		}
	}
	return disk.Move(files, tmp, path)
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
