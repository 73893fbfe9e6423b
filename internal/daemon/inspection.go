package daemon

import (
	"anond/incremental/state"
	"context"
	"log/slog"
	"sync"
	"time"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot"
	"anond/snapshot/verify"
)

// inspectPause comes after each MiB that is read to look at old releases: at most
// 200 MB a second, and less if there is other work.
const inspectPause = 5 * time.Millisecond

// inspection checks all published releases in the background, once per run. Faults
// go to the log and the status. They stop nothing: the content of the next release
// follows from the state, which a damaged copy of an old release does not change,
// and the newest release, to which the next one refers, is read again before.
type inspection struct {
	log    *slog.Logger
	stop   context.CancelFunc
	done   chan struct{}
	mu     sync.Mutex
	damage *ingest.Damage
}

// inspect starts the check of the releases that the state calls published, after
// the newest one was read again.
func inspect(ctx context.Context, c *config.Config, o dataset.Options, intents []state.Intent, after *recheck) *inspection {
	ctx, cancel := context.WithCancel(ctx)
	i := &inspection{log: o.Log, stop: cancel, done: make(chan struct{})}
	look := verify.Inspection{FS: o.FS, Dir: c.Release.Dir, Published: publishedOf(intents), Pause: pause, Found: i.found}
	go func() {
		defer close(i.done)
		if len(look.Published) == 0 {
			return
		}
		select {
		case <-after.done:
		case <-ctx.Done():
			return
		}
		if after.err != nil {
			return // the run ends with it
		}
		if v, err := look.Run(ctx); err == nil {
			o.Log.Info("every published file was checked", "event", "releases_checked", "releases", v.Releases, "files", v.Files,
				"bytes", v.Bytes, "faults", len(v.Findings))
		}
	}()
	return i
}

func publishedOf(intents []state.Intent) []snapshot.LedgerEntry {
	var out []snapshot.LedgerEntry
	for _, i := range intents {
		if i.Published {
			out = append(out, snapshot.LedgerEntry{Release: i.Release, SHA256: i.Manifest})
		}
	}
	return out
}

func pause(ctx context.Context) {
	t := time.NewTimer(inspectPause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// found takes in a fault; the first is logged.
func (i *inspection) found(f verify.Finding) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.damage != nil {
		i.damage.Faults++
		return
	}
	i.damage = &ingest.Damage{Faults: 1, Release: f.Release, File: f.File, Kind: f.Kind}
	i.log.Error("a published file was changed or is missing; anond release verify lists every fault", "event", "release_damaged",
		"release", f.Release, "file", f.File, "kind", f.Kind, "detail", f.Detail)
}

// Damage is what was found so far, nil if nothing.
func (i *inspection) Damage() *ingest.Damage {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.damage == nil {
		return nil
	}
	d := *i.damage
	return &d
}

// close stops the check.
func (i *inspection) close() error {
	i.stop()
	<-i.done
	return nil
}

// finish lets a run that ends by itself complete the check, and shows the last
// report again with the result.
func (i *inspection) finish(ctx context.Context, last *ingest.Report, observe func(ingest.Report)) {
	select {
	case <-i.done:
	case <-ctx.Done():
		return
	}
	if d := i.Damage(); d != nil && !last.Time.IsZero() {
		last.Damage = d
		observe(*last)
	}
}
