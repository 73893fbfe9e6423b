package daemon

import (
	"time"

	"github.com/adhocore/gronx"

	"anond/config"
	"anond/ingest"
)

// triggerOf translates release.trigger for the host. Trigger `records` is the
// machine's own.
func triggerOf(c *config.Config) ingest.Trigger {
	t := c.Release.Trigger
	out := ingest.Trigger{MinInterval: t.MinInterval, SkipMissed: t.Missed == config.MissedSkip}
	switch t.On {
	case config.OnUpdate:
		out.Update = true
	case config.OnInterval:
		out.Next = func(after time.Time) time.Time { return after.Add(t.Interval) }
	case config.OnCron:
		out.Next = func(after time.Time) time.Time { return nextCron(t.At, t.Zone.At, after) }
	}
	return out
}

// nextCron returns the first moment after t that a cron expression names in a time zone.
//
// The expression is followed on a calendar without changes of the clock, and each of its
// slots is then looked up in the zone. So no day is left out where the clock is put
// forward, and no slot comes twice where it is put back.
func nextCron(expression string, zone *time.Location, t time.Time) time.Time {
	slot := onCalendar(t.In(zone))
	for {
		next, err := gronx.NextTickAfter(expression, slot, false)
		if err != nil { // the configuration was checked: the expression names no further moment
			return t.AddDate(100, 0, 0)
		}
		if at := momentOf(next, zone); at.After(t) {
			return at
		}
		slot = next // of the hour that comes twice, and this is the second time
	}
}

// onCalendar is what a clock shows, as a time of a calendar that never changes.
func onCalendar(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// momentOf is the first moment at which the clock of a zone shows a slot. In the hour that
// is left out it is the moment at which the clock is put forward.
func momentOf(slot time.Time, zone *time.Location) time.Time {
	const day = 24 * time.Hour
	_, before := slot.Add(-day).In(zone).Zone()
	_, after := slot.Add(day).In(zone).Zone()
	shift := func(seconds int) time.Time { return slot.Add(-time.Duration(seconds) * time.Second).In(zone) }
	for _, at := range []time.Time{shift(max(before, after)), shift(min(before, after))} {
		if onCalendar(at).Equal(slot) {
			return at
		}
	}
	start, _ := shift(before).ZoneBounds()
	return start
}
