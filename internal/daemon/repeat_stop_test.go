package daemon

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// TestAStopOfARepeatedRelease: a start that repeats a journal publishes releases. A stop takes the disk away
// from the one in progress, or ends its wait for release.max_bytes_per_second: neither is a failure of the
// run. Without a stop both are, and damage always is.
func TestAStopOfARepeatedRelease(t *testing.T) {
	disk := publish.NewClosable(snapshot.OS())
	disk.Close()
	closed := errors.Join(ingest.ErrPermanent,
		&publish.ReleaseError{Release: 1, Step: publish.StepRender, Err: disk.MkdirAll(filepath.Join(t.TempDir(), "x"))})
	parked := &publish.ReleaseError{Release: 1, Step: publish.StepRender, Err: ingest.ErrParked}
	damaged := &publish.ReleaseError{Release: 1, Step: publish.StepCheck, Err: snapshot.ErrDamaged}
	ctx, stop := context.WithCancel(t.Context())
	o := dataset.Options{Log: slog.New(slog.DiscardHandler)}
	for _, err := range []error{closed, parked, damaged} {
		require.ErrorIs(t, stoppedEarly(ctx, o, err), err)
	}
	stop()
	require.NoError(t, stoppedEarly(ctx, o, closed))
	require.NoError(t, stoppedEarly(ctx, o, parked))
	require.ErrorIs(t, stoppedEarly(ctx, o, damaged), snapshot.ErrDamaged)
}
