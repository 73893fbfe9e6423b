package web

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// places is a listener with so many connections at a time. One that comes when all places
// are taken gets that of the connection that has waited for a request for longest; only if
// every one is being answered must it wait. So who opens connections and asks for nothing
// keeps nobody out. Of the places, reserve are for requests that take no share (works).
type places struct {
	net.Listener
	most int

	mu    sync.Mutex
	freed *sync.Cond
	taken map[*place]struct{}
	clock uint64 // counts up each time that a connection begins to wait
}

// place is a connection that has a place.
type place struct {
	net.Conn
	of    *places
	since uint64 // since when it waits for a request; 0: it is being answered
	share bool   // what is answered takes one of the places that are not the reserve
}

func newPlaces(l net.Listener, most int) *places {
	out := &places{Listener: l, most: most, taken: map[*place]struct{}{}}
	out.freed = sync.NewCond(&out.mu)
	return out
}

func (l *places) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.taken) >= l.most {
		if first := l.longest(); first != nil {
			delete(l.taken, first)
			_ = first.Conn.Close() // nobody waits for an answer on it
			continue
		}
		l.freed.Wait()
	}
	l.clock++
	p := &place{Conn: c, of: l, since: l.clock}
	l.taken[p] = struct{}{}
	return p, nil
}

// longest is the connection that has waited for longest, nil if none waits.
func (l *places) longest() (out *place) {
	for p := range l.taken {
		if p.since > 0 && (out == nil || p.since < out.since) {
			out = p
		}
	}
	return out
}

// Close gives the place back.
func (p *place) Close() error {
	p.of.mu.Lock()
	delete(p.of.taken, p)
	p.of.freed.Signal()
	p.of.mu.Unlock()
	return p.Conn.Close()
}

// works says that a request of a connection is being answered. It is false if the request
// takes a share and all shares are taken.
func (p *place) works(share bool) bool {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.since, p.share = 0, false
	if !share {
		return true
	}
	shares := 0
	for other := range p.of.taken {
		if other.share {
			shares++
		}
	}
	p.share = shares < p.of.most-reserve
	return p.share
}

// waits marks the connection as idle: its answer has been sent, so it may be closed for a new connection.
func (p *place) waits() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.of.clock++
	p.since, p.share = p.of.clock, false
	p.of.freed.Signal()
}

type placeKey struct{}

// remember and followed tell the place of a connection to its handlers, and when it is idle.
func remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, placeKey{}, placeOf(c))
}

func followed(c net.Conn, state http.ConnState) {
	if state == http.StateIdle {
		placeOf(c).waits()
	}
}

func placeOf(c net.Conn) *place {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	return c.(*place)
}
