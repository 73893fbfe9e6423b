package chaos

import (
	"context"
	"sync"
	"time"
)

// haste is how much faster than real time a plan's time passes: what waits seconds in
// the daemon waits milliseconds.
const haste = 40

// clock is a clock that hastes and can be set.
type clock struct {
	mu     sync.Mutex
	start  time.Time
	offset time.Duration
}

// epoch is when plans begin, so that nothing depends on the day.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newClock() *clock { return &clock{start: time.Now()} }

// Now is the time of the plan.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return epoch.Add(c.offset + haste*time.Since(c.start))
}

// Ticker ticks at the plan's pace.
func (c *clock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(max(time.Microsecond, d/haste))
	return t.C, t.Stop
}

// set moves the clock.
func (c *clock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
}

// sleep waits at the plan's pace.
func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d / haste)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
