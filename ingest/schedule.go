package ingest

import (
	"context"
	"time"
)

// onTick makes a release if the host's trigger says so.
func (r *releases) onTick(ctx context.Context, l *loop, now time.Time) error {
	if r.inMaking != 0 {
		return nil
	}
	scheduled := l.Trigger.Next != nil && !now.Before(r.slot)
	if scheduled {
		r.slot = l.Trigger.Next(now)
	}
	ready := l.Machine.InitialDone() || l.Machine.Growing()
	switch {
	case scheduled && !ready:
		l.skipped("first_load")
		return nil
	case scheduled:
		return l.cut(ctx, cutting{scheduled: true})
	case ready && l.Trigger.Update && now.Sub(r.lastTry) >= l.Trigger.MinInterval && l.Machine.UpdateDue():
		return l.cut(ctx, cutting{})
	}
	return nil
}

// firstSlot finds the first scheduled moment. One that passed while nobody ran
// is due now. The time of the newest release does not count if it is ahead of
// the clock: the schedule then begins now.
func (r *releases) firstSlot(l *loop, now time.Time) {
	from := now
	if i := l.Machine.Latest(); i != nil {
		from = time.Unix(i.CreatedAt, 0)
		if ahead := from.Sub(now); ahead > 0 {
			from = now
			if ahead >= notable {
				l.Log.Warn("the newest release bears a time ahead of the clock; the schedule begins now", "event", "clock_behind",
					"release", i.Release, "by", ahead.Round(time.Second).String())
			}
		}
	}
	if l.Trigger.Next != nil {
		r.slot = l.Trigger.Next(from)
	}
}
