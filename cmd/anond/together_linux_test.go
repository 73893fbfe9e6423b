package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTwoInstancesOnOneReleaseDirectory: the second one is refused before it reads, and told which process is the first, also
// while nothing is published yet.
func TestTwoInstancesOnOneReleaseDirectory(t *testing.T) {
	a := newSite(t, "{type: file, file: {path: in.ndjson, follow: true}}", "on: interval, every: 1h", "")
	a.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	a.write("in.ndjson", "")
	p := a.start("run")
	p.event("started")

	b := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	b.edit("dir: ./releases", "dir: "+a.path("releases"))
	b.write("in.ndjson", ndjson(2, 500))
	r := b.run("run --once")
	require.Equal(t, exitBehind, r.code, r.stderr)
	require.Contains(t, r.stderr, fmt.Sprintf("another anond publishes into %s: pid %d", a.path("releases"), p.cmd.Process.Pid))

	a.append("in.ndjson", ndjson(1, 500))
	eventually(t, func() bool { return strings.Contains(a.run("status --json").stdout, `"sent": 500`) }, "%s", &p.stderr)
	a.must("release now")
	p.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, p.wait(), &p.stderr)
	r = b.run("run --once")
	require.Equal(t, exitBehind, r.code, "nobody runs, and the releases are another's: "+r.stderr)
}
