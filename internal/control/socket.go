package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"anond/internal/fault"
)

// ErrUnsafe: the socket cannot be made where the configuration wants it.
var ErrUnsafe = fault.Errorf(fault.Config, "choose a directory that only the user of anond can write to, and a path that nothing else uses",
	"control.socket cannot be used")

// answersWithin is how long another process may take to accept a connection.
const answersWithin = time.Second

// Listen makes the socket, in a directory that it makes if there is none.
func Listen(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkDirectory(dir); err != nil {
		return nil, err
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// checkDirectory refuses a directory in which another user could put a socket of theirs in
// place of ours.
func checkDirectory(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%w: others may write to %s (mode %04o)", ErrUnsafe, dir, mode)
	}
	if owner, known := ownerOf(info); known && owner != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d", ErrUnsafe, dir, owner)
	}
	return nil
}

// removeStale removes a socket that a killed process has left. What is no socket stays, and
// so does a socket at which somebody answers.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%w: %s exists and is no socket", ErrUnsafe, path)
	}
	c, err := net.DialTimeout("unix", path, answersWithin)
	if err == nil {
		return errors.Join(fmt.Errorf("%w: another process answers at %s", ErrUnsafe, path), c.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: %w", ErrUnsafe, err)
	}
	return os.Remove(path)
}
