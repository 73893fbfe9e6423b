package daemon

import (
	"errors"
	"slices"
	"syscall"

	"anond/snapshot"
)

// permanent tells errors of publishing that no retry can correct. Only what the
// file system says may pass: a full disk, a mount that is missing, rights that
// are about to be given. Everything else is in the release or in the program,
// and would come again without end.
func permanent(err error) bool {
	for _, class := range []error{snapshot.ErrRefused, snapshot.ErrDifferent, snapshot.ErrBehind, snapshot.ErrDamaged, snapshot.ErrView} {
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
