//go:build linux || darwin

package diskuse

import (
	"os"
	"syscall"
)

// free is how many bytes the user may still write; -1 if that is not known.
func free(path string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}

// Lock keeps others out of a directory who lock it, too, until unlock is called or the process ends. taken: somebody has
// it. A file system without locks keeps nobody out.
func Lock(dir string) (unlock func() error, taken bool) {
	d, err := os.Open(dir)
	if err != nil {
		return func() error { return nil }, false
	}
	taken = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK
	return d.Close, taken
}

// OneDisk reports whether two directories are on one file system.
func OneDisk(a, b string) (same, known bool) {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil {
		return false, false
	}
	s, okS := x.Sys().(*syscall.Stat_t)
	t, okT := y.Sys().(*syscall.Stat_t)
	return okS && okT && s.Dev == t.Dev, okS && okT
}
