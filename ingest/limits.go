package ingest

import (
	"anond/incremental/state"
	"context"
	"math"
	"time"
)

// Quota is the limit of the state's file (state.max_bytes). Safe for concurrent use.
type Quota interface {
	// Room is how many bytes the limit leaves, negative if there are too many. Limit 0:
	// there is none.
	Room() (left, limit int64)
	// Waits reports whether a commit waits for room.
	Waits() bool
}

// unlimited is the Quota of a state without one.
type unlimited struct{}

func (unlimited) Room() (left, limit int64) { return 0, 0 }
func (unlimited) Waits() bool               { return false }

// fullness is what the loop knows of the limit of the state's file.
//
// Reading stops while there is still room for what no stop of reading can avoid: a release
// needs its intent, its classes and its mark, and delivered dead letters leave by a
// commit. A commit that finds no room nevertheless (a backup holds pages that would be
// free, or free pages are scattered) waits for it, with all that it holds. In both cases
// nothing is lost: what is not committed is at the source.
type fullness struct {
	left int64  // what may be staged before room is looked at again
	held *batch // the batch whose next record found no room
	said bool   // the log has it
}

const (
	// mostKept is what is kept for releases at most, besides their classes; a part of a
	// small limit serves as well.
	mostKept     = 1 << 20
	keptPerLimit = 8
	// perMember is what one record of a class takes in the state: the distance to the one
	// before, and its share of what a class has, in classes of five records and more; and before that its place in a pool.
	perMember = 12
)

// keptFor is how much of a limit is kept for a release that names so many records.
func keptFor(limit int64, records int) int64 {
	return min(mostKept, limit/keptPerLimit) + perMember*int64(records)
}

// look asks how much may be staged. Between two commits the answer does not change much.
func (l *intake) look() {
	left, limit := l.Quota.Room()
	if limit == 0 {
		l.room.left = math.MaxInt64
		return
	}
	l.room.left = left - keptFor(limit, l.Machine.Trigger().MostNamed())
}

// roomFor reports whether one more record may be staged. What a record takes in the state
// is less than its input; so what is staged is committed, to see how much it took.
func (l *intake) roomFor(ctx context.Context, r *Record) (bool, error) {
	if int64(l.transaction.staged.bytes)+int64(r.Weight()) <= l.room.left {
		return true, nil
	}
	if l.transaction.staged.since.IsZero() {
		l.look()
	} else if err := l.transaction.commit(ctx); err != nil {
		return false, err
	}
	return int64(r.Weight()) <= l.room.left, nil
}

// hold keeps a batch until there is room. What of it was applied is not applied again, as
// after any restart. A run that has to end, or is told to, does not wait.
func (l *intake) hold(b *batch) error {
	if l.Once || l.StopWhenFull {
		return state.ErrQuota
	}
	l.room.held = b
	l.reporting.report(l.now())
	return nil
}

// takeHeld goes on with the batch in which the host was paused, or that waits for room, once
// there is clearly some.
func (l *intake) takeHeld(ctx context.Context) error {
	if l.operator.paused {
		return nil
	}
	if b := l.refusals.held; b != nil {
		l.refusals.held = nil
		return l.applyAll(ctx, b)
	}
	b := l.room.held
	if b == nil {
		return nil
	}
	if l.look(); l.room.left < enough(l.Quota) {
		return nil
	}
	l.room.held = nil
	l.reporting.report(l.now())
	return l.applyAll(ctx, b)
}

// enough is the room with which reading goes on: more than it stops with, so that it does
// not go on for one record at a time.
func enough(q Quota) int64 {
	_, limit := q.Room()
	return min(mostKept, limit/keptPerLimit) / 4
}

// full reports whether nothing is read because the state is full.
func (l *intake) full() bool { return l.room.held != nil || l.Quota.Waits() }

// sayFull logs that the state is full, and that it is not any more.
func (l *intake) sayFull(full bool) {
	if full == l.room.said {
		return
	}
	l.room.said = full
	left, limit := l.Quota.Room()
	if full {
		l.Log.Warn("the state is nearly as large as state.max_bytes allows: nothing is read until there is room", "event", "quota_reached",
			"bytes", limit, "left", max(0, left))
		return
	}
	l.Log.Info("the state has room again: reading goes on", "event", "quota_resumed", "bytes", limit, "left", max(0, left))
}

// limiter bounds the records taken per second, on average. It knows the time only by
// what it is told, so that it follows the host's clock.
//
// A batch is taken as a whole, whatever its size, and the time that it costs is waited
// for after it. At most one second is saved up while nothing comes.
type limiter struct {
	rate   int       // records per second; 0: no limit
	budget float64   // records that may be taken now; negative: taken in advance
	at     time.Time // when the budget was counted
}

// set changes the limit. Nothing is saved up, and nothing is owed.
func (m *limiter) set(rate int) {
	if rate != m.rate {
		*m = limiter{rate: rate}
	}
}

// open reports whether a batch may be taken.
func (m *limiter) open(now time.Time) bool {
	if m.rate == 0 {
		return true
	}
	rate := float64(m.rate)
	if m.at.IsZero() {
		m.budget = rate
	} else if passed := now.Sub(m.at).Seconds(); passed > 0 {
		m.budget = min(rate, m.budget+passed*rate)
	}
	m.at = now
	return m.budget > 0
}

// took counts the records of a batch.
func (m *limiter) took(records int) { m.budget -= float64(records) }
