package programtest

import (
	"context"
	"time"
)

// WithPatience is a context that ends when a time has passed, and stands still while this
// process gets no processor: on a machine that does much else, what this process waits for
// gets none either.
func WithPatience(parent context.Context, patience time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		if waited(patience, ctx.Done()) {
			cancel(cause)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Step is how often the time is looked at, and starved how much of it counts at once.
const (
	step    = 20 * time.Millisecond
	starved = 5 * step
)

// waited returns true when a time has passed, or false when it was told to stop.
func waited(patience time.Duration, stop <-chan struct{}) bool {
	tick := time.NewTicker(step)
	defer tick.Stop()
	for last := time.Now(); patience > 0; {
		select {
		case <-stop:
			return false
		case <-tick.C:
		}
		now := time.Now()
		patience, last = patience-min(starved, now.Sub(last)), now
	}
	return true
}
