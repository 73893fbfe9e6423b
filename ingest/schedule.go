package ingest

import (
	"context"
	"time"
)

// schedule says when the host's trigger asks for a release. It knows the time
// only; the loop asks the machine.
type schedule struct {
	trigger Trigger
	slot    time.Time // next scheduled moment
	lastTry time.Time // newest cut tried, or the beginning of the run
	lastCut time.Time // newest cut tried, or the newest release; zero: none
}

// due is what a trigger asks for at a moment.
type due int

const (
	dueNothing due = iota
	dueMoment      // a scheduled moment has come
	dueUpdate      // a release may be made if the machine has a reason for one
)

// begin finds the first scheduled moment after from.
func (s *schedule) begin(from time.Time) {
	if s.trigger.Next != nil {
		s.slot = s.trigger.Next(from)
	}
}

// resume goes on after a time in which nobody asked whether anything is due.
func (s *schedule) resume(now time.Time) {
	if s.trigger.SkipMissed && s.slot.Before(now) {
		s.begin(now)
	}
}

// due is asked while no release is in progress. Each moment is reported once.
func (s *schedule) due(now time.Time) due {
	switch {
	case s.trigger.Next != nil && !now.Before(s.next()):
		s.slot = s.trigger.Next(now)
		return dueMoment
	case s.trigger.Update && now.Sub(s.lastTry) >= s.trigger.MinInterval:
		return dueUpdate
	}
	return dueNothing
}

// next is when the next scheduled moment is due; zero: there is none.
func (s *schedule) next() time.Time {
	if s.trigger.Next == nil {
		return time.Time{}
	}
	if s.lastCut.IsZero() {
		return s.slot
	}
	if least := s.lastCut.Add(s.trigger.MinInterval); s.slot.Before(least) {
		return least
	}
	return s.slot
}

// setBack follows a clock that was set back.
func (s *schedule) setBack(now time.Time) {
	notAfter(now, &s.lastTry, &s.lastCut)
	if s.trigger.Next != nil {
		if next := s.trigger.Next(now); next.Before(s.slot) {
			s.slot = next
		}
	}
}

// beginSchedule counts from the newest release: a moment that passed while nobody
// ran is due now, unless the trigger skips it. The time of the newest release does not
// count if it is ahead of the clock: the schedule then begins now.
func (l *cuts) beginSchedule(now time.Time) {
	from := now
	if i := l.Machine.Releases().Latest(); i != nil {
		from = time.Unix(i.CreatedAt, 0)
		if ahead := from.Sub(now); ahead > 0 {
			from = now
			if ahead >= notable {
				l.Log.Warn("the newest release has a time ahead of the clock; the schedule begins now", "event", "clock_behind",
					"release", i.Release, "by", ahead.Round(time.Second).String())
			}
		}
		l.schedule.lastCut = from
	}
	l.schedule.lastTry = now
	l.schedule.begin(from)
	l.schedule.resume(now)
}

// cutOnTime makes a cut if the trigger asks for one and the machine agrees.
func (l *cuts) cutOnTime(ctx context.Context, now time.Time) error {
	if l.publishing.releases.current != 0 || l.operator.paused || l.midRound() {
		return nil
	}
	ready := l.Machine.InitialLoad().Done() || l.Machine.InitialLoad().Growing()
	switch due := l.schedule.due(now); {
	case due == dueMoment && !ready:
		l.skipped(SkippedFirstLoad)
	case due == dueMoment:
		return l.cut(ctx, cutting{scheduled: true})
	case due == dueUpdate && ready && l.Machine.Trigger().UpdateDue():
		return l.cut(ctx, cutting{})
	case l.strata && l.Machine.Trigger().StrataDue() || l.Machine.Trigger().Leaves(now.Unix()):
		return l.cut(ctx, cutting{})
	}
	return nil
}
