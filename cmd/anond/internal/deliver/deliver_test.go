package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/daemon"
	"anond/cmd/anond/internal/deliver"
	"anond/cmd/anond/internal/deliver/delivertest"
	"anond/cmd/anond/internal/events"
	"anond/cmd/anond/internal/pace"
	"anond/ingest"
	"anond/snapshot"
)

// book is a sink that notes what it is asked.
type book struct {
	at       deliver.Position
	releases []uint32
	rows     int
	fails    int // calls that fail
	err      error
}

func (b *book) Name() string { return "book" }

func (b *book) Position(context.Context) (deliver.Position, error) { return b.at, b.fail() }

func (b *book) fail() error {
	if b.fails > 0 {
		b.fails--
		return b.err
	}
	return nil
}

func (b *book) Deliver(_ context.Context, r *deliver.Release) error {
	if err := b.fail(); err != nil {
		return err
	}
	for _, p := range r.Births {
		for _, f := range p.Files {
			if err := r.Rows(&p, f, func([]string) error { b.rows++; return nil }); err != nil {
				return err
			}
		}
	}
	b.releases = append(b.releases, r.Manifest.Release)
	return nil
}

// clock goes on by a second at each look.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

func options(dir string, log *strings.Builder) deliver.Options {
	from := &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return deliver.Options{FS: snapshot.OS(), Dir: dir, Log: slog.New(slog.NewJSONHandler(log, nil)), Now: from.Now,
		Patience: 10 * time.Second, Reconnect: ingest.Reconnect{Sleep: func(context.Context, time.Duration) error { return nil }}}
}

// TestRun: every release, in order, also behind failures; the log says what happened.
func TestRun(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 3)
	var log strings.Builder
	b := &book{fails: 3, err: errors.New("away")}
	sum, err := deliver.Run(t.Context(), b, options(chain.Dir, &log))
	require.NoError(t, err)
	require.Equal(t, chain.Newest(), sum.Last)
	require.Len(t, b.releases, int(sum.Last))
	for i, n := range b.releases {
		require.EqualValues(t, i+1, n)
	}
	require.Positive(t, b.rows)
	for line := range strings.Lines(log.String()) {
		require.NoError(t, events.Check([]byte(line)))
	}
	for _, event := range []string{"delivery_started", "delivery_failed", "delivery_resumed", "release_delivered"} {
		assert.Contains(t, log.String(), `"event":"`+event+`"`)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "delivery_failed"), "once a minute")
}

// TestALimitHoldsUpWhatIsSent, not what is compared before; the rows are the same.
func TestALimitHoldsUpWhatIsSent(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 2)
	var log strings.Builder
	free := &book{}
	_, err := deliver.Run(t.Context(), free, options(chain.Dir, &log))
	require.NoError(t, err)
	sent := 0
	for _, path := range born(t, chain.Dir) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		sent += int(info.Size())
	}
	synctest.Test(t, func(t *testing.T) {
		o, b, began := options(chain.Dir, &log), &book{}, time.Now()
		o.Limit = pace.New(daemon.SystemClock(), 1<<10)
		_, err := deliver.Run(t.Context(), b, o)
		require.NoError(t, err)
		require.Equal(t, free.rows, b.rows)
		require.InDelta(t, float64(sent)/1024, time.Since(began).Seconds(), .3)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		o, began := options(chain.Dir, &log), time.Now()
		o.Limit, o.Follow = pace.New(daemon.SystemClock(), 1<<10), true
		time.AfterFunc(time.Second, stop)
		_, err := deliver.Run(ctx, &book{}, o)
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(began), "a stop does not wait for the limit")
	})
}

// born are the files of the parts that releases gave birth to.
func born(t *testing.T, dir string) (out []string) {
	history := snapshot.NewHistory(snapshot.OS(), dir)
	_, newest, err := history.Ends()
	require.NoError(t, err)
	for n := uint32(1); n <= newest; n++ {
		p, err := history.Published(n)
		require.NoError(t, err)
		for _, b := range p.Manifest.Births() {
			for _, f := range b.Files {
				out = append(out, filepath.Join(dir, fmt.Sprintf("%06d", n), b.Part, f.Name))
			}
		}
	}
	return out
}

// TestRunEnds: a sink that stays away ends a delivery that does not follow, and what trying
// again does not help ends any.
func TestRunEnds(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 1)
	var log strings.Builder
	away := errors.New("away")
	b := &book{fails: 1000, err: away}
	_, err := deliver.Run(t.Context(), b, options(chain.Dir, &log))
	require.ErrorIs(t, err, away)
	require.Greater(t, b.fails, 900)
	o := options(chain.Dir, &log)
	o.Follow = true
	_, err = deliver.Run(t.Context(), &book{fails: 1, err: deliver.Final(away)}, o)
	require.ErrorIs(t, err, away)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = deliver.Run(ctx, &book{fails: 5, err: away}, o)
	require.NoError(t, err, "who follows is stopped, and that is no failure")
	_, err = deliver.Run(ctx, &book{fails: 5, err: away}, options(chain.Dir, &log))
	require.ErrorIs(t, err, context.Canceled)
}

// TestFileIsGone: who follows says it of a file that stays away, and not of one that was
// pruned while it was read.
func TestFileIsGone(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 2)
	newest := fmt.Sprintf("%06d", chain.Newest())
	path := filepath.Join(chain.Dir, newest, "part-"+newest, "data.csv") // no other release has it
	require.NoError(t, os.Rename(path, path+".away"))
	var log strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	o, attempts := options(chain.Dir, &log), 0
	o.Follow = true
	o.Reconnect.Sleep = func(context.Context, time.Duration) error {
		if attempts++; attempts == 1 {
			assert.NotContains(t, log.String(), "delivery_failed")
		} else {
			assert.Contains(t, log.String(), "data.csv")
			cancel()
		}
		return nil
	}
	b := &book{}
	_, err := deliver.Run(ctx, b, o)
	require.NoError(t, err)
	require.Len(t, b.releases, int(chain.Newest())-1)
	require.Equal(t, 2, attempts)
}

// TestNothingToDeliver: a directory without releases, or one of format version 1.
func TestNothingToDeliver(t *testing.T) {
	var log strings.Builder
	for _, dir := range []string{t.TempDir(), "../../testdata/format1/releases"} {
		b := &book{fails: 1, err: errors.New("nobody should ask")}
		sum, err := deliver.Run(t.Context(), b, options(dir, &log))
		require.NoError(t, err)
		require.Equal(t, deliver.Summary{}, sum)
	}
}
