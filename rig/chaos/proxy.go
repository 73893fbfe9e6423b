package chaos

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// proxy stands between anond and its broker, and harms their connections.
type proxy struct {
	net.Listener
	to   atomic.Pointer[string] // the broker
	mu   sync.Mutex
	open map[net.Conn]bool

	refuse atomic.Bool  // new connections are closed at once
	halve  atomic.Bool  // what the broker answers is swallowed
	delay  atomic.Int64 // of each piece, in nanoseconds
	harmed atomic.Int64 // pieces delayed or swallowed
}

func newProxy() (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{Listener: l, open: map[net.Conn]bool{}}
	go p.serve()
	return p, nil
}

func (p *proxy) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return // closed
		}
		if p.refuse.Load() {
			_ = c.Close()
			continue
		}
		go p.join(c)
	}
}

// join connects a connection with the broker until one of the two ends.
func (p *proxy) join(c net.Conn) {
	defer c.Close()
	b, err := net.Dial("tcp", *p.to.Load())
	if err != nil {
		return
	}
	defer b.Close()
	p.note(c, true)
	defer p.note(c, false)
	done := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(b, c); done <- struct{}{} }()
	go func() { _, _ = io.Copy(harmful{c, p}, b); done <- struct{}{} }()
	<-done
}

func (p *proxy) note(c net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open {
		p.open[c] = true
	} else {
		delete(p.open, c)
	}
}

// harmful is the way of the answers.
type harmful struct {
	net.Conn
	p *proxy
}

func (h harmful) Write(b []byte) (int, error) {
	if d := h.p.delay.Load(); d > 0 {
		h.p.harmed.Add(1)
		time.Sleep(time.Duration(d))
	}
	if h.p.halve.Load() {
		h.p.harmed.Add(1)
		return len(b), nil
	}
	return h.Conn.Write(b)
}

// drop cuts all connections, in the middle of what they do, and says how many.
func (p *proxy) drop() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0) // a reset, not an end
		}
		_ = c.Close()
		n++
	}
	return n
}

// advertised is the broker's own listener, which names the proxy as its address.
type advertised struct {
	net.Listener
	addr net.Addr
}

func (a advertised) Addr() net.Addr { return a.addr }

// stop ends the proxy.
func (p *proxy) stop() error {
	err := p.Close()
	p.drop()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
