package crashtest

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallDisk mounts a disk of its own at a directory; fill leaves no room on it,
// free does.
func smallDisk(t *testing.T, dir string) (fill, free func()) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	ballast := dir + "/.ballast"
	return func() {
			f, err := os.Create(ballast)
			require.NoError(t, err)
			for err == nil {
				_, err = f.Write(make([]byte, 4096))
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.NoError(t, f.Close())
		}, func() {
			require.NoError(t, os.Remove(ballast))
		}
}
