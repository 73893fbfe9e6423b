//go:build linux || darwin

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// stdinPatience is how long bytes are waited for: whoever writes to a pipe may begin later than who reads.
const stdinPatience = 30 * time.Second

// BytesWait waits until bytes can be read from standard input, and reports whether there are any. It takes none, so
// that a program after this one may read them. A terminal and a device have none.
func (e *Env) BytesWait(ctx context.Context) bool {
	f, isFile := e.Stdin.(*os.File)
	if !isFile {
		return false
	}
	info, err := f.Stat()
	switch {
	case err != nil || info.Mode()&(os.ModeDevice|os.ModeCharDevice) != 0:
		return false
	case info.Mode().IsRegular():
		at, err := f.Seek(0, io.SeekCurrent)
		return err == nil && at < info.Size()
	}
	const step = time.Second // a wait for a pipe does not heed a context
	for range int(stdinPatience / step) {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, int(step.Milliseconds()))
		switch {
		case ctx.Err() != nil:
			return false
		case fds[0].Revents&unix.POLLIN != 0:
			return true
		case fds[0].Revents != 0, err != nil && !errors.Is(err, unix.EINTR): // closed
			return false
		}
	}
	return false
}
