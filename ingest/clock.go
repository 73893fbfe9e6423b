package ingest

import "time"

// now is the clock's time without a monotonic reading: it is compared with times
// that state holds, and a clock that is set back must be noticed.
func (l *loop) now() time.Time { return l.Clock.Now().Round(0) }

// notable is the least correction of a clock that is logged: time servers make
// smaller ones every day.
const notable = time.Minute

// timekeeper follows a clock that may go back.
type timekeeper struct {
	newest  time.Time // newest time of the clock
	machine int64     // newest time given to the machine, in milliseconds
	ahead   int64     // of the machine's time before the clock, in milliseconds
}

// forward is the time for the machine, in whole seconds so that records share it.
// The machine's time never goes back. Where the clock does, the machine's time
// goes on from where it was, as fast as before: a moment at which the clock was
// ahead must not stop all waiting times until the clock is there again.
func (k *timekeeper) forward(now time.Time) int64 {
	at := now.Truncate(time.Second).UnixMilli()
	if back := k.machine - (at + k.ahead); back > 0 {
		k.ahead += back
	}
	k.machine = at + k.ahead
	return k.machine
}

// back is how far the clock was set back since it was looked at before.
func (k *timekeeper) back(now time.Time) time.Duration {
	back := k.newest.Sub(now)
	k.newest = now
	return max(0, back)
}

// tick gives the machine the time.
func (l *loop) tick() { l.Machine.Tick(l.times.forward(l.now())) }

// heedClock notices a clock that was set back while the loop ran: what was noted
// by the clock before is brought back to the present, so that nothing waits
// until that time comes again.
func (l *loop) heedClock(now time.Time) {
	back := l.times.back(now)
	if back == 0 {
		return
	}
	if back >= notable {
		l.Log.Warn("the clock was set back; the schedule follows it", "event", "clock_behind", "by", back.Round(time.Second).String())
	}
	notAfter(now, &l.seen, &l.statusLog, &l.connected, &l.staged.since, &l.doing.since, &l.records.newest, &l.limit.at, &l.refusedLog)
	l.letters.setBack(now)
	l.releases.setBack(now)
	l.schedule.setBack(now)
}

// notAfter brings times back to the present that lie ahead of it.
func notAfter(now time.Time, times ...*time.Time) {
	for _, t := range times {
		if t.After(now) {
			*t = now
		}
	}
}
