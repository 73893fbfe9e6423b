package config

import "fmt"

// Control is the block `control`.
type Control struct {
	Socket string // empty: none
}

// longestSocket is how many bytes the path of a unix socket may have: 108 on Linux, 104
// elsewhere, with a zero at the end.
const longestSocket = 103

func (s *Control) keys() []key {
	return []key{
		{path: "control.socket", value: path(&s.Socket), derived: "none", doc: "Unix socket over which `anond status`, `tail`, `release now`, " +
			"`release plan`, `pause`, `resume`, `reload` and `log-level` reach the running daemon. Only its user and root may connect. " +
			"No other user may be able to write to its directory."},
	}
}

func (c *Config) checkControl(r *reader) {
	const key = "control.socket"
	if !r.sound(key) || c.Control.Socket == "" {
		return
	}
	if n := len(c.Control.Socket); n > longestSocket {
		r.fault(key, fmt.Sprintf("has %d bytes with its directory, and the path of a socket may have %d", n, longestSocket),
			"choose a shorter path, such as /run/anond/control.sock")
	}
	if r.sound("release.dir") && Inside(c.Release.Dir, c.Control.Socket) {
		r.fault(key, "is inside release.dir: the socket is private, and release.dir is public", "choose a path outside of it")
	}
}
