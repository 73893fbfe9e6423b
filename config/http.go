package config

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
)

// HTTP is the block `http`: metrics, health and dashboard.
type HTTP struct {
	Listen string // host:port, or HTTPOff
	TLS    httptls
	Auth   httpAuth
	// Asked says that the file has the block: an address that cannot be listened on
	// then ends the start, which that of the default does not.
	Asked bool
}

// HTTPOff is HTTP.Listen where nothing is served.
const HTTPOff = "off"

// httptls is the block `http.tls`.
type httptls struct {
	Cert, Key string // paths of PEM files
	ClientCA  string // path of a PEM file; clients must show a certificate of it
}

// httpAuth is the block `http.auth`: what a client must show.
type httpAuth struct {
	Token    Secret // bearer token
	Username string // basic
	Password Secret
}

// Asked reports whether clients must show anything.
func (a *httpAuth) Asked() bool { return a.Token.Set() || a.Password.Set() }

func (h *HTTP) keys() []key {
	return []key{
		{path: "http.listen", value: listenAddress(&h.Listen), def: "127.0.0.1:9464", doc: "Address of metrics (`/metrics`), health " +
			"(`/healthz`, `/readyz`) and dashboard (`/`), or `off`. If the block `http` is missing, a port that is taken is only logged, and " +
			"a run that ends (--once, standard input) serves nothing."},
		{path: "http.tls.cert", value: path(&h.TLS.Cert), derived: "none; plain HTTP", doc: "Certificate chain of the server (PEM). A " +
			"running anond takes in this file, and those of key and client_ca, when they change."},
		{path: "http.tls.key", value: path(&h.TLS.Key), derived: "none", doc: "Key of the certificate (PEM)."},
		{path: "http.tls.client_ca", value: path(&h.TLS.ClientCA), derived: "none; clients need no certificate",
			doc: "Certificates of the authorities (PEM) of which clients must show a certificate."},
		{path: "http.auth.token", value: secret(&h.Auth.Token), derived: "none", doc: "Bearer token that clients must send for metrics and " +
			"dashboard. Health needs none. Take it from the environment or a file: ${NAME}, ${file:/path}. A running anond takes in such a " +
			"file, and that of a password, when it changes."},
		{path: "http.auth.username", value: text(&h.Auth.Username), derived: "none", doc: "Name for basic authentication, for browsers. " +
			"A client may use token or name and password."},
		{path: "http.auth.password", value: secret(&h.Auth.Password), derived: "none", doc: "Password for basic authentication."},
	}
}

// ListenAddress reads an address as http.listen is read.
func ListenAddress(s string) (string, error) {
	var to string
	return listenAddress(&to).(scalar[string]).parse(s)
}

// listenAddress is host:port or off. The host may be empty: all addresses.
func listenAddress(to *string) value {
	bad := complain("is not an address to listen on", "write host:port, such as 127.0.0.1:9464, or off")
	parse := func(s string) (string, error) {
		if strings.EqualFold(s, HTTPOff) {
			return HTTPOff, nil
		}
		_, port, err := net.SplitHostPort(s)
		if n, wrong := strconv.Atoi(port); err != nil || wrong != nil || n < 0 || n > 65535 {
			return "", bad
		}
		return s, nil
	}
	return scalar[string]{to: to, name: "host:port or off", tags: []string{"!!str", "!!bool"}, suggestion: inQuotes, parse: parse}
}

func checkHTTP(c *Config, r *reader) {
	h := &c.HTTP
	h.Asked = r.set("http")
	if !r.sound("http.listen", "http.tls.cert", "http.tls.key", "http.tls.client_ca", "http.auth.username", "http.auth.password") {
		return
	}
	if (h.TLS.Cert == "") != (h.TLS.Key == "") {
		r.fault("http.tls", "has only one of cert and key", "name both files")
	}
	if h.TLS.ClientCA != "" && h.TLS.Cert == "" {
		r.fault("http.tls.client_ca", "needs cert and key", "name both files")
	}
	if (h.Auth.Username == "") == h.Auth.Password.Set() {
		r.fault("http.auth", "has only one of username and password", "set both, or only token")
	}
	if reason, suggestion := h.exposed(); reason != "" {
		r.warn("http.listen", reason, suggestion)
	}
}

// exposed says what is wrong with an address that other machines reach; empty: nothing.
func (h *HTTP) exposed() (reason, suggestion string) {
	switch {
	case h.Listen == HTTPOff || isLoopback(h.Listen):
		return "", ""
	case !h.Auth.Asked() && h.TLS.ClientCA == "":
		return "can be reached from other machines without authentication", "set http.auth, or listen on 127.0.0.1"
	case h.TLS.Cert == "":
		return "can be reached from other machines, and passwords are sent unencrypted", "set http.tls, or listen on 127.0.0.1"
	}
	return "", ""
}

// ListenAt takes the address of the command line in place of http.listen, and warns as Load does of one that
// other machines reach.
func (h *HTTP) ListenAt(address string) (warnings []Warning, err error) {
	if h.Listen, err = ListenAddress(address); err != nil {
		return nil, err
	}
	h.Asked = true
	if reason, suggestion := h.exposed(); reason != "" {
		warnings = append(warnings, Warning{File: commandLine, Key: listenFlag, Reason: reason, Suggestion: suggestion})
	}
	return warnings, nil
}

func isLoopback(listen string) bool {
	host, _, _ := net.SplitHostPort(listen)
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// commandLine is where a warning says that a setting comes from, if it is in no file.
const commandLine = "command line"

// listenFlag is http.listen on a command line.
const listenFlag = "--listen"

// LoadHTTP reads the block `http` for a process that has no configuration, and must not have what
// one names: anond union and deliver. It is in a file of its own, or path is empty. listen is the address if it is not
// empty, and fallback if the file names none either.
//
// Guarantee: as Load. Asked says that the file has the block, or that listen was given.
func LoadHTTP(path, listen, fallback string, lookup Lookup, read ReadFile) (*HTTP, []Warning, error) {
	content := []byte("http:\n")
	if path != "" {
		var err error
		if content, err = read.small(path); err != nil {
			return nil, nil, &Faults{[]Fault{{File: path, Reason: "cannot be read: " + plain(err), Suggestion: "name a file with a block http"}}}
		}
	}
	c := &Config{}
	r := newReader(cmp.Or(path, commandLine), filepath.Dir(path), lookup, read)
	r.document(content, c.HTTP.keys())
	switch {
	case listen != "":
		address, err := ListenAddress(listen)
		if err != nil {
			r.failed["http.listen"] = true
			r.fault(listenFlag, fmt.Sprintf("%q %v", listen, err), "write host:port, such as 127.0.0.1:9465, or off")
		}
		c.HTTP.Listen = address
	case !r.set("http.listen"):
		c.HTTP.Listen = fallback
	}
	checkHTTP(c, r)
	if listen != "" {
		for i := range r.warnings {
			if w := &r.warnings[i]; w.Key == "http.listen" {
				*w = Warning{File: commandLine, Key: listenFlag, Reason: w.Reason, Suggestion: w.Suggestion}
			}
		}
	}
	if len(r.faults) > 0 {
		inOrder(r.faults, path)
		return nil, r.sortedWarnings(), &Faults{r.faults}
	}
	c.HTTP.Asked = path != "" || listen != ""
	return &c.HTTP, r.sortedWarnings(), nil
}
