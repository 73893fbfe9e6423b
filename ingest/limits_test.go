package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLimiter: the records taken in an hour are those that the limit allows, whatever the
// size of the batches; what was not used is not saved up for longer than a second.
func TestLimiter(t *testing.T) {
	for _, size := range []int{1, 7, 100, 2500} {
		var m limiter
		m.set(50)
		taken := 0
		for at := range time.Duration(3600 * 20) { // every 50 ms, as the loop's ticks
			for m.open(noon.Add(at * 50 * time.Millisecond)) {
				m.took(size)
				taken += size
			}
		}
		require.InDelta(t, 3600*50, taken, float64(50+size), "batches of %d", size)
	}
	var m limiter
	m.set(50)
	require.True(t, m.open(noon))
	m.took(50)
	require.False(t, m.open(noon))
	require.True(t, m.open(noon.Add(time.Hour)))
	m.took(50)
	require.False(t, m.open(noon.Add(time.Hour)), "an idle hour is not made up for")
	m.set(0)
	require.True(t, m.open(noon), "no limit")
}

// TestALimiterFollowsAClockThatGoesBack: it does not wait for the time before.
func TestALimiterFollowsAClockThatGoesBack(t *testing.T) {
	var m limiter
	m.set(10)
	require.True(t, m.open(noon))
	m.took(15)
	back := noon.Add(-time.Hour)
	notAfter(back, &m.at)
	require.False(t, m.open(back.Add(100*time.Millisecond)))
	require.True(t, m.open(back.Add(time.Second)))
}
