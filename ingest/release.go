package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"anond/incremental"
)

// releases is the part of the loop that makes releases, at most one at a time.
// Rendering runs alongside the loop, on a view that does not change.
type releases struct {
	done     chan published
	inMaking uint32
	began    time.Time
	cancel   context.CancelFunc // ends the publishing
	settle   context.CancelFunc // no further attempt follows the one under way
	lastTry  time.Time          // newest cut tried
	slot     time.Time          // next scheduled moment
	waitLog  time.Time          // newest line about a cut that waits; zero: none
	newest   *Latest
	mu       sync.Mutex
	failure  string // why the newest attempt failed
}

type published struct {
	intent  incremental.Intent
	release Release
	err     error
}

// ErrParked: the release is decided, not published, and left to the next start.
var ErrParked = errors.New("the release is left to the next start")

// onceAttempts is how often a run that has to end (Host.Once) tries to publish a
// release: about two seconds with the usual waits.
const onceAttempts = 5

// resume goes on with a release that was decided but not published.
func (r *releases) resume(ctx context.Context, l *loop) error {
	r.lastTry = l.now()
	r.firstSlot(l, r.lastTry)
	if i := l.Machine.Latest(); i != nil && !i.Published {
		l.Log.Info("finishing the release that was begun", "event", "release_resumed", "release", i.Release)
		return r.begin(ctx, l, *i, r.lastTry)
	}
	return nil
}

// begin renders and publishes in a goroutine of its own. began is when the
// decision began.
func (r *releases) begin(ctx context.Context, l *loop, intent incremental.Intent, began time.Time) error {
	var view *incremental.View
	err := l.work(ctx, DoingView, false, func() (err error) { view, err = l.Machine.View(intent.Release); return err })
	if errors.Is(err, errLeft) {
		return err
	}
	r.inMaking, r.began = intent.Release, began
	publishing, cancel := context.WithCancel(context.Background())
	trying, settle := context.WithCancel(publishing)
	r.cancel, r.settle = cancel, settle
	if err != nil {
		r.done <- published{intent: intent, err: errors.Join(ErrPermanent, err)}
		return nil
	}
	go func() {
		release, err := l.publish(publishing, trying, view)
		r.done <- published{intent, release, err}
	}()
	return nil
}

// publish tries until it succeeds, until the error is one that no retry can
// correct, or until it is told to settle. A run that has to end gives up.
func (l *loop) publish(ctx, trying context.Context, view *incremental.View) (Release, error) {
	attempts := l.Retry.Attempts()
	for {
		release, err := l.Publisher.Publish(ctx, view)
		switch {
		case err == nil || errors.Is(err, ErrPermanent):
			return release, err
		case ctx.Err() != nil:
			return release, ctx.Err()
		}
		l.releases.note(err.Error())
		l.Log.Error("publishing failed; the intent stays, trying again", "event", "release_failed",
			"release", view.Intent.Release, "error", err.Error())
		if l.Once && attempts.Failed()+1 >= onceAttempts {
			return release, fmt.Errorf("%w: %d attempts failed: %w", ErrParked, onceAttempts, err)
		}
		if attempts.Wait(trying) != nil {
			return release, ErrParked
		}
	}
}

func (r *releases) note(failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = failure
}

// trouble is why the release in progress could not be published yet.
func (r *releases) trouble() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}
