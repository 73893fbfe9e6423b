// Package certificate says until when certificates are good.
//
// Guarantee: it reads certificates only. A key in the same file is passed over, and no error
// repeats what a file holds.
package certificate

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// What certificates are for, as metrics name it.
const (
	KafkaClient  = "kafka_client"   // shown to brokers
	KafkaCA      = "kafka_ca"       // of the authorities of brokers
	HTTPServer   = "http_server"    // shown to HTTP clients
	HTTPClientCA = "http_client_ca" // of the authorities of HTTP clients
)

// Soon is how long before its end a certificate should be replaced.
const Soon = 14 * 24 * time.Hour

// errNone: a text holds no certificate.
var errNone = errors.New("holds no PEM certificate")

// ChainEnds is when the first certificate of a chain ends: from then on nobody accepts it.
func ChainEnds(text []byte) (time.Time, error) {
	return ends(text, time.Time.Before)
}

// AuthoritiesEnd is when the last certificate of some authorities ends: from then on they
// verify nothing. While authorities are replaced, a file holds those of before too.
func AuthoritiesEnd(text []byte) (time.Time, error) {
	return ends(text, time.Time.After)
}

// ends chooses among the ends of all certificates that can be read; others are of no use to
// whoever verifies, too.
func ends(text []byte, better func(a, b time.Time) bool) (out time.Time, err error) {
	err = errNone
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, unread := x509.ParseCertificate(block.Bytes)
		switch {
		case unread != nil:
			err = fmt.Errorf("holds a certificate that cannot be read: %w", unread)
		case out.IsZero() || better(c.NotAfter, out):
			out = c.NotAfter
		}
	}
	if !out.IsZero() {
		return out, nil
	}
	return out, err
}
