// Package web serves what operators look at over HTTP.
//
// Guarantee: it serves reads only. What a client can make it do is bounded: header
// sizes, times, and the number of connections. Whatever clients hold open, the health pages
// answer. With authentication configured, nothing but these two answers without it; a
// comparison of secrets takes the same time whatever is sent. No request is logged. A page
// in a browser that names a host of its own and points it at this machine reads nothing.
//
// Method: net/http, with a limited listener (places); what the server shows of itself, and whom it
// trusts, may be replaced while it serves (Prepare).
package web

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
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
	places   *places
	done     chan struct{}
	now      atomic.Pointer[admission]
}

// The limits of a server.
const (
	connections = 64 // that are answered at a time, health apart
	reserve     = 16 // for health
	headerBytes = 16 << 10
	headerTime  = 2 * time.Second // also of a TLS handshake
	requestTime = 10 * time.Second
	answerTime  = 30 * time.Second
	healthTime  = 2 * time.Second // in which a client must take a short answer
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
	s := &Server{listener: listener, places: newPlaces(listener, connections+reserve), done: make(chan struct{})}
	s.now.Store(first)
	s.http = &http.Server{Handler: s.handler(open, guarded), MaxHeaderBytes: headerBytes, ReadHeaderTimeout: headerTime,
		ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime, ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: remember, ConnState: followed}
	var served net.Listener = s.places
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
		_, pattern := mux.Handler(r)
		_, health := open[pattern]
		served := r.Context().Value(placeKey{}).(*place).works(!health)
		if health || !served {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(healthTime))
		}
		switch {
		case !served:
			http.Error(w, "too many requests at a time", http.StatusServiceUnavailable)
		case !s.known(r):
			http.Error(w, "on this machine's own address, ask for localhost or an address, not for a name", http.StatusMisdirectedRequest)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			head.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD are served", http.StatusMethodNotAllowed)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// known reports whether a request asks for a host that only who runs this machine gives to
// it. What comes over the loopback may be a page of a stranger's in a browser, whose name
// was pointed at 127.0.0.1: addresses, localhost and the name of http.listen are none.
func (s *Server) known(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if at == nil || !at.IP.IsLoopback() || r.Host == "" {
		return true
	}
	name := hostOf(r.Host)
	return net.ParseIP(name) != nil || strings.EqualFold(name, "localhost") || strings.EqualFold(name, hostOf(s.now.Load().Listen))
}

// hostOf is the host of an address with or without a port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}
