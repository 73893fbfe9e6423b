package web

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/ops/certificate"
	"anond/internal/ops/duty"
	"anond/internal/ops/monitor"
	"anond/snapshot"
)

func text(s string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) })
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	s, err := Start(o, map[string]http.Handler{"/healthz": text("open")}, map[string]http.Handler{"/metrics": text("guarded")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func ask(t *testing.T, c *http.Client, method, url string, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	if change != nil {
		change(r)
	}
	a, err := c.Do(r)
	require.NoError(t, err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	return a.StatusCode, string(body), a.Header
}

// TestAuthentication: health answers anybody, the rest who shows the token, or name and
// password.
func TestAuthentication(t *testing.T) {
	s := start(t, Options{Token: "word", Username: "me", Password: "secret"})
	at := "http://" + s.Address()
	header := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", value) }
	}
	basic := func(name, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(name, password) }
	}
	for _, x := range []struct {
		path   string
		change func(*http.Request)
		want   int
	}{
		{"/healthz", nil, 200}, {"/metrics", nil, 401}, {"/metrics", header("Bearer word"), 200}, {"/metrics", header("bearer word"), 200},
		{"/metrics", header("Bearer words"), 401}, {"/metrics", header("word"), 401}, {"/metrics", basic("me", "secret"), 200},
		{"/metrics", basic("me", "word"), 401}, {"/metrics", basic("you", "secret"), 401}, {"/metrics", basic("", ""), 401},
		{"/nothing", header("Bearer word"), 404},
	} {
		code, body, head := ask(t, http.DefaultClient, "GET", at+x.path, x.change)
		assert.Equal(t, x.want, code, x.path)
		if code == 401 {
			assert.NotContains(t, body, "guarded")
			assert.Len(t, head.Values("WWW-Authenticate"), 2)
		}
		assert.Equal(t, "nosniff", head.Get("X-Content-Type-Options"))
		assert.Equal(t, "no-store", head.Get("Cache-Control"))
	}
	open := start(t, Options{})
	code, body, _ := ask(t, http.DefaultClient, "GET", "http://"+open.Address()+"/metrics", nil)
	assert.Equal(t, []any{200, "guarded"}, []any{code, body})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		code, _, _ = ask(t, http.DefaultClient, method, "http://"+open.Address()+"/healthz", nil)
		assert.Equal(t, http.StatusMethodNotAllowed, code, method)
	}
}

// pair writes a certificate for 127.0.0.1 and its key.
func pair(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "anond"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

// client accepts the certificate in a file, and shows one if it has it.
func client(t *testing.T, cert string, own ...tls.Certificate) *http.Client {
	t.Helper()
	text, err := os.ReadFile(cert)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: own}}}
}

// TestCertificateIsReplaced: files that are replaced are used without a restart, and a
// broken file leaves the pair before.
func TestCertificateIsReplaced(t *testing.T) {
	dir := t.TempDir()
	cert, key := pair(t, dir, 1)
	s := start(t, Options{Cert: cert, Key: key})
	o := s.now.Load().Options
	at := "https://" + s.Address() + "/healthz"
	old := client(t, cert)
	code, _, _ := ask(t, old, "GET", at, nil)
	require.Equal(t, 200, code)
	require.Contains(t, s.Expiries(), certificate.HTTPServer)
	use, err := s.Prepare(o)
	require.NoError(t, err)
	require.Empty(t, use(), "nothing has changed")

	pair(t, dir, 2)
	use, err = s.Prepare(o)
	require.NoError(t, err)
	code, _, _ = ask(t, old, "GET", at, nil)
	require.Equal(t, 200, code, "files alone change nothing")
	require.Equal(t, []string{"http.tls.cert", "http.tls.key"}, use())
	trusted := client(t, cert)
	code, _, _ = ask(t, trusted, "GET", at, nil)
	require.Equal(t, 200, code)
	_, err = old.Get(at)
	require.Error(t, err, "the old certificate is not shown any more")

	for _, text := range []string{"half a file", ""} {
		require.NoError(t, os.WriteFile(cert, []byte(text), 0o600))
		require.NoError(t, os.WriteFile(key, []byte(text), 0o600))
		_, err = s.Prepare(o)
		require.ErrorIs(t, err, ErrTLS)
		_, err = Start(o, nil, nil)
		require.ErrorIs(t, err, ErrTLS, "never without TLS")
		code, _, _ = ask(t, trusted, "GET", at, nil)
		require.Equal(t, 200, code)
	}
}

// TestClientCertificate: with client_ca nobody is served without a certificate.
func TestClientCertificate(t *testing.T) {
	cert, key := pair(t, t.TempDir(), 1)
	s := start(t, Options{Cert: cert, Key: key, ClientCA: cert})
	own, err := tls.LoadX509KeyPair(cert, key)
	require.NoError(t, err)
	code, _, _ := ask(t, client(t, cert, own), "GET", "https://"+s.Address()+"/healthz", nil)
	require.Equal(t, 200, code)
	_, err = client(t, cert).Get("https://" + s.Address() + "/healthz")
	require.Error(t, err)
}

// TestWhatCannotBeServed: errors name the address or the key.
func TestWhatCannotBeServed(t *testing.T) {
	s := start(t, Options{})
	_, err := Start(Options{Listen: s.Address()}, nil, nil)
	require.ErrorContains(t, err, "listen tcp")
	dir := t.TempDir()
	cert, key := pair(t, dir, 1)
	_, err = Start(Options{Listen: "127.0.0.1:0", Cert: filepath.Join(dir, "no"), Key: key}, nil, nil)
	require.ErrorIs(t, err, ErrTLS)
	_, err = Start(Options{Listen: "127.0.0.1:0", Cert: cert, Key: key, ClientCA: key}, nil, nil)
	require.ErrorIs(t, err, ErrTLS)
}

// hold opens a connection and asks for a path on it, or for nothing.
func hold(t *testing.T, s *Server, path string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	if path != "" {
		_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
	}
	return c
}

// answered reads one answer from a connection that stays open.
func answered(t *testing.T, c net.Conn) int {
	t.Helper()
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, a.Body)
	require.NoError(t, err)
	return a.StatusCode
}

// waiting is how many connections wait for a request.
func waiting(s *Server) (n int) {
	s.places.mu.Lock()
	defer s.places.mu.Unlock()
	for p := range s.places.taken {
		if p.since > 0 {
			n++
		}
	}
	return n
}

// TestHealthBesideIdleConnections: a connection that asks for something takes the place of
// the one that has been idle for longest, and of no other.
func TestHealthBesideIdleConnections(t *testing.T) {
	s := start(t, Options{})
	idle := make([]net.Conn, connections+reserve)
	for i := range idle {
		idle[i] = hold(t, s, "/metrics")
		require.Equal(t, 200, answered(t, idle[i]))
		for waiting(s) <= i { // an answer is read a moment before its connection is idle
			time.Sleep(time.Millisecond)
		}
	}
	require.Equal(t, 200, answered(t, hold(t, s, "/healthz")))
	_, err := idle[0].Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "the oldest was closed")
	for _, c := range idle[1:] {
		_, err := io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		require.Equal(t, 200, answered(t, c), "the others were not")
	}
}

// TestHealthBesideSilentConnections: those who send nothing, or half a request, keep nobody
// out, and are let go after a short time.
func TestHealthBesideSilentConnections(t *testing.T) {
	s := start(t, Options{})
	for i := range 2 * (connections + reserve) {
		c := hold(t, s, "")
		if i%2 == 0 {
			_, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHo")
			require.NoError(t, err)
		}
	}
	require.Equal(t, 200, answered(t, hold(t, s, "/healthz")))
	require.Equal(t, 2*time.Second, s.http.ReadHeaderTimeout)
}

// TestHealthBesideBusyConnections: what is not health has so many places and no more; others
// are told so at once.
func TestHealthBesideBusyConnections(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; <-end })
	s, err := Start(Options{Listen: "127.0.0.1:0"}, map[string]http.Handler{"/healthz": text("open")},
		map[string]http.Handler{"/metrics": slow})
	require.NoError(t, err)
	busy := make([]net.Conn, connections)
	for i := range busy {
		busy[i] = hold(t, s, "/metrics")
		<-begun
	}
	require.Equal(t, 503, answered(t, hold(t, s, "/metrics")))
	require.Equal(t, 200, answered(t, hold(t, s, "/healthz")))
	close(end)
	for _, c := range busy {
		require.Equal(t, 200, answered(t, c))
	}
	require.NoError(t, s.Close())
}

// TestHostOnLoopback: a name that anybody can point at 127.0.0.1 is not served there, so that
// a page in a browser reads nothing.
func TestHostOnLoopback(t *testing.T) {
	s := start(t, Options{})
	known := []string{"localhost", "LOCALHOST:9187", "127.0.0.1:9187", "[::1]:9187", "::1", "10.1.2.3:80", ""}
	strange := []string{"evil.example", "evil.example:9187", "localhost.evil.example", "127.0.0.1.evil.example"}
	for i, host := range slices.Concat(known, strange) {
		want := 200
		if i >= len(known) {
			want = 421
		}
		for _, path := range []string{"/healthz", "/metrics"} {
			code, body, _ := ask(t, http.DefaultClient, "GET", "http://"+s.Address()+path, func(r *http.Request) { r.Host = host })
			assert.Equal(t, want, code, host)
			assert.NotContains(t, body, "evil")
		}
	}
}

// TestHealthPages: what they answer for what the monitor has seen.
func TestHealthPages(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := monitor.New(monitor.Settings{FS: snapshot.OS(), Releases: t.TempDir(), Now: func() time.Time { return now }})
	s, err := Start(Options{Listen: "127.0.0.1:0"}, map[string]http.Handler{"/healthz": Liveness(m.Live, m.Phase),
		"/readyz": Readiness(m.Ready)}, nil)
	require.NoError(t, err)
	defer s.Close()
	state := func(path string) (int, string) {
		code, body, _ := ask(t, http.DefaultClient, "GET", "http://"+s.Address()+path, nil)
		require.True(t, json.Valid([]byte(body)))
		return code, body
	}
	code, _ := state("/healthz")
	assert.Equal(t, 200, code, "while the state is loaded")
	code, _ = state("/readyz")
	assert.Equal(t, 503, code)

	m.Observe(ingest.Report{Time: now, Source: ingest.Status{Connected: true}, Verified: true})
	code, body := state("/readyz")
	assert.Equal(t, 200, code)
	for _, part := range []string{"state", "chain", "source", "sink", "quota", "release"} {
		assert.Contains(t, body, `"name": "`+part+`"`)
	}

	m.Observe(ingest.Report{Time: now, Verified: true, LetterFailure: "no such broker: inner-host"}) // source and sink are away
	code, body = state("/readyz")
	assert.Equal(t, 503, code)
	assert.NotContains(t, body, "inner-host", "what needs no authentication has no text of an error")
	code, _ = state("/healthz")
	assert.Equal(t, 200, code, "the loop makes progress")

	now = now.Add(monitor.StuckAfter + time.Second)
	code, body = state("/healthz")
	assert.Equal(t, 503, code)
	assert.Contains(t, body, "the loop has made no progress for 1m1s")
	m.Enter(duty.Standby)
	code, _ = state("/healthz")
	assert.Equal(t, 200, code, "there is no loop on standby")
}

// TestPrepare: tokens and the authority of clients are replaced while the server runs, all
// or nothing.
func TestPrepare(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	cert, key := pair(t, dir, 1)
	theirs, theirKey := pair(t, other, 2)
	old, err := tls.LoadX509KeyPair(cert, key)
	require.NoError(t, err)
	now, err := tls.LoadX509KeyPair(theirs, theirKey)
	require.NoError(t, err)
	s := start(t, Options{Cert: cert, Key: key, ClientCA: cert, Token: "first"})
	listen := s.now.Load().Listen
	shows := func(own tls.Certificate, token string) int {
		code, _, _ := ask(t, client(t, cert, own), "GET", "https://"+s.Address()+"/metrics", func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
		})
		return code
	}
	require.Equal(t, 200, shows(old, "first"))

	for want, o := range map[string]Options{
		"http.tls: client_ca": {Listen: listen, Cert: cert, Key: key, ClientCA: filepath.Join(dir, "none"), Token: "second"},
		"http.tls: a running": {Listen: listen, Token: "second"},
		"http.listen":         {Listen: "127.0.0.1:1", Cert: cert, Key: key, ClientCA: cert, Token: "second"},
	} {
		_, err := s.Prepare(o)
		require.ErrorContains(t, err, want)
		require.Equal(t, 200, shows(old, "first"), "what is refused changes nothing")
	}
	use, err := s.Prepare(Options{Listen: listen, Cert: cert, Key: key, ClientCA: theirs, Token: "second"})
	require.NoError(t, err)
	require.Equal(t, 200, shows(old, "first"), "nothing changes before it is used")
	require.Equal(t, []string{"http.tls.client_ca", "http.auth.token"}, use())
	require.Equal(t, 200, shows(now, "second"))
	require.Equal(t, 401, shows(now, "first"))
	_, err = client(t, cert, old).Get("https://" + s.Address() + "/metrics")
	require.Error(t, err, "the authority before is not trusted any more")
}
