package daemon

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/fault"
	"anond/internal/ops/monitor"
)

// TestKeepIsTakenIn: a running daemon takes in release.keep, prunes behind the next release,
// and the monitor hears of each reload.
func TestKeepIsTakenIn(t *testing.T) {
	s := newSteered(t, "on: interval, every: 1h")
	watch := monitor.New(MonitorSettings(s.cfg, ""))
	s.options.Monitor = watch
	s.start()
	s.feed(300)
	s.release(1)
	s.feed(300)
	s.pass(time.Hour)
	s.release(2)
	first := filepath.Join(s.cfg.Release.Dir, "000001")
	require.DirExists(t, first)

	s.edit("release: {", "release: {keep: {releases: 1}, ")
	out, err := ask(s, s.client.Reload)
	require.NoError(t, err)
	require.Equal(t, []string{"release.keep.releases"}, out.Keys)
	require.True(t, watch.Now().Reload.OK)
	require.EqualValues(t, 1, watch.Now().Reload.Count)
	s.feed(300)
	s.pass(time.Hour)
	s.release(3)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(s.cfg.Release.Dir, "000002"))
		return os.IsNotExist(err)
	}, time.Hour, time.Millisecond)
	require.NoDirExists(t, first)
	require.FileExists(t, filepath.Join(s.cfg.Release.Dir, "pruned", "000001.json"))
	require.DirExists(t, filepath.Join(s.cfg.Release.Dir, "000003"))

	s.text = "version: 1\n"
	_, err = ask(s, s.client.Reload)
	require.Error(t, err)
	require.False(t, watch.Now().Reload.OK)
	require.EqualValues(t, 2, watch.Now().Reload.Count)
}

// TestNoRoomForACopy: a copy that would fill the disk is refused, in words.
func TestNoRoomForACopy(t *testing.T) {
	require.NoError(t, room(t.TempDir(), 1))
	err := room(t.TempDir(), math.MaxInt64/2)
	require.ErrorContains(t, err, "there is no room for a copy of the state in ")
	require.NotEmpty(t, fault.Hint(err))
}

// TestBackupsOfEarlierProcesses: what a start knows of them, so that a metric of their age
// does not begin anew.
func TestBackupsOfEarlierProcesses(t *testing.T) {
	c := &config.Config{Dataset: "hospital"}
	require.Nil(t, found(c))
	c.State.Backup.Dir = t.TempDir()
	require.True(t, found(c).Made.IsZero())
	at := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	for i, name := range []string{"hospital-20260228T020000Z-r000006.db", "hospital-20260301T020000Z-r000007.db", "hospital-x.db",
		"clinic-20260401T020000Z-r000009.db"} {
		b := Backup{Made: at.AddDate(0, 0, i-1), Release: uint32(6 + i)}
		require.NoError(t, b.write(descriptionOf(filepath.Join(c.State.Backup.Dir, name))))
	}
	b := found(c)
	require.Equal(t, at, b.Made)
	require.Equal(t, at, b.Verified)
	require.EqualValues(t, 7, b.Release)
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
