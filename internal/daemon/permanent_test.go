package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestWhatARetryMayCorrect: the disk, the mount and the rights may come back; what
// is in the release, in the program or in the path of the configuration stays.
func TestWhatARetryMayCorrect(t *testing.T) {
	at := func(err error) error {
		return &publish.ReleaseError{Release: 2, Step: publish.StepRender, Err: &fs.PathError{Op: "write", Path: "data.csv", Err: err}}
	}
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.ENOENT, syscall.EACCES, syscall.EROFS, syscall.EIO,
		syscall.ENOTDIR} {
		require.False(t, permanent(at(no)), no)
	}
	for _, no := range []syscall.Errno{syscall.ENAMETOOLONG, syscall.EXDEV, syscall.ENOTSUP} {
		require.True(t, permanent(at(no)), no)
	}
	require.False(t, permanent(&publish.ReleaseError{Release: 2, Step: publish.StepRender, Err: publish.ErrMiswritten}))
	require.True(t, permanent(errors.New("no common ancestor")))
	for _, class := range []error{publish.ErrRefused, publish.ErrDifferent, publish.ErrBehind, snapshot.ErrDamaged, render.ErrView} {
		require.True(t, permanent(fmt.Errorf("%w: %w", class, at(syscall.ENOSPC))), class)
	}
}
