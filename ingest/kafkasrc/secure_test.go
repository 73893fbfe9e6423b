package kafkasrc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"anond/ingest"
)

// certificate returns a self-signed certificate for loopback, its key, and both
// as PEM.
func certificate(t *testing.T) (pair tls.Certificate, cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	require.NoError(t, err)
	kder, err := x509.MarshalECPrivateKey(k)
	require.NoError(t, err)
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: kder})
	pair, err = tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	return pair, cert, key
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			c := broker(t, kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser(mechanism, "anond", "secret"),
				kfake.Superuser("PLAIN", "w", "w"))
			write(t, producer(t, c, kgo.SASL(plain.Auth{User: "w", Pass: "w"}.AsMechanism())), 0, 0, 10)
			cfg := config(c, &events{})
			cfg.SASL = &SASL{Mechanism: mechanism, Username: "anond", Password: "secret"}
			got := newReceived()
			got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
			require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0])
		})
	}
}

func TestTLSAndMutualTLS(t *testing.T) {
	pair, ca, _ := certificate(t)
	client, clientCert, clientKey := certificate(t)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(clientCert))
	c := broker(t, kfake.SeedTopics(1, topic), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert}))
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca))
	write(t, producer(t, c, kgo.DialTLSConfig(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{client}})), 0, 0, 10)

	cfg := config(c, &events{})
	cfg.TLS = &TLS{CA: ca, Cert: clientCert, Key: clientKey}
	got := newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0])

	log := &events{}
	cfg = config(c, log)
	cfg.TLS = &TLS{CA: clientCert, Cert: clientCert, Key: clientKey} // not who signed the broker
	_, err := Open(background(t), cfg, ingest.Resume{})
	require.ErrorContains(t, err, "check tls.ca")
}

func TestWrongPassword(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser("PLAIN", "anond", "right"))
	// Brokers answer so; kfake by itself only closes the connection.
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		res := k.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		res.ErrorCode = kerr.SaslAuthenticationFailed.Code
		return res, nil, true
	})
	log := &events{}
	cfg := config(c, log)
	cfg.SASL = &SASL{Mechanism: "PLAIN", Username: "anond", Password: "wrong-and-secret"}
	_, err := Open(background(t), cfg, ingest.Resume{})
	require.ErrorContains(t, err, "check sasl.mechanism")
	require.NotContains(t, err.Error(), "wrong-and-secret")
}

func TestBrokerThatOnlyClosesTheConnectionIsHintedAt(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser("PLAIN", "anond", "right"))
	log := &events{}
	cfg := config(c, log)
	cfg.SASL = &SASL{Mechanism: "PLAIN", Username: "anond", Password: "wrong"}
	done := make(chan error)
	ctx := background(t)
	go func() { _, err := Open(ctx, cfg, ingest.Resume{}); done <- err }()
	eventually(t, "the hint", func() bool { return log.count("source_disconnected") > 0 })
	require.Contains(t, log.text("source_disconnected"), "check sasl.mechanism")
}

func TestPasswordsAreNotPrinted(t *testing.T) {
	s := SASL{Mechanism: "PLAIN", Username: "u-secret", Password: "p-secret"}
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s", s, &s, s, s.LogValue()), "secret")
	require.NotContains(t, fmt.Sprintf("%+v", Config{SASL: &s}), "secret")
}

func TestConfigurationFaults(t *testing.T) {
	_, err := Open(background(t), Config{OnGap: "ignore", MaxBytes: -1}, ingest.Resume{})
	for _, want := range []string{"brokers:", "topic:", "on_gap:", "max_bytes:"} {
		require.ErrorContains(t, err, want)
	}
	ok := Config{Brokers: []string{"127.0.0.1:1"}, Topic: topic}
	for want, change := range map[string]func(*Config){
		"brokers:":             func(c *Config) { c.Brokers = []string{"nohost"} },
		"tls.ca:":              func(c *Config) { c.TLS = &TLS{CA: []byte("x")} },
		"tls.cert and tls.key": func(c *Config) { c.TLS = &TLS{Cert: []byte("x"), Key: []byte("y")} },
		"sasl.mechanism:":      func(c *Config) { c.SASL = &SASL{Mechanism: "GSSAPI"} },
		"session_timeout:":     func(c *Config) { c.Membership = Membership{SessionTimeout: time.Second, Heartbeat: time.Second} },
	} {
		cfg := ok
		change(&cfg)
		_, err := Open(background(t), cfg, ingest.Resume{})
		require.ErrorContains(t, err, want)
	}
}
