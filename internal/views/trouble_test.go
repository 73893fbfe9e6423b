package views_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/views"
)

// broken is a file system on which nothing can be written below a directory.
type broken struct {
	snapshot.FS
	dir string
	why syscall.Errno
}

func (f broken) fails(path string) error {
	if !strings.Contains(path, f.dir) {
		return nil
	}
	return &fs.PathError{Op: "write", Path: filepath.Base(path), Err: f.why}
}

func (f broken) Create(path string) (io.WriteCloser, error) {
	if err := f.fails(path); err != nil {
		return nil, err
	}
	return f.FS.Create(path)
}

func (f broken) MkdirPrivate(path string) error {
	if err := f.fails(path); err != nil {
		return err
	}
	return f.FS.MkdirPrivate(path)
}

// TestADiskThatIsInTheWayOfAView: a view whose disk is full or read-only, or whose directory may not be written, stays behind; releases
// and the other view go on, each run that ends says so with exit code 1, and the start behind the repair makes up for everything.
func TestADiskThatIsInTheWayOfAView(t *testing.T) {
	for _, why := range []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EACCES} {
		s := newSite(t, "repeat: first", "")
		require.NoError(t, s.run(130))
		first := s.newest("releases").Release
		s.fs = broken{snapshot.OS(), "/releases-pharma/", why}
		for s.newest("releases").Release < first+2 {
			err := s.run(120)
			if s.newest("releases").Release == first {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, why)
			kind, _ := fault.Of(err)
			require.Equal(t, fault.Failed, kind)
		}
		now := s.newest("releases").Release
		require.Equal(t, now, s.newest("releases-insurer").Release)
		require.Equal(t, first, s.newest("releases-pharma").Release)
		require.Equal(t, int(now-first), s.seen.Views[1].Behind)
		require.NotEmpty(t, s.seen.Views[1].Failure)
		s.fs = nil
		require.NoError(t, s.run(0))
		require.Equal(t, now, s.newest("releases-pharma").Release)
		require.Zero(t, s.seen.Views[1].Behind)
		require.Empty(t, s.seen.Views[1].Failure)
		require.Empty(t, s.audit().Violations)
	}
}

// TestAViewWhoseDirectoryWasRemoved: it is made again, to the byte, while all releases are there. Once some were pruned its chain would be
// another one than its ledger has: that is refused before anything of it has a name.
func TestAViewWhoseDirectoryWasRemoved(t *testing.T) {
	s := newSite(t, "repeat: first", "")
	require.NoError(t, s.run(240))
	before := tree(t, s.path("releases-pharma"))
	require.NoError(t, os.RemoveAll(s.path("releases-pharma")))
	require.NoError(t, s.run(0))
	require.Equal(t, before, tree(t, s.path("releases-pharma")))
	require.Empty(t, s.audit().Violations)

	s.replace("ledger: ./ledger\n", "ledger: ./ledger\n  keep: {releases: 2}\n")
	for range 4 {
		require.NoError(t, s.run(120))
	}
	require.NoError(t, os.RemoveAll(s.path("releases-pharma")))
	require.ErrorIs(t, s.run(0), views.ErrForeign)
	left, err := filepath.Glob(s.path("releases-pharma/*0*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, os.Remove(s.path("ledger-pharma")))
	require.NoError(t, s.run(0), "a new chain")
	require.Empty(t, s.audit().Violations)
}
