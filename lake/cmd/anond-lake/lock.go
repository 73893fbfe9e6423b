package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"anond/internal/fault"
)

// errLocked: another process writes to the same place.
var errLocked = fault.Errorf(fault.Locked, "wait for the other anond-lake to end, or stop it",
	"another anond-lake is writing there")

// lock makes a directory in one that exists, and keeps other processes of this program out
// of it until unlock is called or the process ends. The file stays: to remove it would let
// two in.
func lock(dir string) (unlock func(), err error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".anond-lake.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close() // the lock is what matters
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: %w", dir, errLocked)
		}
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
