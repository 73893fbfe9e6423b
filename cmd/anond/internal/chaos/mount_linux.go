package chaos

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// mount puts a small disk of its own at a directory, if this process may.
func mount(dir string) bool {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m,mode=0755") == nil
}

func unmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }

// readOnly takes the right to write to a disk, or gives it back.
func readOnly(dir string, yes bool) error {
	flags := uintptr(syscall.MS_REMOUNT)
	if yes {
		flags |= syscall.MS_RDONLY
	}
	return syscall.Mount("tmpfs", dir, "tmpfs", flags, "")
}

// fill leaves no room on a disk.
func fill(dir string) error {
	f, err := os.Create(filepath.Join(dir, ballast))
	if err != nil {
		return err
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

const ballast = ".ballast"
