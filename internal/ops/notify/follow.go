package notify

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"anond/internal/clock"
	"anond/internal/ops/duty"
)

// more is the time that a start or a stop asks for as long as it makes progress.
const more = time.Minute

// Follow tells the manager what is seen of a process, until the function that it returns is called. When ctx ends, the
// process stops.
func (m *Manager) Follow(ctx context.Context, log *slog.Logger, clock clock.Clock, see func() duty.Sight) (end func()) {
	if m == nil {
		return func() {}
	}
	f := &follower{manager: m, log: log, see: see}
	ticks, stop := clock.Ticker(m.period())
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer stop()
		stopped := ctx.Done()
		for {
			f.look()
			select {
			case <-stopped:
				f.stopping, stopped = true, nil
			case <-ticks:
			case <-over:
				f.end()
				return
			}
		}
	}()
	return func() { close(over); <-ended }
}

// period is how often the manager has to hear: twice in the time of the watchdog.
func (m *Manager) period() time.Duration {
	if m.watchdog == 0 {
		return time.Second
	}
	return max(time.Millisecond, min(time.Second, m.watchdog/2))
}

// follower is what was told so far.
type follower struct {
	manager  *Manager
	log      *slog.Logger
	see      func() duty.Sight
	status   string
	advanced uint64
	stopping bool // ctx has ended
	stopped  bool // and the manager knows
	warned   bool
}

// end says that the daemon stops, if it ended by itself or was quicker than the ticks.
func (f *follower) end() {
	if !f.stopped {
		f.stopping = true
		f.look()
	}
}

// look sends what has changed since it looked last, and what has to be said each time.
func (f *follower) look() {
	now := f.see()
	m := f.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	switch {
	case f.stopping && !f.stopped:
		lines, f.stopped = append(lines, "STOPPING=1"), true
	case !f.stopping && !m.ready && now.Up:
		lines, m.ready = append(lines, "READY=1"), true
	}
	if f.needsTime(now) {
		lines = append(lines, fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", more.Microseconds()))
	}
	if now.Status != f.status {
		lines, f.status = append(lines, "STATUS="+now.Status), now.Status
	}
	if m.watchdog > 0 && now.Live {
		lines = append(lines, "WATCHDOG=1")
	}
	if len(lines) > 0 {
		m.send(strings.Join(lines, "\n"))
	}
	if m.err != nil && !f.warned {
		f.warned = true
		f.log.Warn("the service manager does not listen", "event", "service_manager_away", "error", m.err.Error())
	}
}

// needsTime reports whether a start has made progress since it was asked last, or a stop
// still does: the loop reports until it has drained, which is bounded.
func (f *follower) needsTime(now duty.Sight) bool {
	if f.stopping {
		return now.Live && now.Working
	}
	before := f.advanced
	f.advanced = f.manager.advanced.Load()
	return !f.manager.ready && f.advanced != before
}
