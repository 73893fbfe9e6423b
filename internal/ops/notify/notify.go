// Package notify tells the service manager that started the daemon how it stands, by the
// protocol of sd_notify(3): datagrams of NAME=value lines to the socket NOTIFY_SOCKET.
//
// Guarantee: READY is said once the state is loaded and compared with what was published,
// or the process stands by; STOPPING at the first signal. The watchdog is fed only while
// the loop makes progress, as /healthz has it: a broker that is away does not stop it. A
// manager that does not listen never holds the daemon up. The texts have counts and names
// of phases alone (rule V, values).
//
// Method: Follow looks at the monitor each second, and more often if the watchdog asks
// for it, and sends what has changed. Without a manager there is a nil Manager, which
// does nothing.
package notify

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Manager is the service manager of this process. Its methods may be called by several
// goroutines, and on nil.
type Manager struct {
	conn      net.Conn
	watchdog  time.Duration         // the manager ends a process that is silent for so long; 0: never
	monotonic func() (micros int64) // the clock by which the manager orders reloads
	advanced  atomic.Uint64         // how often the start made progress

	mu    sync.Mutex
	ready bool // READY was said
	err   error
}

// sendFor bounds the wait for a manager whose socket is full.
const sendFor = time.Second

// Open connects to the manager that the environment names. Without one it returns nil.
func Open(lookup func(string) (string, bool)) (*Manager, error) {
	name, _ := lookup("NOTIFY_SOCKET")
	if name == "" {
		return nil, nil
	}
	if name[0] != '/' && name[0] != '@' {
		return nil, fmt.Errorf("NOTIFY_SOCKET is %q, which is neither a path nor an abstract name", name)
	}
	watchdog, err := watchdogOf(lookup, os.Getpid())
	if err != nil {
		return nil, err
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	return &Manager{conn: conn, watchdog: watchdog, monotonic: monotonic}, nil
}

// watchdogOf is the time of the watchdog, if it is meant for this process.
func watchdogOf(lookup func(string) (string, bool), pid int) (time.Duration, error) {
	text, _ := lookup("WATCHDOG_USEC")
	if text == "" {
		return 0, nil
	}
	if of, _ := lookup("WATCHDOG_PID"); of != "" && of != strconv.Itoa(pid) {
		return 0, nil
	}
	micros, err := strconv.ParseInt(text, 10, 64)
	if err != nil || micros <= 0 || micros > int64(1<<63-1)/int64(time.Microsecond) {
		return 0, fmt.Errorf("WATCHDOG_USEC is %q, which is no number of microseconds", text)
	}
	return time.Duration(micros) * time.Microsecond, nil
}

// Advance notes that the start has made progress: the manager gives it more time.
func (m *Manager) Advance() {
	if m != nil {
		m.advanced.Add(1)
	}
}

// Reloading says that the configuration is read again, and returns what says that this
// has ended. Before READY neither says anything.
func (m *Manager) Reloading() (done func()) {
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.ready {
		return func() {}
	}
	m.send(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", m.monotonic()))
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.send("READY=1")
	}
}

// send sends lines as one datagram, and keeps the first error. The lock is held.
func (m *Manager) send(lines string) {
	_ = m.conn.SetWriteDeadline(time.Now().Add(sendFor))
	if _, err := m.conn.Write([]byte(lines)); err != nil && m.err == nil {
		m.err = err
	}
}
