package ingest

import (
	"slices"
	"time"

	"anond/incremental"
)

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
