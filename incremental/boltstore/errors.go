package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"

	"anond/incremental/state"
)

// errReadOnly: the state was opened for reading.
var errReadOnly = errors.New("the state is opened for reading only")

// damaged names the place of a fault, never its content: keys are numbers.
func (b *bucket) damaged(key []byte, why string) error {
	if key == nil {
		return fmt.Errorf("%w: bucket %s: %s", state.ErrCorrupt, b.name, why)
	}
	if b == inMeta {
		return fmt.Errorf("%w: bucket %s, key %s: %s", state.ErrCorrupt, b.name, printable(key), why)
	}
	return fmt.Errorf("%w: bucket %s, key %x: %s", state.ErrCorrupt, b.name, key, why)
}

// printable keeps a damaged key from reaching the terminal raw.
func printable(key []byte) string {
	for _, known := range headKeys {
		if string(known) == string(key) {
			return string(key)
		}
	}
	return fmt.Sprintf("%x", key)
}

// openError translates what bbolt says while it opens.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return lockedError(path)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return fmt.Errorf("%w: no valid bbolt header", state.ErrCorrupt)
	case strings.Contains(err.Error(), "file size too small"): // bbolt has no name for it
		return fmt.Errorf("%w: the file is shorter than its header", state.ErrCorrupt)
	default:
		return writeError(err)
	}
}

// Holder returns the process that holds the state at path, 0 if none does or the
// system does not say.
func Holder(path string) int { return holder(path) }

func lockedError(path string) error {
	if pid := holder(path); pid > 0 {
		return fmt.Errorf("%w: pid %d", state.ErrLocked, pid)
	}
	return state.ErrLocked
}

// writeError marks lack of space. bbolt flattens the error of a failed resize
// into text, hence the look at the text.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, bolterrors.ErrMaxSizeReached) {
		return state.ErrQuota
	}
	full := false
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		full = full || errors.Is(err, no) || strings.Contains(err.Error(), no.Error())
	}
	if full {
		return fmt.Errorf("%w: %v", state.ErrNoSpace, err)
	}
	return err
}

// panicError turns a panic inside bbolt, which is how it reports damaged pages, into
// an error. The panic's text may quote memory, so it is dropped.
func panicError(p any) error {
	if p == nil {
		return nil
	}
	return fmt.Errorf("%w: the page structure is broken", state.ErrCorrupt)
}

// missing distinguishes a state that was never written from a damaged one.
func missing(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}
