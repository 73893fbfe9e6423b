package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/internal/clock"
	"anond/internal/pace"
	"anond/internal/retry"
	"anond/internal/testkit/eventtest"
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

func (b *book) Verify(context.Context, deliver.Position, iter.Seq2[*deliver.Release, error], bool) error {
	return nil
}
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

// seconds is a clock that goes on by a second at each look.
type seconds struct{ now time.Time }

func (c *seconds) Now() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

func options(dir string, log *strings.Builder) deliver.Options {
	from := &seconds{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return deliver.Options{FS: snapshot.OS(), Dir: dir, Log: slog.New(slog.NewJSONHandler(log, nil)), Now: from.Now,
		Patience: 10 * time.Second, Reconnect: retry.Policy{Sleep: func(context.Context, time.Duration) error { return nil }}}
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
		require.NoError(t, eventtest.Check([]byte(line)))
	}
	for _, event := range []string{"delivery_started", "delivery_failed", "delivery_resumed", "release_delivered"} {
		assert.Contains(t, log.String(), `"event":"`+event+`"`)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "delivery_failed"), "once a minute")
}

// TestBoard: what operators see of a delivery whose sink is away and comes back: how far it is, for how long it
// has lacked a release, and what was sent.
func TestBoard(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 3)
	var log strings.Builder
	var did []string
	board := &deliver.Board{Dataset: "d", Kind: "kafka", Does: func(what string, patience time.Duration) {
		require.Equal(t, what == "", patience == 0)
		did = append(did, what)
	}}
	board.Names("book")
	o, b := options(chain.Dir, &log), &book{fails: 2, err: errors.New("away")}
	o.Board = board
	now := time.Now()
	look := func() deliver.Status { return board.Look(func() string { return "x" })(now) }
	require.Nil(t, look().LastAttempt)
	o.Reconnect.Sleep = func(context.Context, time.Duration) error {
		s := look()
		assert.Equal(t, "away", s.Failure)
		assert.Equal(t, chain.Newest(), s.Newest)
		assert.False(t, s.Known, "it has not answered")
		assert.Zero(t, s.Behind)
		return nil
	}
	_, err := deliver.Run(t.Context(), b, o)
	require.NoError(t, err)
	s := look()
	assert.True(t, s.Known)
	assert.Equal(t, "book", s.Sink)
	assert.Equal(t, []uint64{uint64(chain.Newest()), 2}, []uint64{s.Delivered, s.Failures})
	assert.Equal(t, []uint32{chain.Newest(), chain.Newest(), 0}, []uint32{s.Release, s.Newest, s.Behind})
	assert.Empty(t, s.Failure)
	assert.NotNil(t, s.LastSuccess)
	files := born(t, chain.Dir)
	bytes := 0
	for _, path := range files {
		info, err := os.Stat(path)
		require.NoError(t, err)
		bytes += int(info.Size())
	}
	assert.EqualValues(t, bytes, s.Bytes)
	assert.EqualValues(t, b.rows-len(files), s.Rows, "without headers")
	assert.Contains(t, did, "asking how far the sink is")
	assert.Contains(t, did, fmt.Sprintf("delivering release %d", chain.Newest()))
	assert.Empty(t, did[len(did)-1])

	// a sink that has answered, and then takes nothing: releases wait, and get older
	chain.Grow(int(chain.Newest()) + 2)
	was := s.Release
	b.at = deliver.Position{Release: was, SHA256: manifestOf(t, chain.Dir, was)}
	b.fails, o.Follow = 0, true
	stubborn := &refusing{book: b}
	ctx, stop := context.WithCancel(t.Context())
	o.Reconnect.Sleep = func(context.Context, time.Duration) error { stop(); return nil }
	_, err = deliver.Run(ctx, stubborn, o)
	require.NoError(t, err)
	s = look()
	assert.Equal(t, []uint32{was, chain.Newest(), chain.Newest() - was}, []uint32{s.Release, s.Newest, s.Behind})
	p, err := deliver.NewHistory(snapshot.OS(), chain.Dir).Published(was + 1)
	require.NoError(t, err)
	decided, err := time.Parse(time.RFC3339, p.Manifest.CreatedAt)
	require.NoError(t, err)
	assert.InDelta(t, max(0, now.Sub(decided).Seconds()), s.Age, 1e-6)
	assert.Equal(t, "it takes nothing", s.Failure)
}

// refusing is a book that says how far it is, and takes nothing.
type refusing struct{ *book }

func (r *refusing) Deliver(context.Context, *deliver.Release) error {
	return errors.New("it takes nothing")
}

func manifestOf(t *testing.T, dir string, release uint32) [32]byte {
	p, err := deliver.NewHistory(snapshot.OS(), dir).Published(release)
	require.NoError(t, err)
	return p.SHA256
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
		o.Limit = pace.New(clock.System(), 1<<10)
		_, err := deliver.Run(t.Context(), b, o)
		require.NoError(t, err)
		require.Equal(t, free.rows, b.rows)
		require.InDelta(t, float64(sent)/1024, time.Since(began).Seconds(), .3)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		o, began := options(chain.Dir, &log), time.Now()
		o.Limit, o.Follow = pace.New(clock.System(), 1<<10), true
		time.AfterFunc(time.Second, stop)
		_, err := deliver.Run(ctx, &book{}, o)
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(began), "a stop does not wait for the limit")
	})
}

// born are the files of the parts that releases gave birth to.
func born(t *testing.T, dir string) (out []string) {
	history := deliver.NewHistory(snapshot.OS(), dir)
	on, err := snapshot.Scan(snapshot.OS(), dir)
	require.NoError(t, err)
	for n := uint32(1); n <= on.Current; n++ {
		step, err := history.Step(n)
		require.NoError(t, err)
		for _, b := range step.Births {
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

// TestNothingToDeliver: a directory without releases.
func TestNothingToDeliver(t *testing.T) {
	var log strings.Builder
	b := &book{fails: 1, err: errors.New("nobody should ask")}
	sum, err := deliver.Run(t.Context(), b, options(t.TempDir(), &log))
	require.NoError(t, err)
	require.Equal(t, deliver.Summary{}, sum)
}
