package kafkasrc

import (
	"context"
	"time"
)

// stayAwake notices that the process was suspended: the group may have given
// the lease to another member in that time, and this process could not see it.
func (l *Lease) stayAwake(ctx context.Context) {
	tick := time.NewTicker(max(l.cfg.Membership.Heartbeat/2, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lost:
			return
		case <-tick.C:
		}
		now := time.Now()
		if now.Sub(*l.beat.Load()) > l.doubt() {
			close(l.slept)
			l.lose()
			return
		}
		l.beat.Store(&now)
	}
}

// Held returns ErrLeaseLost if this member must neither commit nor publish any
// more. It is stricter than Lost: after a suspension it says so at once.
func (l *Lease) Held() error {
	select {
	case <-l.lost:
		return ErrLeaseLost
	default:
	}
	if time.Since(*l.beat.Load()) > l.doubt() {
		l.refused.Store(true)
		return ErrLeaseLost
	}
	return nil
}

// overslept reports whether somebody was told that the process had been suspended.
func (l *Lease) overslept() bool {
	select {
	case <-l.slept:
		return true
	default:
		return l.refused.Load()
	}
}
