// Package retry says how long to wait between attempts, and which of the failures in a row are told.
package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Policy says how long to wait between attempts to reach something that is
// away: exponentially longer, up to a cap, without end. The zero value waits
// 100 ms first and 30 s at most, without jitter; give Rand to spread the
// attempts of several instances.
type Policy struct {
	Initial, Max time.Duration
	// Rand returns numbers in [0,1). Each wait is then drawn evenly from
	// [interval/2, interval], so that instances which lost the same broker do not
	// come back in the same instant. nil: the interval itself.
	Rand func() float64
	// Sleep waits for d or until ctx is done. nil: a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Defaults of a Policy.
const (
	firstWait   = 100 * time.Millisecond
	longestWait = 30 * time.Second
)

// Silence chooses, of failures in a row, those that are told: the first, then one at distances that
// double, up to ten minutes.
type Silence struct {
	Gap    time.Duration // until the next
	next   time.Time
	failed int
}

// Broken counts a failure. told: it is to be told, with how many there were. first is the first distance.
func (s *Silence) Broken(now time.Time, first time.Duration) (tries int, told bool) {
	s.failed++
	if now.Before(s.next) {
		return s.failed, false
	}
	s.Gap = min(max(first, 2*s.Gap), 10*time.Minute)
	s.next = now.Add(s.Gap)
	return s.failed, true
}

// FirstSilence is the first distance, where nothing asks for another one.
const FirstSilence = 10 * time.Second

// Attempts counts failed attempts since the last success. Not safe for
// concurrent use.
type Attempts struct {
	policy  Policy
	backoff *backoff.ExponentialBackOff
	failed  int
}

// Attempts returns a fresh count under the policy.
func (r Policy) Attempts() *Attempts {
	if r.Initial <= 0 {
		r.Initial = firstWait
	}
	if r.Max <= 0 {
		r.Max = longestWait
	}
	if r.Max < r.Initial {
		r.Max = r.Initial
	}
	if r.Sleep == nil {
		r.Sleep = sleep
	}
	// The library draws its jitter from a global generator, so it is switched
	// off and drawn here; MaxElapsedTime 0 means that it never gives up.
	b := backoff.NewExponentialBackOff(backoff.WithInitialInterval(r.Initial), backoff.WithMaxInterval(r.Max),
		backoff.WithMultiplier(2), backoff.WithRandomizationFactor(0), backoff.WithMaxElapsedTime(0))
	return &Attempts{policy: r, backoff: b}
}

// Failed returns the number of failed attempts since the last success.
func (a *Attempts) Failed() int { return a.failed }

// Succeeded starts the count and the waits anew.
func (a *Attempts) Succeeded() {
	a.failed = 0
	a.backoff.Reset()
}

// Wait counts a failed attempt and blocks until it is time for the next one.
// Its only error is ctx's.
func (a *Attempts) Wait(ctx context.Context) error {
	a.failed++
	return a.policy.Sleep(ctx, a.next())
}

func (a *Attempts) next() time.Duration {
	d := a.backoff.NextBackOff()
	if a.policy.Rand != nil {
		d = d/2 + time.Duration(a.policy.Rand()*float64(d/2))
	}
	return d
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
