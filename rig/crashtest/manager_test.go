package crashtest

import (
	"net"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// manager is a service manager that remembers what it was told.
type manager struct {
	mu   sync.Mutex
	told string
}

func (m *manager) listen(socket *net.UnixConn) {
	buffer := make([]byte, 1<<12)
	for {
		n, err := socket.Read(buffer)
		if err != nil {
			return
		}
		m.mu.Lock()
		m.told += string(buffer[:n]) + "\n"
		m.mu.Unlock()
	}
}

func (m *manager) heard(lines ...string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := m.told
	for _, line := range lines {
		_, after, found := strings.Cut(rest, line)
		if !found {
			return false
		}
		rest = after
	}
	return true
}

// TestTheServiceManagerIsTold: the program says READY, feeds the watchdog, reloads at
// SIGHUP, and says that it stops.
func TestTheServiceManagerIsTold(t *testing.T) {
	chosen.Demand(t)
	if runtime.GOOS == "windows" {
		t.Skip("there are no service managers with sockets")
	}
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", "id,age,city,ill\n"+marked(0, 30))
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: s.path("n"), Net: "unixgram"})
	require.NoError(t, err)
	defer socket.Close()
	m := &manager{}
	go m.listen(socket)
	s.env = append(s.env, "NOTIFY_SOCKET="+s.path("n"), "WATCHDOG_USEC=1000000")
	p := s.start("run")
	p.until("it is ready and feeds the watchdog", func() bool { return m.heard("READY=1\n", "WATCHDOG=1\n", "WATCHDOG=1\n") })
	p.waitFor(`"event":"started"`)
	p.signal(syscall.SIGHUP)
	p.until("it has reloaded", func() bool { return m.heard("READY=1\n", "RELOADING=1\nMONOTONIC_USEC=", "READY=1\n") })
	p.signal(syscall.SIGTERM)
	require.Zero(t, p.wait())
	require.Eventually(t, func() bool { return m.heard("RELOADING=1", "STOPPING=1\n") }, patience, 10*time.Millisecond)
}
