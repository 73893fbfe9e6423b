package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everyMinute is the next full minute after t.
func everyMinute(t time.Time) time.Time { return t.Truncate(time.Minute).Add(time.Minute) }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestAMomentIsDueOnce: also a moment that passed while no process ran; several
// such moments count as one.
func TestAMomentIsDueOnce(t *testing.T) {
	s := schedule{trigger: Trigger{Next: everyMinute}}
	s.begin(noon.Add(-time.Hour))
	require.Equal(t, dueMoment, s.due(noon))
	require.Equal(t, dueNothing, s.due(noon))
	require.Equal(t, dueNothing, s.due(noon.Add(59*time.Second)))
	require.Equal(t, dueMoment, s.due(noon.Add(time.Minute)))
}

// TestUpdatesKeepTheirDistance: a release may be made again MinInterval after
// the newest cut that was tried.
func TestUpdatesKeepTheirDistance(t *testing.T) {
	s := schedule{trigger: Trigger{Update: true, MinInterval: 10 * time.Second}, lastTry: noon}
	require.Equal(t, dueNothing, s.due(noon.Add(9*time.Second)))
	require.Equal(t, dueUpdate, s.due(noon.Add(10*time.Second)))
	require.Equal(t, dueUpdate, s.due(noon.Add(10*time.Second)), "it is asked for until a cut is tried")
	none := schedule{}
	require.Equal(t, dueNothing, none.due(noon), "the machine's count of records alone")
}

// TestAScheduleFollowsAClockThatGoesBack: neither moments nor distances wait for
// the time before to come again.
func TestAScheduleFollowsAClockThatGoesBack(t *testing.T) {
	s := schedule{trigger: Trigger{Next: everyMinute}, lastTry: noon}
	s.begin(noon)
	back := noon.Add(-time.Hour)
	s.setBack(back)
	require.Equal(t, back, s.lastTry)
	require.Equal(t, dueNothing, s.due(back))
	require.Equal(t, dueMoment, s.due(back.Add(time.Minute)))
}

// TestTheMachinesTimeNeverGoesBack: where the clock does, it goes on from where
// it was, as fast as before.
func TestTheMachinesTimeNeverGoesBack(t *testing.T) {
	k := timekeeper{newest: noon, machine: noon.UnixMilli()}
	at := func(d time.Duration) int64 { return k.forward(noon.Add(d)) - noon.UnixMilli() }
	require.EqualValues(t, 3000, at(3999*time.Millisecond), "whole seconds")
	require.EqualValues(t, 3000, at(-time.Hour))
	require.EqualValues(t, 5000, at(-time.Hour+2*time.Second))
	require.Equal(t, time.Hour, k.back(noon.Add(-time.Hour)))
	require.Zero(t, k.back(noon.Add(-time.Hour)))
}

// TestMomentsKeepTheirDistance: a moment that comes too soon after a release waits, and
// counts once.
func TestMomentsKeepTheirDistance(t *testing.T) {
	s := schedule{trigger: Trigger{Next: everyMinute, MinInterval: 5 * time.Minute}, lastCut: noon}
	s.begin(noon)
	require.Equal(t, noon.Add(5*time.Minute), s.next())
	require.Equal(t, dueNothing, s.due(noon.Add(4*time.Minute+59*time.Second)))
	require.Equal(t, dueMoment, s.due(noon.Add(5*time.Minute)))
	s.lastCut = noon.Add(5 * time.Minute)
	require.Equal(t, dueNothing, s.due(noon.Add(6*time.Minute)))
	none := schedule{}
	require.Zero(t, none.next())
}

// TestMissedMomentsAreSkipped: only if the trigger says so, and only those that have passed.
func TestMissedMomentsAreSkipped(t *testing.T) {
	s := schedule{trigger: Trigger{Next: everyMinute, SkipMissed: true}}
	s.begin(noon.Add(-time.Hour))
	s.resume(noon)
	require.Equal(t, dueNothing, s.due(noon))
	s.resume(noon.Add(30 * time.Second))
	require.Equal(t, dueMoment, s.due(noon.Add(time.Minute)))
}
