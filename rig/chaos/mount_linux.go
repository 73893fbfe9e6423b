package chaos

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// OwnDisks starts the program that is running again where it may mount disks, in a user
// namespace of its own, if it may not mount any here. started says whether it did; err is
// how that one ended. Where user namespaces are not allowed, either, plans have no disks of
// their own.
func OwnDisks(ctx context.Context) (started bool, err error) {
	if os.Geteuid() == 0 || os.Getenv(inNamespace) != "" {
		return false, nil
	}
	again := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.Env = append(os.Environ(), inNamespace+"=1")
	again.Cancel = func() error { return again.Process.Signal(syscall.SIGTERM) }
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}}
	if again.Start() != nil {
		return false, nil
	}
	return true, again.Wait()
}

// inNamespace is set in the environment of the program in the namespace.
const inNamespace = "ANOND_CHAOS_NAMESPACE"

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
