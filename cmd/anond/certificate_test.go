package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/internal/ops/doctor"
)

// issueCertificate writes a certificate for 127.0.0.1 and its key.
func issueCertificate(t *testing.T, cert, key string, until time.Time) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// TestDoctorOnCertificates: their ends are told in time, and what cannot be used.
func TestDoctorOnCertificates(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	cert, key := s.path("cert.pem"), s.path("key.pem")
	s.write("anond.yaml", s.read("anond.yaml")+"http: {listen: \"127.0.0.1:0\", tls: {cert: cert.pem, key: key.pem, client_ca: cert.pem}}\n")
	for _, c := range []struct {
		left  time.Duration
		grade doctor.Grade
	}{{15 * 24 * time.Hour, doctor.OK}, {13 * 24 * time.Hour, doctor.Warning}, {-time.Hour, doctor.Failed}} {
		until := time.Now().Add(c.left)
		issueCertificate(t, cert, key, until)
		found, code := s.doctored("")
		require.Equal(t, c.grade == doctor.Failed, code == exitFailed)
		for _, check := range []string{"http.tls.cert", "http.tls.client_ca"} {
			require.Equal(t, c.grade, found[check].Grade, check)
			require.Contains(t, found[check].Detail, until.UTC().Format(time.RFC3339))
		}
	}
	issueCertificate(t, cert, s.path("other.pem"), time.Now().Add(24*time.Hour))
	found, code := s.doctored("")
	require.Equal(t, exitFailed, code)
	require.Contains(t, found["http.tls"].Detail, "private key does not match")
	require.NoError(t, os.Remove(cert))
	found, _ = s.doctored("")
	require.Equal(t, doctor.Failed, found["http.tls.client_ca"].Grade)
}

// TestDoctorOnTokens: the end of the token is told if the token tells it.
func TestDoctorOnTokens(t *testing.T) {
	s := newSite(t, `{type: kafka, kafka: {brokers: ["127.0.0.1:1"], topic: t, sasl: {mechanism: oauthbearer, token_file: token}}}`,
		"on: interval, every: 1h", "")
	jwt := func(left time.Duration) string {
		part := base64.RawURLEncoding.EncodeToString
		return part([]byte(`{"alg":"none"}`)) + "." + part(fmt.Appendf(nil, `{"exp":%d}`, time.Now().Add(left).Unix())) + ".CANARY"
	}
	const check = "source.kafka.sasl.token_file"
	for _, c := range []struct {
		text func() string // made when it is looked at
		want doctor.Finding
	}{
		{func() string { return jwt(time.Hour) }, doctor.Finding{Grade: doctor.OK, Detail: "the token is good until "}},
		{func() string { return jwt(50 * time.Second) }, doctor.Finding{Grade: doctor.Warning, Detail: "the token ends on "}},
		{func() string { return jwt(-time.Hour) }, doctor.Finding{Grade: doctor.Failed, Detail: "the token has ended on "}},
		{func() string { return "CANARY" }, doctor.Finding{Grade: doctor.Note, Detail: "when it ends is not told"}},
		{func() string { return "CANARY\"" }, doctor.Finding{Grade: doctor.Failed, Detail: "there is no token: the token has a character"}},
	} {
		want := c.want
		s.write("token", c.text())
		found, _ := s.doctored("")
		require.Equal(t, want.Grade, found[check].Grade, want.Detail)
		require.Contains(t, found[check].Detail, want.Detail)
		require.NotContains(t, fmt.Sprint(found), "CANARY")
	}
}
