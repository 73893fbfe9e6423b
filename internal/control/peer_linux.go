package control

import (
	"io/fs"
	"net"
	"syscall"
)

// userOf returns the user of the process at the other end, as the kernel knows it.
func userOf(c net.Conn) (uid int, known bool) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0, false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, false
	}
	var cred *syscall.Ucred
	var failed error
	if raw.Control(func(fd uintptr) {
		cred, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}) != nil ||
		failed != nil {
		return 0, false
	}
	return int(cred.Uid), true
}

// checksPeers: a connection whose user is not known is refused.
const checksPeers = true

func ownerOf(info fs.FileInfo) (uid int, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
