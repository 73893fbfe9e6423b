package ingest

import (
	"anond/incremental/state"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/internal/clock"
	"anond/internal/retry"
)

// pressFunc is a Publisher.
type pressFunc func(ctx context.Context, attempt int) error

type countingPress struct {
	do       pressFunc
	attempts int
}

func (p *countingPress) Publish(ctx context.Context, _ *incremental.View) (Release, error) {
	p.attempts++
	return Release{KMin: p.attempts}, p.do(ctx, p.attempts)
}

// stopped is a clock that stands still.
type stopped struct{ clock.Clock }

func (stopped) Now() time.Time { return time.Unix(5, 0) }

// TestReleasesTellByEvents: how a release ends is told by one event, without a
// loop and without a machine.
// Mutations under which it was seen to fail: a permanent error is tried again; a
// run that has to end never gives up; settle is not heeded.
func TestReleasesTellByEvents(t *testing.T) {
	full := errors.New("disk full")
	for name, x := range map[string]struct {
		once     bool
		do       func(r *releases) pressFunc
		attempts int
		want     []error
	}{
		"published at the third attempt": {do: func(*releases) pressFunc {
			return func(_ context.Context, attempt int) error {
				if attempt < 3 {
					return full
				}
				return nil
			}
		}, attempts: 3},
		"refused": {do: func(*releases) pressFunc {
			return func(context.Context, int) error { return errors.Join(ErrPermanent, errors.New("gate")) }
		}, attempts: 1, want: []error{ErrPermanent}},
		"given up": {once: true, do: func(*releases) pressFunc {
			return func(context.Context, int) error { return full }
		}, attempts: onceAttempts, want: []error{ErrParked, full}},
		"settled while it fails": {do: func(r *releases) pressFunc {
			return func(_ context.Context, attempt int) error {
				if attempt == 2 {
					r.settle()
				}
				return full
			}
		}, attempts: 2, want: []error{ErrParked}},
		"cancelled": {do: func(r *releases) pressFunc {
			return func(ctx context.Context, _ int) error { r.cancel(); return ctx.Err() }
		}, attempts: 1, want: []error{context.Canceled}},
	} {
		t.Run(name, func(t *testing.T) {
			press := &countingPress{}
			wait := func(ctx context.Context, _ time.Duration) error {
				if press.attempts > 2*onceAttempts {
					return errors.New("it would go on without end")
				}
				return ctx.Err()
			}
			r := newReleases(&Host{Publisher: press, Clock: stopped{},
				Log: slog.New(slog.DiscardHandler), Observers: Observers{Meter: noMeter{}}, Once: x.once, Retry: retry.Policy{Sleep: wait}})
			press.do = x.do(r)
			began := time.Unix(5, 0)
			r.begin(&incremental.View{Intent: state.Intent{Release: 7}}, began)
			require.Equal(t, uint32(7), r.current)
			e := <-r.ended
			require.Equal(t, uint32(7), e.intent.Release)
			require.Equal(t, x.attempts, e.release.KMin)
			if x.want == nil {
				require.NoError(t, e.err)
			}
			for _, want := range x.want {
				require.ErrorIs(t, e.err, want)
			}
			require.Equal(t, began, r.leave())
			require.Zero(t, r.current)
			require.Empty(t, r.trouble())
		})
	}
}

// TestAReleaseWithoutViewEndsLikeOthers: by its event, with an error that no
// retry corrects.
func TestAReleaseWithoutViewEndsLikeOthers(t *testing.T) {
	r := newReleases(&Host{Clock: stopped{}})
	why := errors.New("no such release")
	r.fail(state.Intent{Release: 3}, time.Time{}, why)
	e := <-r.ended
	require.Equal(t, uint32(3), e.intent.Release)
	require.ErrorIs(t, e.err, ErrPermanent)
	require.ErrorIs(t, e.err, why)
}

// TestReadingThatWaitsIsLogged: at once if an attempt has failed, otherwise
// after a minute, and then each minute.
func TestReadingThatWaitsIsLogged(t *testing.T) {
	r := newReleases(&Host{Clock: stopped{}})
	start := time.Unix(1e9, 0)
	at := func(d time.Duration) *waits { return r.waited(start.Add(d), start) }
	require.Nil(t, at(2*time.Minute), "no release is in progress")
	r.enter(state.Intent{Release: 2}, start)
	require.Nil(t, at(59*time.Second))
	require.Equal(t, &waits{release: 2}, at(time.Minute))
	require.Nil(t, at(119*time.Second), "said already")
	r.note("disk full")
	require.Equal(t, &waits{2, "disk full"}, at(2*time.Minute))
	r.waitLog = time.Time{} // reading waits anew
	require.Equal(t, &waits{2, "disk full"}, at(2*time.Minute+time.Second))
}
