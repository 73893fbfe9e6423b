package trial

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anond/internal/disk"
	"anond/internal/ops/diskuse"
	"anond/internal/profile"
)

// prefix begins the name of a trial's directory.
const prefix = "anond-try-"

// place makes the directory of a trial, and says how to remove it. Those of trials that were killed are removed first: nobody
// holds their lock.
func place() (dir string, remove func() error, err error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, old := range left {
		const makes = time.Minute // time in which one that was just made gets its lock
		if info, err := os.Lstat(old); err != nil || !info.IsDir() || time.Since(info.ModTime()) < makes {
			continue
		}
		unlock, taken := diskuse.Lock(old)
		if !taken {
			_ = os.RemoveAll(old) // of another user, if that fails
		}
		_ = unlock()
	}
	if dir, err = os.MkdirTemp("", prefix); err != nil {
		return "", nil, err
	}
	unlock, _ := diskuse.Lock(dir)
	return dir, func() error {
		err := os.RemoveAll(dir)
		for range 10 { // what was still at work has made something in it
			if err == nil {
				break
			}
			err = os.RemoveAll(dir)
		}
		return errors.Join(err, unlock())
	}, nil
}

// sample copies at most so many bytes of the data, unpacked, and reports whether that is all of it.
func sample(ctx context.Context, o *Options, to string) (whole bool, err error) {
	in := o.Stdin
	if o.Data != "-" {
		f, err := os.Open(o.Data)
		if err != nil {
			return false, err
		}
		defer f.Close()
		in = f
	}
	out, err := disk.Create(to, 0o600)
	if err != nil {
		return false, err
	}
	var copied int64
	failed, err := profile.Interruptible(ctx, func() (err error) {
		if strings.HasSuffix(o.Data, ".gz") {
			if in, err = gzip.NewReader(in); err != nil {
				return err
			}
		}
		copied, err = io.Copy(out, io.LimitReader(in, o.Most+1))
		return err
	})
	if err = errors.Join(err, failed); err == nil && copied > o.Most {
		err = out.Truncate(o.Most)
	}
	return copied <= o.Most, errors.Join(err, out.Close())
}
