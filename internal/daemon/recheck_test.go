package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot"
	"anond/snapshot/verify"
)

// firstRelease runs a dataset up to its first release; later rows make a second.
func firstRelease(t *testing.T) (c *config.Config, more func()) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	require.NoError(t, os.WriteFile(in, []byte("age,ill\n30,a\n31,b\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "anond.yaml"), []byte(parkedConfig), 0o600))
	c, _, err := config.Load(filepath.Join(dir, "anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	c.Release.Trigger.MinInterval = 0
	require.NoError(t, Run(t.Context(), c, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
	require.DirExists(t, filepath.Join(c.Release.Dir, "000001"))
	return c, func() { require.NoError(t, os.WriteFile(in, []byte("age,ill\n30,a\n31,b\n50,a\n51,b\n"), 0o600)) }
}

// heldDisk holds up the second reading of the newest manifest: that of the
// recheck, while the first is part of the start.
type heldDisk struct {
	snapshot.FS
	mu            sync.Mutex
	reads         int
	reached, goOn chan struct{}
}

func newHeldDisk() *heldDisk {
	return &heldDisk{FS: snapshot.OS(), reached: make(chan struct{}), goOn: make(chan struct{})}
}

func (d *heldDisk) ReadFile(path string) ([]byte, error) {
	if strings.HasSuffix(path, filepath.Join("000001", "manifest.json")) {
		d.mu.Lock()
		d.reads++
		reads := d.reads
		d.mu.Unlock()
		if reads == 2 {
			close(d.reached)
			<-d.goOn
		}
	}
	return d.FS.ReadFile(path)
}

// heldRun is a daemon whose recheck is held up.
type heldRun struct {
	t     *testing.T
	disk  *heldDisk
	log   *lines // with the reports
	ended chan error
}

func holdRun(t *testing.T, ctx context.Context, c *config.Config, once bool) *heldRun {
	r := &heldRun{t: t, disk: newHeldDisk(), log: &lines{}, ended: make(chan error, 1)}
	observe := func(rep ingest.Report) {
		fmt.Fprintf(r.log, "\"doing\":%q \"releasing\":%d\n", rep.Doing, rep.Releasing)
	}
	go func() {
		r.ended <- Run(ctx, c, dataset.Options{Log: slog.New(slog.NewJSONHandler(r.log, nil)), Once: once, FS: r.disk, Observe: observe})
	}()
	return r
}

func (r *heldRun) until(text string) {
	require.Eventually(r.t, func() bool { return r.log.has(text) }, time.Hour, time.Millisecond, text)
}

// TestADamagedNewestReleaseEndsEveryRun: whether there is something to publish or
// not, whether the run ends by itself or waits for more, its error names the file.
// Mutations under which it was seen to fail: the loop does not hear of the fault;
// a run with an end does not wait for it; Publish does not.
func TestADamagedNewestReleaseEndsEveryRun(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		once, more bool
		found      string // what the run has got to when the damage is found
	}{
		"idle":              {found: `"doing":""`},
		"new records":       {more: true, found: `"releasing":2`},
		"once, nothing new": {once: true, found: `"event":"stopped"`},
		"once, new records": {once: true, more: true, found: `"releasing":2`},
	} {
		t.Run(name, func(t *testing.T) {
			c, more := firstRelease(t)
			file := filepath.Join(c.Release.Dir, "000001", "part-000001", "data.csv")
			require.NoError(t, os.Chmod(file, 0o644))
			require.NoError(t, os.WriteFile(file, []byte("age,ill,class\n30-31,a,1\n30-31,a,1\n"), 0o644))
			if x.more {
				more()
			}
			r := holdRun(t, t.Context(), c, x.once)
			<-r.disk.reached
			r.until(x.found)
			close(r.disk.goOn)
			err := <-r.ended
			var damaged *verify.DamageError
			require.ErrorAs(t, err, &damaged)
			assert.Equal(t, "000001/part-000001/data.csv", damaged.First.File)
			assert.Equal(t, damaged.Error(), err.Error())
			assert.NoDirExists(t, filepath.Join(c.Release.Dir, "000002"))
		})
	}
}

// TestNothingIsPublishedBeforeTheRecheck: reading goes on next to it, a release
// waits for it.
func TestNothingIsPublishedBeforeTheRecheck(t *testing.T) {
	t.Parallel()
	c, more := firstRelease(t)
	more()
	r := holdRun(t, t.Context(), c, true)
	<-r.disk.reached
	r.until(`"releasing":2`)
	names, err := os.ReadDir(c.Release.Dir)
	require.NoError(t, err)
	for _, n := range names {
		assert.NotContains(t, n.Name(), "000002")
	}
	close(r.disk.goOn)
	require.NoError(t, <-r.ended)
	assert.DirExists(t, filepath.Join(c.Release.Dir, "000002"))
}

// TestAStopDuringTheRecheck: a run that is told to stop does not wait for it. A
// release that does is left to the next start.
func TestAStopDuringTheRecheck(t *testing.T) {
	t.Parallel()
	for _, waiting := range []bool{false, true} {
		c, more := firstRelease(t)
		second := filepath.Join(c.Release.Dir, "000002")
		reached := `"doing":""`
		if waiting {
			more()
			reached = `"releasing":2`
		}
		ctx, stop := context.WithCancel(t.Context())
		r := holdRun(t, ctx, c, false)
		<-r.disk.reached
		r.until(reached)
		stop()
		require.NoError(t, <-r.ended)
		require.Equal(t, waiting, r.log.has("release_parked"))
		require.NoDirExists(t, second)
		close(r.disk.goOn)
		require.NoError(t, Run(t.Context(), c, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
		if waiting {
			require.DirExists(t, second)
		}
	}
}

// TestRecheck: what waits for it, and what its fault ends.
func TestRecheck(t *testing.T) {
	fault := errors.New("a fault")
	held := make(chan struct{})
	faults := make(chan error, 1)
	r := beginRecheck(t.Context(), faults, func() error { <-held; return fault })
	require.False(t, r.ended())
	other := errors.New("something else")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, r.end(stopped, nil), "a run that was told to stop does not wait")
	require.Equal(t, other, r.end(stopped, other))
	connecting := make(chan error)
	go func() {
		connecting <- r.during(t.Context(), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	}()
	close(held)
	require.Equal(t, fault, <-connecting, "a source that does not answer is not waited for")
	require.Equal(t, fault, r.end(t.Context(), nil))
	require.Equal(t, fault, r.end(t.Context(), other))
	require.Equal(t, fault, <-faults)
	p := &publisher{standing: r}
	_, err := p.Publish(t.Context(), &incremental.View{})
	require.ErrorIs(t, err, fault)
	require.ErrorIs(t, err, ingest.ErrPermanent)
}

// TestALaterRecheck: once people have left the state the newest release is read a second time, behind the first time, which
// writes what the second one writes; and its fault ends the run that was told of the first one's.
func TestALaterRecheck(t *testing.T) {
	fault, held, begun := errors.New("a fault"), make(chan struct{}), make(chan struct{})
	p := &publisher{faults: make(chan error, 1)}
	told := (<-chan error)(p.faults) // as the loop has it
	p.begins(t.Context(), func() error { <-held; return nil })
	first := p.standing
	p.begins(t.Context(), func() error {
		assert.True(t, first.ended(), "both put the gate behind the newest release")
		close(begun)
		return fault
	})
	close(held)
	<-begun
	require.Equal(t, fault, <-told)
	<-p.standing.done
	p.begins(t.Context(), func() error { assert.Fail(t, "the release is damaged"); return nil })
	<-p.standing.done
	require.Equal(t, fault, p.standing.err)
}
