package daemon

import (
	"errors"
	"io/fs"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/snapshot/publish"
)

// lame is a view whose attempts end as they are told to.
type lame struct {
	errs  []error
	tries int
}

func (f *lame) Follow(publish.Directory) (err error) {
	if f.tries < len(f.errs) {
		err = f.errs[f.tries]
	}
	f.tries++
	return err
}

func (f *lame) Newest() (string, uint32, time.Time, int) {
	return "v", uint32(f.tries), time.Time{}, max(0, len(f.errs)-f.tries)
}

// TestViewsAreTriedAgain: where a disk was in the way of a view, it is tried again a minute later without a release, and not while one
// is being published; what its gate has refused is not.
func TestViewsAreTriedAgain(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, x := range []struct {
		err  error
		more int
	}{{full, 1}, {publish.Refuse(errors.New("no")), 0}} {
		f := &lame{errs: []error{x.err}}
		v := newViews(t.Context(), []dataset.Follower{f}, slog.New(slog.DiscardHandler))
		v.follow(t.Context(), publish.Directory{})
		begin := time.Unix(1000, 0)
		see := func(after time.Duration, releasing uint32) ingest.Report {
			r := ingest.Report{Time: begin.Add(after), Releasing: releasing}
			v.observe(&r, func() (publish.Directory, func()) { return publish.Directory{}, func() {} })
			v.wait.Wait()
			return r
		}
		require.NotEmpty(t, see(0, 0).Views[0].Failure)
		require.ErrorIs(t, v.end(), x.err)
		see(59*time.Second, 0)
		see(2*time.Minute, 7)
		require.Equal(t, 1, f.tries)
		see(2*time.Minute, 0)
		require.Equal(t, 1+x.more, f.tries)
		if x.more > 0 {
			require.Empty(t, see(3*time.Minute, 0).Views[0].Failure)
			require.NoError(t, v.end())
			require.Equal(t, 2, f.tries)
		}
	}
}

// TestAStartIsRefusedForWhatHasToBePutRight: another definition, or other releases, refuse a start; a full disk does not.
func TestAStartIsRefusedForWhatHasToBePutRight(t *testing.T) {
	for err, refused := range map[error]bool{fault.Errorf(fault.Config, "", "other columns"): true,
		fault.Errorf(fault.Behind, "", "other releases"): true, syscall.ENOSPC: false, publish.Refuse(errors.New("no")): false} {
		v := newViews(t.Context(), []dataset.Follower{&lame{errs: []error{err}}}, slog.New(slog.DiscardHandler))
		require.Equal(t, refused, v.start(publish.Directory{}) != nil, "%v", err)
	}
}
