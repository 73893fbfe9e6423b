package web

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// admission is whom a server lets in, and what it shows of itself, at a time. It never
// changes; Server.Prepare makes another one.
type admission struct {
	Options
	tls *tls.Config // nil: plain HTTP
}

func newAdmission(o Options) (*admission, error) {
	secure, err := tlsConfig(o)
	return &admission{o, secure}, err
}

// Prepare reads certificates and secrets of other options, and changes nothing. use puts
// them in effect for what is asked from then on.
func (s *Server) Prepare(o Options) (use func(), err error) {
	next, err := newAdmission(o)
	switch now := s.now.Load(); {
	case err != nil:
		return nil, err
	case o.Listen != now.Listen:
		return nil, errors.New("http.listen: a running server keeps its address")
	case (next.tls == nil) != (now.tls == nil):
		return nil, errors.New("http.tls: a running server cannot begin or end to use TLS; restart anond")
	}
	return func() { s.now.Store(next) }, nil
}

// ErrTLS: the files of http.tls cannot be used.
var ErrTLS = errors.New("http.tls")

// tlsConfig is nil for plain HTTP.
func tlsConfig(o Options) (*tls.Config, error) {
	if o.Cert == "" {
		return nil, nil
	}
	pair := &certificate{cert: o.Cert, key: o.Key}
	if _, err := pair.get(nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTLS, err)
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get, NextProtos: []string{"http/1.1"}}
	if o.ClientCA == "" {
		return out, nil
	}
	pem, err := os.ReadFile(o.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("%w: client_ca: %w", ErrTLS, err)
	}
	out.ClientCAs, out.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !out.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: client_ca: the file has no certificate", ErrTLS)
	}
	return out, nil
}

// certificate is a key pair whose files may be replaced while it is used.
type certificate struct {
	cert, key string
	mu        sync.Mutex
	pair      *tls.Certificate
	read      time.Time // modification of the files that pair was read from
}

// get returns the key pair of the files as they are now. A pair that cannot be read, as
// while it is replaced, leaves the one before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := modified(c.cert, c.key)
	if c.pair != nil && changed.Equal(c.read) {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	switch {
	case err == nil:
		c.pair, c.read = &pair, changed
	case c.pair == nil:
		return nil, err
	}
	return c.pair, nil
}

// modified is the newest time of some files.
func modified(paths ...string) (newest time.Time) {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest
}
