package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The sizes up to which files are read.
const (
	mostOfConfiguration = 1 << 20 // also of a secret
	mostOfHierarchy     = 256 << 20
)

// ReadRegular reads a file that an operator names. What has no end, or none yet, is refused.
func ReadRegular(path string) ([]byte, error) { return Regular(mostOfHierarchy)(path) }

// Regular reads regular files of at most so many bytes.
func Regular(most int64) ReadFile {
	return func(path string) ([]byte, error) {
		info, err := os.Stat(path) // before it is opened: that alone waits for a writer of a fifo
		if err != nil {
			return nil, err
		}
		switch {
		case !info.Mode().IsRegular():
			return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is no regular file")}
		case info.Size() > most:
			return nil, tooLarge(path, most)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // nothing was written
		content, err := io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(content)) > most { // it grows
			err = tooLarge(path, most)
		}
		return content, err
	}
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is larger than %d MiB", most>>20)}
}

// small reads a configuration or a secret.
func (read ReadFile) small(path string) ([]byte, error) {
	content, err := read(path)
	if err == nil && len(content) > mostOfConfiguration {
		err = tooLarge(path, mostOfConfiguration)
	}
	return content, err
}
