package programtest

import "os"

// longest is how long TMPDIR may be, so that a socket some directories below it has a path.
const longest = 50

// TempDir is a directory for a test, removed at its end, with a short path: that of a Unix
// socket has 107 bytes at most, of which TMPDIR and the name of a test can take all.
func TempDir(t interface {
	Helper()
	Fatal(args ...any)
	Cleanup(func())
}) string {
	t.Helper()
	base := os.TempDir()
	if len(base) > longest && os.PathSeparator == '/' {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
