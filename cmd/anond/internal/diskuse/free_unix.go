//go:build linux || darwin

package diskuse

import "syscall"

// free is how many bytes the user may still write; -1 if that is not known.
func free(path string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
