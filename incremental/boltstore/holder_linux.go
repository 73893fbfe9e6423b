package boltstore

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holder returns the process that holds the lock of a file, 0 if unknown. It
// asks the kernel rather than a side file, which a killed process would leave
// behind.
func holder(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	f, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer f.Close()
	return findHolder(f, fileName(uint64(stat.Dev), stat.Ino))
}

// Held reports whether a process may hold the state at path. It asks for the lock that
// bbolt takes to read, and gives it back: a process that opens the state at that moment
// tries again.
func Held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		return true
	}
	unlock(f)
	return false
}

// unlock gives up the lock of a file whose mapping outlives its descriptor: bbolt
// leaves the mapping behind when it panics over a damaged page, and with it the lock.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// fileName writes device and inode as /proc/locks does.
func fileName(dev, inode uint64) string {
	major := dev>>8&0xfff | dev>>32&^uint64(0xfff)
	minor := dev&0xff | dev>>12&^uint64(0xff)
	return fmt.Sprintf("%02x:%02x:%d", major, minor&0xffffffff, inode)
}

// findHolder looks for a line such as
//
//	3: FLOCK  ADVISORY  WRITE 4711 fe:00:131092 0 EOF
//
// A line with `->` is a process that waits.
func findHolder(locks io.Reader, file string) int {
	lines := bufio.NewScanner(locks)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != file {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}
