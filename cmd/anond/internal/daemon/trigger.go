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
	switch t.On {
	case config.OnUpdate:
		return ingest.Trigger{Update: true, MinInterval: t.MinInterval}
	case config.OnInterval:
		return ingest.Trigger{Next: func(after time.Time) time.Time { return after.Add(t.Interval) }}
	case config.OnCron:
		return ingest.Trigger{Next: func(after time.Time) time.Time { return nextCron(t.At, after) }}
	default:
		return ingest.Trigger{}
	}
}

// nextCron returns the first moment after t that a cron expression names, in
// UTC: no hour is skipped or comes twice.
func nextCron(expression string, t time.Time) time.Time {
	next, err := gronx.NextTickAfter(expression, t.UTC(), false)
	if err != nil { // the configuration was checked: the expression names no further moment
		return t.AddDate(100, 0, 0)
	}
	return next
}
