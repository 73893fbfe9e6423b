package web

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"anond/config"
	"anond/internal/ops/certificate"
)

// admission is whom a server lets in, and what it shows of itself, at a time. It never
// changes; Server.Prepare makes another one.
type admission struct {
	Options
	files
	tls *tls.Config // nil: plain HTTP
}

// mostOfAFile is the size up to which a file of certificates is read.
const mostOfAFile = 4 << 20

// files are what the files of the options hold, PEM.
type files struct{ cert, key, clientCA []byte }

func newAdmission(o Options) (*admission, error) {
	a := &admission{Options: o}
	for _, f := range []struct {
		key, path string
		to        *[]byte
	}{{"cert", o.Cert, &a.cert}, {"key", o.Key, &a.key}, {"client_ca", o.ClientCA, &a.clientCA}} {
		if f.path == "" {
			continue
		}
		text, err := config.Regular(mostOfAFile)(f.path)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrTLS, f.key, err)
		}
		*f.to = text
	}
	var err error
	a.tls, err = a.config()
	return a, err
}

// Prepare reads certificates and secrets of other options, and changes nothing. use puts
// them in effect for what is asked from then on, and names the keys whose files or secrets
// hold something else than before.
func (s *Server) Prepare(o Options) (use func() (keys []string), err error) {
	next, err := newAdmission(o)
	switch now := s.now.Load(); {
	case err != nil:
		return nil, err
	case o.Listen != now.Listen:
		return nil, errors.New("http.listen: a running server keeps its address")
	case (next.tls == nil) != (now.tls == nil):
		return nil, errors.New("http.tls: a running server cannot begin or end to use TLS; restart anond")
	}
	return func() []string {
		keys := s.now.Load().differences(next)
		s.now.Store(next)
		return keys
	}, nil
}

// differences names the keys in which another admission differs.
func (a *admission) differences(b *admission) (keys []string) {
	for _, d := range []struct {
		key  string
		same bool
	}{{"http.tls.cert", bytes.Equal(a.cert, b.cert)}, {"http.tls.key", bytes.Equal(a.key, b.key)},
		{"http.tls.client_ca", bytes.Equal(a.clientCA, b.clientCA)}, {"http.auth.token", a.Token == b.Token},
		{"http.auth.username", a.Username == b.Username}, {"http.auth.password", a.Password == b.Password}} {
		if !d.same {
			keys = append(keys, d.key)
		}
	}
	return keys
}

// Expiries are the ends of the certificates in use, by what they are for.
func (s *Server) Expiries() map[string]time.Time {
	out, now := map[string]time.Time{}, s.now.Load()
	if at, err := certificate.ChainEnds(now.cert); err == nil {
		out[certificate.HTTPServer] = at
	}
	if at, err := certificate.AuthoritiesEnd(now.clientCA); err == nil {
		out[certificate.HTTPClientCA] = at
	}
	return out
}

// ErrTLS: the files of http.tls cannot be used.
var ErrTLS = errors.New("http.tls")

// config is nil for plain HTTP.
func (a *admission) config() (*tls.Config, error) {
	if a.Cert == "" {
		return nil, nil
	}
	pair, err := tls.X509KeyPair(a.cert, a.key)
	if err != nil {
		return nil, fmt.Errorf("%w: cert and key: %w", ErrTLS, err)
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if a.ClientCA == "" {
		return out, nil
	}
	out.ClientCAs, out.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !out.ClientCAs.AppendCertsFromPEM(a.clientCA) {
		return nil, fmt.Errorf("%w: client_ca: the file has no certificate", ErrTLS)
	}
	return out, nil
}
