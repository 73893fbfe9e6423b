package daemon

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/upkeep"
	"anond/snapshot"
)

// TestForgettingDuringARelease: a release has its name, and the state does not know that it is
// published. At level L2 its people can be forgotten: the next start renders the same bytes,
// since these show bags of buckets only. At level L1 values stand in rows, and it is refused.
func TestForgettingDuringARelease(t *testing.T) {
	for _, level := range []string{"L2", "L1"} {
		dir := t.TempDir()
		var in strings.Builder
		in.WriteString("person,age,ill\n")
		for i := range 600 {
			fmt.Fprintf(&in, "p%d,%d,ill-%d\n", i, 20+i*7%60, i*i%11)
		}
		text := strings.ReplaceAll(parkedConfig, "{k: 2, l: 2, level: L1, max_hold: 0s}", "{k: 3, l: 2, level: "+level+"}"+map[string]string{
			"L2": "\ninitial: {min_pool: 6}"}[level])
		text = strings.ReplaceAll(text, "  attributes:\n", "  attributes:\n    - {name: person, role: subject}\n")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte(in.String()), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "anond.yaml"), []byte(text), 0o600))
		c, _, err := config.Load(filepath.Join(dir, "anond.yaml"), os.LookupEnv, os.ReadFile)
		require.NoError(t, err)
		disk := &slowDisk{FS: snapshot.OS(), reached: make(chan struct{}), resume: make(chan struct{})}
		log := &lines{}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		o := dataset.Options{Log: slog.New(slog.NewJSONHandler(log, nil))}
		go func() { ended <- Run(ctx, c, dataset.Options{Log: o.Log, Clock: hasty{}, FS: disk}) }()
		<-disk.reached
		stop()
		require.Eventually(t, func() bool { return log.has("release_parked") }, time.Hour, time.Millisecond)
		close(disk.resume)
		require.NoError(t, <-ended)
		require.DirExists(t, filepath.Join(dir, "releases", "000001"))

		receipt, err := upkeep.Forget(t.Context(), c, o, []byte("p30"))
		if level == "L1" {
			require.ErrorIs(t, err, state.ErrUnpublished)
		} else {
			require.NoError(t, err)
			assert.Equal(t, 1, receipt.Removed.Published)
			assert.Positive(t, receipt.Removed.Unlinked)
		}
		ctx, stop = context.WithCancel(t.Context())
		go func() { ended <- Run(ctx, c, o) }()
		require.Eventually(t, func() bool { return log.has(`"event":"release_published","release":1`) }, time.Hour, time.Millisecond)
		stop()
		require.NoError(t, <-ended)
	}
}

// TestARestoredStateFinishesItsRelease: a state of level L1 from before an erasure, with a release that is
// decided and not published, blocks the person, publishes what was decided, and forgets then.
func TestARestoredStateFinishesItsRelease(t *testing.T) {
	dir := t.TempDir()
	var in strings.Builder
	in.WriteString("person,age,ill\n")
	for i := range 600 {
		fmt.Fprintf(&in, "p%d,%d,ill-%d\n", i, 20+i*7%60, i*i%11)
	}
	text := strings.ReplaceAll(parkedConfig, "  attributes:\n", "  attributes:\n    - {name: person, role: subject}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte(in.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "anond.yaml"), []byte(text), 0o600))
	c, _, err := config.Load(filepath.Join(dir, "anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	log := &lines{}
	o := dataset.Options{Log: slog.New(slog.NewJSONHandler(log, nil)), Once: true}
	broken := o
	broken.FS = &fullDisk{FS: snapshot.OS()}
	broken.StandIns.Sleep = func(context.Context, time.Duration) error { return nil }
	require.ErrorIs(t, Run(t.Context(), c, broken), ingest.ErrParked)
	parked, err := os.ReadFile(c.State.Path)
	require.NoError(t, err)
	require.NoError(t, Run(t.Context(), c, o))
	receipt, err := upkeep.Forget(t.Context(), c, o, []byte("p30"))
	require.NoError(t, err)
	require.Equal(t, 1, receipt.Removed.Published)

	require.NoError(t, os.WriteFile(c.State.Path, parked, 0o600))
	require.NoError(t, Run(t.Context(), c, o))
	require.True(t, log.has(`"event":"forget_deferred","people":1`))
	require.True(t, log.has(`"event":"forgotten","people":1,"published":1`))
	again, err := upkeep.Forget(t.Context(), c, o, []byte("p30"))
	require.NoError(t, err)
	require.True(t, again.Before)
	require.Zero(t, again.Removed.Published)
}

// fullDisk takes no release.
type fullDisk struct{ snapshot.FS }

func (d *fullDisk) Rename(from, to string) error {
	if filepath.Base(to) == "000001" {
		return syscall.ENOSPC
	}
	return d.FS.Rename(from, to)
}
