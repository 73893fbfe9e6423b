package dataset

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/fault"
)

// pairs counts certificates: each ends at another time.
var pairs atomic.Int64

// writePair writes a certificate and its key.
func writePair(t *testing.T, cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	later := time.Duration(pairs.Add(1)) * time.Minute
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour + later)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	require.NoError(t, err)
	kder, err := x509.MarshalECPrivateKey(k)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: kder}), 0o600))
}

// TestCredentialsAreReadAgain: a reload reads files and programs again although the
// configuration has not changed, and refuses what cannot be used, whole.
func TestCredentialsAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	cert, key, password := filepath.Join(dir, "cert"), filepath.Join(dir, "key"), filepath.Join(dir, "password")
	writePair(t, cert, key)
	require.NoError(t, os.WriteFile(password, []byte("first\n"), 0o600))
	c := &config.Config{}
	c.Source.Type = config.FromKafka
	c.Source.Kafka.TLS = config.TLS{Enabled: true, CA: cert, Cert: cert, Key: key}
	c.Source.Kafka.SASL = config.SASL{Mechanism: config.ScramSHA512, Username: "anond", PasswordCommand: []string{"cat", password}}
	b, err := ReachBrokers(t.Context(), c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Equal(t, "first", b.used.Password)
	again := func() ([]string, error) {
		use, err := b.Prepare(t.Context(), c)
		if err != nil {
			return nil, err
		}
		return use(), nil
	}
	keys, err := again()
	require.NoError(t, err)
	require.Empty(t, keys, "nothing has changed")

	require.NoError(t, os.WriteFile(password, []byte("second\n"), 0o600))
	keys, err = again()
	require.NoError(t, err)
	require.Equal(t, []string{"source.kafka.sasl.password_command"}, keys)
	require.Equal(t, "second", b.used.Password)

	require.NoError(t, os.WriteFile(password, []byte("third\n"), 0o600))
	require.NoError(t, os.WriteFile(cert, []byte("half a"), 0o600))
	_, err = again()
	require.ErrorContains(t, err, "source.kafka.tls.ca")
	require.Equal(t, "second", b.used.Password, "all or nothing")
	writePair(t, cert, filepath.Join(dir, "of another one"))
	_, err = again()
	require.ErrorContains(t, err, "private key does not match")
	writePair(t, cert, key)
	keys, err = again()
	require.NoError(t, err)
	all := []string{"source.kafka.tls.ca", "source.kafka.tls.cert", "source.kafka.tls.key", "source.kafka.sasl.password_command"}
	require.Equal(t, all, keys)

	for want, command := range map[string][]string{
		"password_command cat: exit status 1": {"cat", filepath.Join(dir, "none")},
		"prints nothing":                      {"true"},
		"prints more than 4096 bytes":         {"head", "-c", "5000", "/dev/zero"},
	} {
		c.Source.Kafka.SASL.PasswordCommand = command
		_, err = again()
		require.ErrorContains(t, err, want)
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Config, kind)
	}
}
