package kafkaclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// TLS holds PEM texts, not file names: the configuration reads files.
type TLS struct {
	CA         []byte // of the brokers; nil: the system's
	Cert, Key  []byte // of this client (mTLS); both, or nil
	ServerName string // default: the broker's host
}

// SASL are the credentials of this client. It never prints them.
type SASL struct {
	Mechanism          string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER
	Username, Password string
	Tokens             *Tokens     // of OAUTHBEARER
	Extensions         [][2]string // of OAUTHBEARER: names and values
}

// String leaves user and password out.
func (s SASL) String() string { return s.Mechanism }

// GoString is String.
func (s SASL) GoString() string { return s.Mechanism }

// LogValue is String.
func (s SASL) LogValue() slog.Value { return slog.StringValue(s.Mechanism) }

// Access is how clients reach the brokers: whom they trust, and who they are. Sources,
// leases and sinks share one. What it holds may be replaced while they use it: new
// connections then use the new material, and those of requests are replaced after the
// request that is under way. The connection of a group member stays until the group
// starts its next generation, so that a replacement puts no lease at risk.
type Access struct {
	now     atomic.Pointer[material]
	refused atomic.Pointer[refusal] // the newest refusal of a token

	mu      sync.Mutex
	clients map[*Client]struct{}
}

// material is what an Access holds at a time. It never changes.
type material struct {
	tls    *tls.Config    // nil: not encrypted
	sasl   sasl.Mechanism // nil: none
	tokens *Tokens        // of OAUTHBEARER
}

// NewAccess checks the material. Either may be nil: connections are not encrypted, or
// nobody has to log in.
func NewAccess(t *TLS, s *SASL) (*Access, error) {
	a := &Access{clients: map[*Client]struct{}{}}
	m, err := a.material(t, s)
	a.now.Store(m)
	return a, err
}

// Prepare checks other material, and changes nothing. use puts it in the place of what
// the clients have.
func (a *Access) Prepare(t *TLS, s *SASL) (use func(), err error) {
	m, err := a.material(t, s)
	if err != nil {
		return nil, err
	}
	return func() {
		a.now.Store(m)
		a.mu.Lock()
		defer a.mu.Unlock()
		for c := range a.clients {
			c.Renew(0, false)
		}
	}, nil
}

// String has no secret.
func (a *Access) String() string { return "access to Kafka" }

// GoString is String.
func (a *Access) GoString() string { return a.String() }

func (a *Access) material(t *TLS, s *SASL) (*material, error) {
	m := &material{}
	var err1, err2 error
	m.tls, err1 = t.Config()
	if s != nil {
		m.tokens = s.Tokens
		m.sasl, err2 = s.mechanism(a)
	}
	return m, errors.Join(err1, err2)
}

func (a *Access) join(c *Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients[c] = struct{}{}
}

func (a *Access) leave(c *Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.clients, c)
}

// Mechanism is the name of the one in use, or empty.
func (a *Access) Mechanism() string {
	if a == nil {
		return ""
	}
	if m := a.now.Load().sasl; m != nil {
		return m.Name()
	}
	return ""
}

// Encrypted reports whether connections are encrypted.
func (a *Access) Encrypted() bool { return a.now.Load().tls != nil }

// encrypt shakes hands with the broker at the other end of a connection, or leaves the
// connection as it is without TLS. kafka-go would take one tls.Config permanently.
func (a *Access) encrypt(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	c := a.now.Load().tls
	if c == nil {
		return conn, nil
	}
	if c.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			host = address
		}
		c = c.Clone()
		c.ServerName = host
	}
	secure := tls.Client(conn, c)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// login is the mechanism of an Access at the time of each connection.
type login struct{ *Client }

// Name implements sasl.Mechanism.
func (l login) Name() string { return l.cfg.Access.Mechanism() }

// Start implements sasl.Mechanism.
func (l login) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	m := l.cfg.Access.now.Load()
	if b, ok := m.sasl.(*bearer); ok {
		return b.start(ctx, l.endsAt)
	}
	return m.sasl.Start(ctx)
}

// Config is what they say, for a connection; nil of nil: it is not encrypted.
func (t *TLS) Config() (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != nil { // an empty one is not taken for none: then any public authority would do
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(t.CA) {
			return nil, errors.New("tls.ca: holds no PEM certificate")
		}
	}
	if t.Cert == nil && t.Key == nil {
		return c, nil
	}
	pair, err := tls.X509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("tls.cert and tls.key: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

func (s *SASL) mechanism(a *Access) (sasl.Mechanism, error) {
	switch s.Mechanism {
	case "PLAIN":
		return plain.Mechanism{Username: s.Username, Password: s.Password}, nil
	case "SCRAM-SHA-256":
		return s.scram(scram.SHA256)
	case "SCRAM-SHA-512":
		return s.scram(scram.SHA512)
	case oauthBearer:
		return newBearer(s, a)
	}
	return nil, fmt.Errorf("sasl.mechanism: %q is none of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER", s.Mechanism)
}

// scram leaves out what the library says of a name or password that it refuses: it repeats
// them.
func (s *SASL) scram(a scram.Algorithm) (sasl.Mechanism, error) {
	m, err := scram.Mechanism(a, s.Username, s.Password)
	if err != nil {
		return nil, errors.New("sasl.username or password: has a character that SCRAM forbids, such as a control character (RFC 4013)")
	}
	return m, nil
}
