package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"anond/snapshot"
)

// Try does in a directory what a publication does in it, under temporary names, and removes
// what it made: modes alone do not tell what a file system, a quota or a mount refuses.
func Try(files snapshot.FS, dir string) (err error) {
	tmp := filepath.Join(dir, temporaryName("try", strconv.Itoa(os.Getpid())))
	named, file, again := tmp+"-named", tmp+"-file", tmp+"-again"
	for _, step := range []func() error{
		func() error { return files.MkdirPrivate(tmp) },
		func() error {
			return NewFiles(files, "", dir).Write(filepath.Base(file), []byte("a trial of anond doctor\n"))
		},
		func() error { return files.Link(file, again) },
		func() error { return files.SyncAll([]string{file, tmp}) },
		func() error { return files.Publicize(tmp) },
		func() error { return files.Rename(tmp, named) },
		func() error { return files.Sync(dir) },
	} {
		if err = step(); err != nil {
			break
		}
	}
	for _, made := range []string{tmp, named, file, again} {
		err = errors.Join(err, files.RemoveAll(made))
	}
	return err
}

// TryAppend opens a file as something is added to it, and leaves it as it is. One that is not
// there is no fault.
func TryAppend(files snapshot.FS, path string) error {
	if _, err := files.Stat(path); notExist(err) {
		return nil
	}
	f, err := files.Append(path)
	if err != nil {
		return err
	}
	return f.Close()
}
