//go:build linux || darwin

package subjectledger

import (
	"os"
	"syscall"
)

// try locks a file unless somebody else has it.
func try(f *os.File, shared bool) (taken bool, err error) {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err {
	case nil:
		return false, nil
	case syscall.EWOULDBLOCK, syscall.EINTR:
		return true, nil
	default:
		return false, err
	}
}

func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
