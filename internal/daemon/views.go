package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/snapshot/publish"
)

// viewsEvery is how often a view that could not be written is tried again while no release is published.
const viewsEvery = time.Minute

// views has the views of the releases follow them.
//
// Guarantee: a view that fails, or that its gate refuses, stops neither the dataset nor another view. It is told (event, status,
// metrics), and made up for behind the next release and at the next start; where the disk was in the way, also each minute. A run
// that ends by itself ends with the error. A start is refused where the configuration or a restored directory has to be put right
// first: nothing later would help.
type views struct {
	run  context.Context
	log  *slog.Logger
	list []dataset.Follower
	turn sync.Mutex // one attempt at a time
	wait sync.WaitGroup

	mu     sync.Mutex // guards the rest
	errs   []error    // of each, of its newest attempt
	sights []ingest.View
	tried  time.Time
	busy   bool
}

func newViews(run context.Context, list []dataset.Follower, log *slog.Logger) *views {
	return &views{run: run, log: log, list: list, errs: make([]error, len(list)), sights: make([]ingest.View, len(list))}
}

// start makes up for what is missing.
func (v *views) start(of publish.Directory) error {
	v.follow(v.run, of)
	for _, err := range v.errs {
		if kind, _ := fault.Of(err); kind == fault.Config || kind == fault.Behind {
			return err
		}
	}
	return nil
}

// follow brings all views up to the releases. What a stop interrupts is left to the next start.
func (v *views) follow(ctx context.Context, of publish.Directory) {
	v.turn.Lock()
	defer v.turn.Unlock()
	for i, f := range v.list {
		err := f.Follow(of)
		if ctx.Err() != nil || v.run.Err() != nil || errors.Is(err, ingest.ErrParked) {
			return
		}
		v.note(i, err)
	}
}

// note keeps and tells how an attempt went.
func (v *views) note(i int, err error) {
	now := ingest.View{}
	now.Name, now.Release, now.CreatedAt, now.Behind = v.list[i].Newest()
	if err != nil {
		now.Failure = fault.Line(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	was := v.sights[i]
	v.errs[i], v.sights[i] = err, now
	switch {
	case err != nil && (was.Failure != now.Failure || was.Behind != now.Behind):
		v.log.Error("a view of the releases was not made; the dataset's own releases go on", "event", "view_failed", "view", now.Name,
			"behind", now.Behind, "error", now.Failure)
	case err == nil && was.Failure != "":
		v.log.Info("a view that had failed is up to the releases again", "event", "view_resumed", "view", now.Name, "release", now.Release)
	}
}

// observe completes a report, and has views tried again that a disk was in the way of.
func (v *views) observe(r *ingest.Report, of func() (publish.Directory, func())) {
	v.mu.Lock()
	defer v.mu.Unlock()
	again := false
	for i, err := range v.errs {
		again = again || err != nil && !permanent(err)
		if v.sights[i].Name != "" {
			r.Views = append(r.Views, v.sights[i])
		}
	}
	if v.tried.IsZero() || !again {
		v.tried = r.Time
	}
	if !again || v.busy || r.Releasing > 0 || r.Time.Sub(v.tried) < viewsEvery || v.run.Err() != nil {
		return
	}
	v.tried, v.busy = r.Time, true
	v.wait.Go(func() {
		dir, done := of()
		defer done()
		v.follow(v.run, dir)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.busy = false
	})
}

// needed is the oldest release that a view which is behind goes on from, since its gate reads that again: while it is behind,
// release.keep removes neither that nor what is newer.
func (v *views) needed() (oldest uint32, some bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.sights {
		if s.Release > 0 && s.Behind > 0 && (!some || s.Release < oldest) {
			oldest, some = s.Release, true
		}
	}
	return oldest, some
}

// end is what a run that has ended by itself has to say of its views.
func (v *views) end() (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, failed := range v.errs {
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("view %s is %d releases behind: %w", v.sights[i].Name, v.sights[i].Behind, failed))
		}
	}
	return err
}
