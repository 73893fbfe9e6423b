package chaos

import (
	"context"
	"sync"
	"time"
)

// haste is how much faster than real time a plan's time passes: what waits seconds in
// the daemon waits milliseconds.
const haste = 40

// clock is a clock that hastes and can be set. It stands still while this process gets no
// processor: else a busy machine would take minutes from a daemon that waits one.
type clock struct {
	mu   sync.Mutex
	now  time.Time // of the plan
	last time.Time // when it was read
}

// epoch is when plans begin, so that nothing depends on the day.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// unread is how long the clock goes on by itself. The loop reads it 40 times a second.
const unread = 100 * time.Millisecond

func newClock() *clock { return &clock{now: epoch, last: time.Now()} }

// Now is the time of the plan.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.now, c.last = c.now.Add(haste*min(unread, now.Sub(c.last))), now
	return c.now
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
	c.now = c.now.Add(by)
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
