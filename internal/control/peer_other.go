//go:build !linux

package control

import (
	"io/fs"
	"net"
)

// userOf: other systems than Linux say it in other ways, which anond does not know. There
// the mode of the socket and of its directory decide who connects.
func userOf(net.Conn) (uid int, known bool) { return 0, false }

const checksPeers = false

func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }
