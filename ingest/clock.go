package ingest

import (
	"slices"
	"time"

	"anond/incremental"
)

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
	notAfter(now, &l.reporting.seen, &l.reporting.statusLog, &l.reporting.connected, &l.transaction.staged.since, &l.reporting.doing.since,
		&l.reporting.records.newest, &l.intake.limit.at, &l.publishing.refusedLog)
	l.reporting.letters.setBack(now)
	l.publishing.releases.setBack(now)
	l.cuts.schedule.setBack(now)
}

// notAfter brings times back to the present that lie ahead of it.
func notAfter(now time.Time, times ...*time.Time) {
	for _, t := range times {
		if t.After(now) {
			*t = now
		}
	}
}

// recordClock notes when records are read, to the second with which counts are taken.
type recordClock struct {
	sent   uint64
	known  bool // sent is that of an earlier look
	newest time.Time
}

func (c *recordClock) see(s incremental.Status, now time.Time) {
	if c.known && s.Sent > c.sent {
		c.newest = now
	}
	c.sent, c.known = s.Sent, true
}

// letterClock notes when dead letters came, so that the age of the one that waits
// longest is known. Dead letters are delivered in order, so the number of those
// delivered says which one that is. What waited before the start counts from then on.
type letterClock struct{ marks []letterMark }

// letterMark: at a time there had been so many dead letters.
type letterMark struct {
	count uint64
	at    time.Time
}

// letterMarks bounds what is kept. Beyond it neighbours are joined, under the earlier
// time, so that no age is shown too small.
const letterMarks = 512

func (c *letterClock) see(s incremental.Status, now time.Time) {
	delivered := s.Letters - uint64(s.Outbox)
	c.marks = slices.DeleteFunc(c.marks, func(m letterMark) bool { return m.count <= delivered })
	n := len(c.marks)
	if s.Outbox == 0 || n > 0 && c.marks[n-1].count >= s.Letters {
		return
	}
	if n >= letterMarks {
		c.marks = joined(c.marks)
	}
	c.marks = append(c.marks, letterMark{s.Letters, now})
}

// joined halves the number of marks.
func joined(marks []letterMark) []letterMark {
	out := marks[:0]
	for i := 0; i < len(marks); i += 2 {
		out = append(out, letterMark{marks[min(i+1, len(marks)-1)].count, marks[i].at})
	}
	return out
}

// since is when the dead letter came that waits longest; zero: none waits.
func (c *letterClock) since() time.Time {
	if len(c.marks) == 0 {
		return time.Time{}
	}
	return c.marks[0].at
}

// setBack follows a clock that was set back.
func (c *letterClock) setBack(now time.Time) {
	for i := range c.marks {
		notAfter(now, &c.marks[i].at)
	}
}
