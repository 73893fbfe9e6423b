package programtest

import "os"

// TempDir is a directory for a test, removed at its end, with a short path: that of a Unix
// socket has 107 bytes at most, of which TMPDIR and the name of a test can take all.
func TempDir(t interface {
	Helper()
	Fatal(args ...any)
	Cleanup(func())
}) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
