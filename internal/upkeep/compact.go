package upkeep

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/ops/diskuse"
	"anond/internal/progress"
)

// openCompact opens the state, and compacts it before if that pays (state.compact). A
// state that cannot be compacted is used as it is. A process that is killed meanwhile
// leaves a state that opens: the copy takes its place in one step, and what was left of it
// is removed by the next start (boltstore.Open).
func openCompact(ctx context.Context, c *config.Config, o dataset.Options, options boltstore.Options,
	lease dataset.Lease) (*boltstore.Store, error) {
	s, err := dataset.OpenState(ctx, c, o, options, lease)
	if err != nil || ctx.Err() != nil {
		return s, err
	}
	size, free := s.Bytes()
	if !pays(&c.State.Compact, size, free) || !roomForCopy(c.State.Path, size, free, o.Log) {
		return s, nil
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	began := o.Clock.Now()
	failed := compactWatched(c, o, options, size, free)
	if s, err = dataset.OpenState(ctx, c, o, options, lease); err != nil {
		return nil, err
	}
	if failed != nil {
		o.Log.Warn("the state was not compacted, and is used as it is", "event", "compaction_failed", "error", failed.Error())
		return s, nil
	}
	now, left := s.Bytes()
	o.Log.Info("the state was compacted", "event", "compacted", "bytes_before", size, "bytes", now, "free", left,
		"ms", o.Clock.Now().Sub(began).Milliseconds())
	return s, nil
}

// pays reports whether so much of a file holds nothing that it is worth rewriting. That
// costs about as much as to load the state twice.
func pays(c *config.Compact, size, free int64) bool {
	return c.MinFree > 0 && free > c.MinFree && float64(free) > c.MinShare*float64(size)
}

// spare is what a copy may need besides the pages that hold something: pages are packed
// in another way, and a process next to this one writes too.
const spare = 16 << 20

// roomForCopy reports whether the disk has room for the copy next to the state. Where
// that is not known, it is tried.
func roomForCopy(path string, size, free int64, log *slog.Logger) bool {
	needs := (size - free) + (size-free)/10 + spare
	has := diskuse.Free(filepath.Dir(path))
	if has < 0 || has >= needs {
		return true
	}
	log.Info("the state is not compacted: its disk has no room for the copy", "event", "compaction_skipped", "bytes", size, "free", free,
		"needs", needs, "room", has)
	return false
}

// sayEvery is how often a compaction says how far it is.
const sayEvery = 10 * time.Second

// compactWatched compacts the state, and says how far it is: in the log, in status.json and to
// whoever is told of long work. There is no socket yet, since nobody holds the state meanwhile.
func compactWatched(c *config.Config, o dataset.Options, options boltstore.Options, size, free int64) error {
	began := o.Clock.Now()
	said := began
	say := func(written int64) {
		o.Log.Info("the state is compacted", "event", "compacting", "bytes", size, "free", free, "written", written)
	}
	say(0)
	shown := newWorkStatus(c, ingest.DoingCompact, began)
	return compact(c.State.Path, options, size-free, o.Clock, func(p *progress.Progress) {
		now := o.Clock.Now()
		shown.write(now, p)
		if o.Working != nil {
			o.Working(dataset.WorkText(ingest.DoingCompact, 0, p))
		}
		if now.Sub(said) >= sayEvery {
			said = now
			say(p.Done)
		}
	})
}

// CompactStopped compacts the state of a stopped daemon, and shows how far that is.
func CompactStopped(path string, options boltstore.Options, show func(done, all int64)) error {
	info, err := boltstore.Info(path, options)
	if err != nil {
		return boltstore.CompactFile(path, options) // which says what is wrong
	}
	return compact(path, options, info.Bytes-info.FreeBytes, clock.System(), func(p *progress.Progress) { show(p.Done, p.Total) })
}

// compact compacts a state, and tells each second how far that is. expected is how large the
// copy will be, about.
func compact(path string, options boltstore.Options, expected int64, clock clock.Clock, tell func(*progress.Progress)) error {
	options.Progress = nil
	done := make(chan error, 1)
	go func() { done <- boltstore.CompactFile(path, options) }()
	var far progress.Meter
	far.Begin(clock.Now())
	ticks, stop := clock.Ticker(time.Second)
	defer stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticks:
			if copied, err := os.Stat(boltstore.CompactedPath(path)); err == nil {
				far.Set(copied.Size(), max(expected, copied.Size(), 1))
				tell(far.At(clock.Now()))
			}
		}
	}
}

// workStatus writes status.json while there is no machine that could be counted: the counts
// are those of the process before.
type workStatus struct {
	path string
	last dataset.Status
}

func newWorkStatus(c *config.Config, doing string, since time.Time) *workStatus {
	w := &workStatus{path: dataset.StatusPath(c), last: dataset.Status{Dataset: c.Dataset}}
	if text, err := os.ReadFile(w.path); err == nil {
		_ = json.Unmarshal(text, &w.last) // else it has no counts
	}
	before := w.last
	w.last = dataset.Status{Dataset: c.Dataset, PID: os.Getpid(), Counts: before.Counts, Counted: before.Counted, Doing: doing,
		Since: dataset.Moment(since)}
	return w
}

func (w *workStatus) write(now time.Time, p *progress.Progress) {
	w.last.Time, w.last.Progress = now.UTC(), p
	_ = disk.ReplaceJSON(w.path, w.last) // the daemon says so if that goes on
}
