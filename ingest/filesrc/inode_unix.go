//go:build linux || darwin

package filesrc

import (
	"fmt"
	"os"
	"syscall"
)

// inodeOf names a file among those that are there.
func inodeOf(info os.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%x-%x", s.Dev, s.Ino)
	}
	return ""
}
