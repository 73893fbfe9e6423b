package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func issued(t *testing.T, until time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestEnds(t *testing.T) {
	first, last := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC)
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("secret")})
	text := append(append(append(issued(t, last), key...), issued(t, first)...), issued(t, last)...)
	at, err := ChainEnds(text)
	require.NoError(t, err)
	require.Equal(t, first, at)
	at, err = AuthoritiesEnd(text)
	require.NoError(t, err)
	require.Equal(t, last, at)

	for _, none := range [][]byte{nil, key, []byte("secret"), text[:40]} {
		_, err = ChainEnds(none)
		require.ErrorIs(t, err, errNone)
	}
	_, err = AuthoritiesEnd(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("secret")}))
	require.ErrorContains(t, err, "cannot be read")
	require.NotContains(t, err.Error(), "secret")
}
