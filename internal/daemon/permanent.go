package daemon

import (
	"errors"
	"slices"
	"syscall"

	"anond/internal/dataset"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// permanent reports errors of publishing that no retry can correct. Only errors of
// the file system may be temporary: a full disk, a missing mount, missing rights, other
// bytes than were written.
// Every other error lies in the release or in the program, and would repeat
// without end.
func permanent(err error) bool {
	if errors.Is(err, dataset.ErrJournalAway) || errors.Is(err, publish.ErrMiswritten) {
		return false
	}
	for _, class := range []error{publish.ErrRefused, publish.ErrDifferent, publish.ErrBehind, snapshot.ErrDamaged, render.ErrView} {
		if errors.Is(err, class) {
			return true
		}
	}
	var no syscall.Errno
	return !errors.As(err, &no) || slices.Contains(lasting, no)
}

// lasting are the errors of a file system that stay as long as the paths of the
// configuration do.
var lasting = []syscall.Errno{syscall.ENAMETOOLONG, syscall.EINVAL, syscall.EXDEV, syscall.ENOSYS, syscall.ENOTSUP}
