package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/internal/dataset"
	"anond/internal/ops/monitor"
)

// TestKeepIsTakenIn: a running daemon takes in release.keep, prunes behind the next release,
// and the monitor hears of each reload.
func TestKeepIsTakenIn(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	watch := monitor.New(dataset.MonitorSettings(s.cfg, ""))
	s.Options.Monitor = watch
	s.Start()
	s.Feed(300)
	s.release(1)
	s.Feed(300)
	s.pass(time.Hour)
	s.release(2)
	first := filepath.Join(s.cfg.Release.Dir, "000001")
	require.DirExists(t, first)

	s.edit("release: {", "release: {keep: {releases: 1}, ")
	out, err := ask(s, s.Client.Reload)
	require.NoError(t, err)
	require.Equal(t, []string{"release.keep.releases"}, out.Keys)
	require.True(t, watch.Now().Reload.OK)
	require.EqualValues(t, 1, watch.Now().Reload.Count)
	s.Feed(300)
	s.pass(time.Hour)
	s.release(3)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(s.cfg.Release.Dir, "000002"))
		return os.IsNotExist(err)
	}, time.Hour, time.Millisecond)
	require.NoDirExists(t, first)
	require.FileExists(t, filepath.Join(s.cfg.Release.Dir, "pruned", "000001.json"))
	require.DirExists(t, filepath.Join(s.cfg.Release.Dir, "000003"))

	s.Text = "version: 1\n"
	_, err = ask(s, s.Client.Reload)
	require.Error(t, err)
	require.False(t, watch.Now().Reload.OK)
	require.EqualValues(t, 2, watch.Now().Reload.Count)
}

// TestPruningEndsWithTheDaemon: a stop is not held up by thousands of releases that are due.
func TestPruningEndsWithTheDaemon(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	x := &pruner{ctx: ctx}
	held := errors.New("another process publishes")
	require.NoError(t, x.fence(nil))
	require.ErrorIs(t, x.fence(func() error { return held }), held)
	stop()
	require.ErrorIs(t, x.fence(nil), context.Canceled)
}
