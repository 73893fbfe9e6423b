package kafkatest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// certificate is a certificate with its key, both as PEM.
type certificate struct {
	cert, key []byte
	pair      tls.Certificate
	parsed    *x509.Certificate
}

func newAuthority() (certificate, error) { return issue("authority", nil) }

// sign makes a certificate for 127.0.0.1 that the authority vouches for.
func (c certificate) sign(name string) (certificate, error) { return issue(name, &c) }

// pool holds the certificate as the only authority.
func (c certificate) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(c.cert)
	return pool
}

func issue(name string, by *certificate) (c certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return c, err
	}
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: by == nil,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	parent, signer := template, any(key)
	if by != nil {
		parent, signer = by.parsed, by.pair.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return c, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return c, err
	}
	c.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	c.key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	if c.parsed, err = x509.ParseCertificate(der); err != nil {
		return c, err
	}
	c.pair, err = tls.X509KeyPair(c.cert, c.key)
	return c, err
}
