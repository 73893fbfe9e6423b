package ingest

import (
	"time"
)

// now is the clock's time without a monotonic reading: it is compared with times
// that state holds, and a clock that is set back must be noticed.
func (l *loop) now() time.Time { return l.Clock.Now().Round(0) }

// notable is from when on a clock that is behind is worth a line: less is the
// everyday work of time servers.
const notable = time.Minute

// tick gives the machine the time, in whole seconds so that records share it.
// The machine's time never goes back. Where the clock does, the machine's time
// goes on from where it was, as fast as before: a moment at which the clock was
// ahead must not stop all waiting times until the clock is there again.
func (l *loop) tick() {
	now := l.now().Truncate(time.Second).UnixMilli()
	if back := l.ticked - (now + l.ahead); back > 0 {
		l.ahead += back
	}
	l.ticked = now + l.ahead
	l.Machine.Tick(l.ticked)
}

// heedClock notices a clock that was set back while the loop ran: what was noted
// by the clock before is brought back to the present, so that nothing waits
// until that time comes again.
func (l *loop) heedClock(now time.Time) {
	back := l.newest.Sub(now)
	l.newest = now
	if back <= 0 {
		return
	}
	if back >= notable {
		l.Log.Warn("the clock was set back; the schedule follows it", "event", "clock_behind", "by", back.Round(time.Second).String())
	}
	r := &l.releases
	for _, t := range []*time.Time{&l.seen, &l.statusLog, &l.stagedAt, &l.connected, &l.doing.since, &r.began, &r.lastTry, &r.waitLog} {
		if t.After(now) {
			*t = now
		}
	}
	if l.Trigger.Next != nil {
		if next := l.Trigger.Next(now); next.Before(r.slot) {
			r.slot = next
		}
	}
}
