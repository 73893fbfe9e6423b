package ingest

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"anond/incremental"
	"anond/internal/fault"
	"anond/internal/retry"
)

// releases makes decided releases public, at most one at a time: in a goroutine
// of its own, on a view that does not change. It knows neither the loop nor the
// machine, and tells how a release ended by an event.
type releases struct {
	publisher publisher
	retry     retry.Policy
	most      int // attempts before it gives up; 0: it never does
	log       *slog.Logger
	meter     Meter
	now       func() time.Time
	ended     chan ended

	current uint32 // the release in progress, 0 if none
	began   time.Time
	cancel  context.CancelFunc // ends the publishing
	settle  context.CancelFunc // no further attempt follows the one under way
	waitLog time.Time          // newest line about reading that waits; zero: none
	mu      sync.Mutex
	failure string // why the newest attempt failed
}

// ended is the event that a release is in progress no longer: it is public, or
// err says why not.
type ended struct {
	intent  state.Intent
	release Release
	err     error
}

// ErrParked: the release is decided, not published, and left to the next start.
var ErrParked = fault.Errorf(fault.Failed, "the decision about the release is stored: remove the cause, then run it again",
	"the release is left to the next start")

// onceAttempts is how often a run that has to end (Host.Once) tries to publish a
// release: about two seconds with the usual waits.
const onceAttempts = 5

func newReleases(h *Host) *releases {
	r := &releases{publisher: h.Publisher, retry: h.Retry, log: h.Log, meter: h.Meter, now: h.Clock.Now, ended: make(chan ended, 1)}
	if h.Once {
		r.most = onceAttempts
	}
	return r
}

// begin renders and publishes what a view shows. began is when its decision began.
func (r *releases) begin(view *incremental.View, began time.Time) {
	publishing, trying := r.enter(view.Intent, began)
	go func() {
		release, err := r.publish(publishing, trying, view)
		r.ended <- ended{view.Intent, release, err}
	}()
}

// fail is begin for a release of which the machine has no view.
func (r *releases) fail(intent state.Intent, began time.Time, err error) {
	r.enter(intent, began)
	r.ended <- ended{intent: intent, err: errors.Join(ErrPermanent, err)}
}

// enter notes that a release is in progress.
func (r *releases) enter(intent state.Intent, began time.Time) (publishing, trying context.Context) {
	r.current, r.began = intent.Release, began
	publishing, r.cancel = context.WithCancel(context.Background())
	trying, r.settle = context.WithCancel(publishing)
	return publishing, trying
}

// leave notes that none is, once its event has come. It returns when it began.
func (r *releases) leave() (began time.Time) {
	r.current = 0
	r.cancel()
	r.note("")
	return r.began
}

// publish tries until it succeeds, until the error is one that no retry can
// correct, or until it is told to settle. A run that has to end gives up.
func (r *releases) publish(ctx, trying context.Context, view *incremental.View) (Release, error) {
	attempts, silence := r.retry.Attempts(), retry.Silence{}
	for {
		release, err := r.publisher.Publish(ctx, view)
		switch {
		case err == nil || errors.Is(err, ErrPermanent) || errors.Is(err, ErrParked):
			return release, err
		case ctx.Err() != nil:
			return release, ctx.Err()
		}
		r.note(err.Error())
		r.meter.Failed(AttemptPublish)
		if tries, told := silence.Broken(r.now(), retry.FirstSilence); told {
			r.log.Error("publishing failed; the intent stays, trying again", "event", "release_failed",
				"release", view.Intent.Release, "error", err.Error(), "tries", tries)
		}
		if r.most > 0 && attempts.Failed()+1 >= r.most {
			return release, fmt.Errorf("%w: %d attempts failed: %w", ErrParked, r.most, err)
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

// waits is the event that reading waits for the release in progress, and should
// say so.
type waits struct {
	release uint32
	why     string // no attempt to publish it has failed: empty
}

// waited returns an event once an attempt to publish the release has failed, or
// reading has waited a minute since the given time, and then each minute.
func (r *releases) waited(now, since time.Time) *waits {
	why := r.trouble()
	if why != "" || !r.waitLog.IsZero() {
		since = r.waitLog
	}
	if r.current == 0 || now.Sub(since) < time.Minute {
		return nil
	}
	r.waitLog = now
	return &waits{r.current, why}
}

// setBack follows a clock that was set back.
func (r *releases) setBack(now time.Time) { notAfter(now, &r.began, &r.waitLog) }
