package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental"
)

// TestTheOldestDeadLetterHasAnAge: letters are delivered in order, so the count of those
// delivered says since when the oldest of the others waits. Replayed ones are no dead letters any more, and may still wait.
func TestTheOldestDeadLetterHasAnAge(t *testing.T) {
	begin := time.Unix(1000, 0)
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	var c letterClock
	see := func(second int, all uint64, waiting int) time.Time {
		c.see(incremental.Status{Letters: all, DeadLetter: all / 2, Outbox: waiting}, at(second))
		return c.since()
	}
	require.Zero(t, see(0, 5, 0), "none waits")
	require.Equal(t, at(1), see(1, 7, 2))
	require.Equal(t, at(1), see(2, 10, 5), "two of the first second wait still")
	require.Equal(t, at(1), see(3, 10, 4), "one of them")
	require.Equal(t, at(2), see(4, 11, 3), "those of the second")
	require.Equal(t, at(4), see(5, 11, 1))
	c.setBack(at(3))
	require.Equal(t, at(3), c.since(), "a clock that is set back makes no age negative")
	require.Zero(t, see(6, 11, 0))

	for n := range 10 * letterMarks { // a sink that takes nothing
		see(10+n, uint64(12+n), 1+n)
	}
	require.Equal(t, at(10), c.since())
	require.LessOrEqual(t, len(c.marks), letterMarks)
	see(20_000, uint64(11+10*letterMarks), 1)
	require.False(t, c.since().After(at(9+10*letterMarks)), "no age is shown too small")
}

func TestTheNewestRecordHasATime(t *testing.T) {
	var c recordClock
	now := time.Unix(5000, 0)
	c.see(incremental.Status{Sent: 10}, now)
	require.Zero(t, c.newest, "what an earlier process has read")
	c.see(incremental.Status{Sent: 11}, now.Add(time.Second))
	c.see(incremental.Status{Sent: 11}, now.Add(2*time.Second))
	require.Equal(t, now.Add(time.Second), c.newest)
}
