package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/ops/duty"
	"anond/internal/ops/monitor"
	"anond/internal/testkit/programtest"
)

// bench is a manager that listens, and a monitor whose clock stands still.
type bench struct {
	t       *testing.T
	socket  *net.UnixConn
	queue   []string // what was read of it and not asked for
	manager *Manager
	monitor *monitor.Monitor
	now     time.Time
	f       *follower
}

func newBench(t *testing.T, env map[string]string) *bench {
	b := &bench{t: t, now: time.Unix(1000, 0)}
	path := filepath.Join(programtest.TempDir(t), "s")
	var err error
	b.socket, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.socket.Close() })
	b.manager, err = Open(func(name string) (string, bool) {
		if name == "NOTIFY_SOCKET" {
			return path, true
		}
		v, ok := env[name]
		return v, ok
	})
	require.NoError(t, err)
	b.manager.monotonic = func() int64 { return 42 }
	b.monitor = monitor.New(monitor.Settings{Now: func() time.Time { return b.now }})
	b.f = &follower{manager: b.manager, log: slog.New(slog.DiscardHandler), see: b.monitor.Sight}
	return b
}

func (b *bench) observe(r ingest.Report) {
	r.Time = b.now
	b.monitor.Observe(r)
}

// look has the follower look once, and returns the lines that the manager got.
func (b *bench) look() []string { b.f.look(); return b.heard() }

// heard is the oldest message that was not asked for yet; nil: there is none. A message of the
// test's own, behind all that was sent, says so without a wait.
func (b *bench) heard() []string {
	const last = "LAST"
	self, err := net.DialUnix("unixgram", nil, b.socket.LocalAddr().(*net.UnixAddr))
	require.NoError(b.t, err)
	_, err = self.Write([]byte(last))
	require.NoError(b.t, errors.Join(err, self.Close()))
	for buffer := make([]byte, 1<<12); ; {
		n, err := b.socket.Read(buffer)
		require.NoError(b.t, err)
		if string(buffer[:n]) == last {
			break
		}
		b.queue = append(b.queue, string(buffer[:n]))
	}
	if len(b.queue) == 0 {
		return nil
	}
	oldest := b.queue[0]
	b.queue = b.queue[1:]
	return strings.Split(oldest, "\n")
}

// TestALifeAsTheManagerHearsIt: time for a start that makes progress, ready once the state
// is compared though no source answers, a reload, and the end.
func TestALifeAsTheManagerHearsIt(t *testing.T) {
	b := newBench(t, nil)
	assert.Equal(t, []string{"STATUS=opening"}, b.look())
	b.manager.Reloading()() // before READY it must not say READY
	assert.Nil(t, b.look(), "nothing is new")
	b.manager.Advance()
	assert.Equal(t, []string{"EXTEND_TIMEOUT_USEC=60000000"}, b.look())
	assert.Nil(t, b.look(), "a start that hangs gets no more time")

	b.observe(ingest.Report{Doing: ingest.DoingVerify})
	assert.Equal(t, []string{"STATUS=verifying; release 0"}, b.look())
	b.observe(ingest.Report{Doing: ingest.DoingConnect})
	assert.Equal(t, []string{"READY=1", "STATUS=connecting; release 0"}, b.look())
	b.observe(ingest.Report{})
	assert.Equal(t, []string{"STATUS=reading; release 0"}, b.look(), "READY once")

	done := b.manager.Reloading()
	assert.Equal(t, []string{"RELOADING=1", "MONOTONIC_USEC=42"}, b.heard())
	done()
	assert.Equal(t, []string{"READY=1"}, b.heard())

	b.f.stopping = true
	assert.Equal(t, []string{"STOPPING=1", "EXTEND_TIMEOUT_USEC=60000000"}, b.look())
	b.now = b.now.Add(2 * monitor.StuckAfter)
	assert.Nil(t, b.look(), "a drain that hangs gets no more time")
	b.monitor.Enter(duty.Ending)
	assert.Equal(t, []string{"STATUS=ending"}, b.look())
}

// TestAMemberThatStandsByIsReady, and is not ready anew when it gets the lease.
func TestAMemberThatStandsByIsReady(t *testing.T) {
	b := newBench(t, nil)
	b.monitor.Enter(duty.Standby)
	assert.Equal(t, "READY=1", b.look()[0])
	b.monitor.Enter(duty.Opening)
	assert.Equal(t, []string{"STATUS=opening"}, b.look())
}

// TestTheWatchdogStarvesWhenTheLoopIsStuck, and at no other time.
func TestTheWatchdogStarvesWhenTheLoopIsStuck(t *testing.T) {
	b := newBench(t, map[string]string{"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": strconv.Itoa(os.Getpid())})
	assert.Equal(t, time.Second, b.manager.period())
	assert.Contains(t, b.look(), "WATCHDOG=1")
	b.now = b.now.Add(time.Hour)
	assert.Contains(t, b.look(), "WATCHDOG=1", "a state takes long to load")
	b.observe(ingest.Report{})
	b.now = b.now.Add(monitor.StuckAfter)
	assert.Contains(t, b.look(), "WATCHDOG=1")
	b.now = b.now.Add(time.Second)
	assert.NotContains(t, b.look(), "WATCHDOG=1")
	b.observe(ingest.Report{})
	assert.Contains(t, b.look(), "WATCHDOG=1")
}

// TestFollowEndsWithStopping, whether the daemon is stopped or ends by itself.
func TestFollowEndsWithStopping(t *testing.T) {
	for _, stopped := range []bool{true, false} {
		b := newBench(t, map[string]string{"WATCHDOG_USEC": "3000000"})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		end := b.manager.Follow(ctx, slog.New(slog.DiscardHandler), still{}, b.monitor.Sight)
		if stopped {
			cancel()
		}
		end()
		var all []string
		for lines := b.heard(); lines != nil; lines = b.heard() {
			all = append(all, lines...)
		}
		assert.Equal(t, 1, strings.Count(strings.Join(all, "\n"), "STOPPING=1"), "%v: %v", stopped, all)
	}
}

// still is a clock that never ticks.
type still struct{}

func (still) Now() time.Time                                  { return time.Time{} }
func (still) Ticker(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }

// TestAManagerThatIsAwayHoldsNothingUp: one warning, whatever happens after it.
func TestAManagerThatIsAwayHoldsNothingUp(t *testing.T) {
	b := newBench(t, map[string]string{"WATCHDOG_USEC": "3000000"})
	var text strings.Builder
	b.f.log = slog.New(slog.NewTextHandler(&text, nil))
	require.NoError(t, b.socket.Close())
	for range 3 {
		b.f.look()
	}
	assert.Equal(t, 1, strings.Count(text.String(), "service_manager_away"), text.String())
}

// TestNoManager: without one nothing is said, and what says it does not matter.
func TestNoManager(t *testing.T) {
	m, err := Open(func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	require.Nil(t, m)
	m.Advance()
	m.Reloading()()
	m.Follow(context.Background(), slog.New(slog.NewTextHandler(io.Discard, nil)), still{}, nil)()
}

// TestTheEnvironmentIsRead: whom the watchdog is for, and what cannot be used.
func TestTheEnvironmentIsRead(t *testing.T) {
	for _, x := range []struct {
		usec, pid string
		want      time.Duration
		fault     bool
	}{
		{"", "", 0, false}, {"5000000", "", 5 * time.Second, false}, {"5000000", "7", 5 * time.Second, false}, {"5000000", "8", 0, false},
		{"0", "", 0, true}, {"-1", "", 0, true}, {"soon", "", 0, true}, {"9223372036854775807", "", 0, true},
	} {
		env := map[string]string{"WATCHDOG_USEC": x.usec, "WATCHDOG_PID": x.pid}
		got, err := watchdogOf(func(name string) (string, bool) { v, ok := env[name]; return v, ok }, 7)
		assert.Equal(t, x.want, got, fmt.Sprint(x))
		assert.Equal(t, x.fault, err != nil, fmt.Sprint(x))
	}
	for _, socket := range []string{"vsock:2:1", "relative", "/no/such/socket"} {
		_, err := Open(func(name string) (string, bool) { return map[string]string{"NOTIFY_SOCKET": socket}[name], true })
		assert.ErrorContains(t, err, "NOTIFY_SOCKET", socket)
	}
}

// TestTheMonotonicClock: it goes forward, in microseconds.
func TestTheMonotonicClock(t *testing.T) {
	if monotonic() == 0 {
		t.Skip("this system has no such clock")
	}
	a := monotonic()
	time.Sleep(2 * time.Millisecond)
	passed := monotonic() - a
	assert.GreaterOrEqual(t, passed, int64(2000))
	assert.Less(t, passed, int64(time.Minute/time.Microsecond))
}
