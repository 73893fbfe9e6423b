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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"anond/ingest"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
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

// access is an Access that has to be one.
func access(t *testing.T, of *kafkaclient.TLS, s *kafkaclient.SASL) *kafkaclient.Access {
	t.Helper()
	a, err := kafkaclient.NewAccess(of, s)
	require.NoError(t, err)
	return a
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			c := broker(t, kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser(mechanism, "anond", "secret"),
				kfake.Superuser("PLAIN", "w", "w"))
			write(t, producer(t, c, kgo.SASL(plain.Auth{User: "w", Pass: "w"}.AsMechanism())), 0, 0, 10)
			cfg := config(c, &events{})
			cfg.Access = access(t, nil, &kafkaclient.SASL{Mechanism: mechanism, Username: "anond", Password: "secret"})
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
	cfg.Access = access(t, &kafkaclient.TLS{CA: ca, Cert: clientCert, Key: clientKey}, nil)
	got := newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0])

	log := &events{}
	cfg = config(c, log)
	cfg.Access = access(t, &kafkaclient.TLS{CA: clientCert, Cert: clientCert, Key: clientKey}, nil) // not who signed the broker
	_, err := Open(background(t), cfg, ingest.Resume{})
	require.Contains(t, fault.Line(err), "check tls.ca")
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
	cfg.Access = access(t, nil, &kafkaclient.SASL{Mechanism: "PLAIN", Username: "anond", Password: "wrong-and-secret"})
	_, err := Open(background(t), cfg, ingest.Resume{})
	require.Contains(t, fault.Hint(err), "check sasl.mechanism")
	require.NotContains(t, fault.Line(err), "wrong-and-secret")
}

func TestBrokerThatOnlyClosesTheConnectionIsHintedAt(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic), kfake.EnableSASL(), kfake.Superuser("PLAIN", "anond", "right"))
	log := &events{}
	cfg := config(c, log)
	cfg.Access = access(t, nil, &kafkaclient.SASL{Mechanism: "PLAIN", Username: "anond", Password: "wrong"})
	ctx := background(t)
	go func() { _, _ = Open(ctx, cfg, ingest.Resume{}) }() // it waits until the test ends
	eventually(t, "the hint", func() bool { return log.has("check sasl.mechanism") })
}

func TestConfigurationFaults(t *testing.T) {
	_, err := Open(background(t), Config{OnGap: "ignore", MaxBytes: -1}, ingest.Resume{})
	for _, want := range []string{"brokers:", "topic:", "on_gap:", "max_bytes:"} {
		require.ErrorContains(t, err, want)
	}
	ok := Config{Config: kafkaclient.Config{Brokers: []string{"127.0.0.1:1"}, Topic: topic}}
	for want, change := range map[string]func(*Config){
		"brokers:":         func(c *Config) { c.Brokers = []string{"nohost"} },
		"session_timeout:": func(c *Config) { c.Membership = Membership{SessionTimeout: time.Second, Heartbeat: time.Second} },
	} {
		cfg := ok
		change(&cfg)
		_, err := Open(background(t), cfg, ingest.Resume{})
		require.ErrorContains(t, err, want)
	}
}

// TestMaterialIsReplaced: the broker's certificate, who signs the clients' and the password
// change while records are read. Nothing is lost, nothing comes twice, and what was in use
// before is not used again.
func TestMaterialIsReplaced(t *testing.T) {
	type side struct {
		server, client        tls.Certificate
		ca, clientPEM, keyPEM []byte
	}
	var sides [2]side
	var configs [2]*tls.Config
	for i := range sides {
		s := &sides[i]
		s.server, s.ca, _ = certificate(t)
		s.client, s.clientPEM, s.keyPEM = certificate(t)
		pool := x509.NewCertPool()
		require.True(t, pool.AppendCertsFromPEM(s.clientPEM))
		configs[i] = &tls.Config{Certificates: []tls.Certificate{s.server}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	}
	var now atomic.Int64
	var handshakes, passwords [2]atomic.Int64
	c := broker(t, kfake.SeedTopics(1, topic), kfake.TLS(&tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		handshakes[now.Load()].Add(1)
		return configs[now.Load()], nil
	}}))
	c.ControlKey(int16(kmsg.SASLHandshake), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return k.ResponseKind(), nil, true
	})
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		for i := range passwords {
			if strings.HasSuffix(string(k.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes), fmt.Sprint("\x00p", i)) {
				passwords[i].Add(1)
			}
		}
		return k.ResponseKind(), nil, true
	})
	produce := func(i, from, to int) {
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(sides[i].ca))
		write(t, producer(t, c, kgo.DialTLSConfig(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{sides[i].client}})), 0, from, to)
	}
	material := func(i int) (*kafkaclient.TLS, *kafkaclient.SASL) {
		return &kafkaclient.TLS{CA: sides[i].ca, Cert: sides[i].clientPEM, Key: sides[i].keyPEM},
			&kafkaclient.SASL{Mechanism: "PLAIN", Username: "anond", Password: fmt.Sprint("p", i)}
	}
	produce(0, 0, 10)
	cfg := config(c, &events{})
	of, s := material(0)
	cfg.Access = access(t, of, s)
	source := open(t, cfg, ingest.Resume{})
	got := newReceived()
	got.readN(t, source, 10)
	require.Positive(t, passwords[0].Load())

	now.Store(1)
	use, err := cfg.Access.Prepare(material(1))
	require.NoError(t, err)
	use()
	produce(1, 10, 20)
	produced := handshakes[1].Load()
	got.readN(t, source, 20)
	produce(1, 20, 30)
	got.readN(t, source, 30)
	eventually(t, "the source has connected with the new material", func() bool {
		return passwords[1].Load() > 0 && handshakes[1].Load() > produced
	})
	// A log-in that was under way has ended by now. All connect anew once more.
	old, fresh := passwords[0].Load(), passwords[1].Load()
	use()
	produce(1, 30, 40)
	got.readN(t, source, 40)
	eventually(t, "the source has connected again", func() bool { return passwords[1].Load() > fresh })
	require.Equal(t, wantValues(0, [2]int{0, 40}), got.values[0])
	require.Equal(t, old, passwords[0].Load(), "nobody logs in with the old password any more")
}
