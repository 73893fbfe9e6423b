package chaos

import (
	"sync"
	"time"

	system "anond/internal/clock"
)

// clock is that of a bubble, which an operator, or a fault, has set.
type clock struct {
	mu  sync.Mutex
	set time.Duration // ahead of the bubble
	all time.Duration // by how much it was set forwards
}

func newClock() *clock { return &clock{set: time.Until(epoch)} }

// Now is the time of the plan.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.set)
}

// Ticker is that of the bubble. A daemon that has nothing to do looks around less often than it would, which costs less; and no two
// tickers tick in one instant, in which the order of what follows would be that of the scheduler.
func (c *clock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	return clockOfBubble.Ticker(max(d, 5*time.Second) + d/1009)
}

var clockOfBubble = system.System()

// hours is by how much a clock is set, up to twelve days.
func (f *fault) hours() time.Duration { return time.Duration(1+f.Draw%300) * time.Hour }

// setClock lets a fault set the clock.
func (a *armed) setClock(f *fault) {
	if f.Do == "clock-falls" {
		a.turn(-f.hours())
	} else {
		a.turn(f.hours())
	}
}

// strikeClock sets the clock at once by those faults that wait for more commits than a run has had
// when it has read and published all. It reports whether there was one: the run must go on then, and notice it.
func (a *armed) strikeClock() (did bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.faults {
		if ofClock(f.Do) && !f.took && !a.dead {
			f.take(a.mark())
			a.setClock(f)
			did = true
		}
	}
	return did
}

// told takes back a clock that was set back in a run that did not look at it again: it was ending. One that
// goes on until all is settled looks.
func (w *inside) told(a *armed) {
	for _, f := range a.faults {
		if f.Do == "clock-falls" && f.took && !a.settled && !f.isNamed(w.log.String()) {
			f.took = false
		}
	}
}

// unspent are the faults of clocks that another fault has overtaken: they strike the next attempt.
func unspent(faults []*fault) (out []*fault) {
	for _, f := range faults {
		if ofClock(f.Do) && !f.took {
			out = append(out, f)
		}
	}
	return out
}

// turn sets the clock.
func (c *clock) turn(by time.Duration) {
	c.pass(by)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all += max(0, by)
}

// pass lets time pass, as it does for a daemon that has nothing to do.
func (c *clock) pass(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set += by
}
