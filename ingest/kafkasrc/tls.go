package kafkasrc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// TLS holds PEM texts, not file names: the configuration reads files.
type TLS struct {
	CA         []byte // of the brokers; empty: the system's
	Cert, Key  []byte // of this client (mTLS); both or none
	ServerName string // default: the broker's host
}

// SASL are the credentials of this client. It never prints its password.
type SASL struct {
	Mechanism          string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512
	Username, Password string
}

// String leaves user and password out.
func (s SASL) String() string { return s.Mechanism }

// GoString is String.
func (s SASL) GoString() string { return s.Mechanism }

// LogValue is String.
func (s SASL) LogValue() slog.Value { return slog.StringValue(s.Mechanism) }

func (t *TLS) config() (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if len(t.CA) > 0 {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(t.CA) {
			return nil, errors.New("tls.ca: holds no PEM certificate")
		}
	}
	if len(t.Cert) == 0 && len(t.Key) == 0 {
		return c, nil
	}
	pair, err := tls.X509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("tls.cert and tls.key: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

func (s *SASL) mechanism() (sasl.Mechanism, error) {
	if s == nil {
		return nil, nil
	}
	switch s.Mechanism {
	case "PLAIN":
		return plain.Mechanism{Username: s.Username, Password: s.Password}, nil
	case "SCRAM-SHA-256":
		return scram.Mechanism(scram.SHA256, s.Username, s.Password)
	case "SCRAM-SHA-512":
		return scram.Mechanism(scram.SHA512, s.Username, s.Password)
	}
	return nil, fmt.Errorf("sasl.mechanism: %q is none of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.Mechanism)
}
