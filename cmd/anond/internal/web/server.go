// Package web serves what operators look at over HTTP.
//
// Guarantee: it serves reads only. What a client can make it do is bounded: header
// sizes, times, and the number of connections. With authentication configured, nothing
// but the two health pages answers without it; a comparison of secrets takes the same
// time whatever is sent. No request is logged.
//
// Method: net/http, with a limited listener; what the server shows of itself, and whom it
// trusts, may be replaced while it serves (Prepare).
package web

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options say where and how is served.
type Options struct {
	Listen              string
	Cert, Key, ClientCA string // paths of PEM files; empty Cert: plain HTTP
	Token               string // bearer token; empty: none
	Username, Password  string // basic authentication; empty: none
}

// Server is a running server.
type Server struct {
	http     *http.Server
	listener net.Listener
	done     chan struct{}
	now      atomic.Pointer[admission]
}

// The limits of a server.
const (
	connections = 64
	headerBytes = 16 << 10
	requestTime = 10 * time.Second
	answerTime  = 30 * time.Second
	idleTime    = 2 * time.Minute
)

// Start listens and serves routes in the background. Routes are patterns of
// http.ServeMux; those of open need no authentication.
func Start(o Options, open, guarded map[string]http.Handler) (*Server, error) {
	first, err := newAdmission(o)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: listener, done: make(chan struct{})}
	s.now.Store(first)
	s.http = &http.Server{Handler: s.handler(open, guarded), MaxHeaderBytes: headerBytes, ReadTimeout: requestTime,
		WriteTimeout: answerTime, IdleTimeout: idleTime, ErrorLog: log.New(io.Discard, "", 0)}
	served := limit(listener, connections)
	if first.tls != nil {
		served = tls.NewListener(served, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.now.Load().tls, nil }})
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(served) // ends by Close alone
	}()
	return s, nil
}

// Address is where the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close lets answers in progress end, for a second.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.done
	return err
}

func (s *Server) handler(open, guarded map[string]http.Handler) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range open {
		mux.Handle(pattern, h)
	}
	for pattern, h := range guarded {
		mux.Handle(pattern, s.authenticated(h))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			head.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD are served", http.StatusMethodNotAllowed)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// limited is a listener with so many connections at a time; others wait to be accepted.
type limited struct {
	net.Listener
	slots chan struct{}
}

func limit(l net.Listener, most int) net.Listener {
	return &limited{l, make(chan struct{}, most)}
}

func (l *limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// slotted is a connection that gives its place back.
type slotted struct {
	net.Conn
	free func()
}

func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}
