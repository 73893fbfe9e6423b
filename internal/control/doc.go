// Package control is the unix socket over which an operator steers a running daemon:
// HTTP and JSON, for the commands of the same program.
//
// Guarantee: only processes of the daemon's user and of root are answered. The socket has
// mode 0600, no other user may write to its directory, and on Linux the kernel says who
// connects. A socket is replaced only if nobody answers at it.
//
// Method: Listen makes the socket, Serve answers requests by asking a Daemon, and Client
// asks. No answer has a person's value (rule V): the daemon's status and its log have none.
package control
