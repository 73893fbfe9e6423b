package kafkaclient

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPasswordsAreNotPrinted(t *testing.T) {
	s := SASL{Mechanism: "PLAIN", Username: "u-secret", Password: "p-secret"}
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s", s, &s, s, s.LogValue()), "secret")
	a, err := NewAccess(nil, &s)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %+v", a, a, a, Config{Access: a}), "secret")
}

func TestMaterialThatCannotBeUsed(t *testing.T) {
	kept, err := NewAccess(nil, nil)
	require.NoError(t, err)
	tokens := FreshTokens(nil)
	for want, bad := range map[string]struct {
		tls  *TLS
		sasl *SASL
	}{
		"tls.ca:":                 {tls: &TLS{CA: []byte("x")}},
		"tls.ca: holds no":        {tls: &TLS{CA: []byte{}}},
		"tls.cert and tls.key":    {tls: &TLS{Cert: []byte("x"), Key: []byte("y")}},
		"sasl.mechanism:":         {sasl: &SASL{Mechanism: "GSSAPI"}},
		"SCRAM forbids":           {sasl: &SASL{Mechanism: "SCRAM-SHA-512", Username: "anond", Password: "secret\x00"}},
		"needs tokens":            {sasl: &SASL{Mechanism: oauthBearer}},
		`sasl.extensions: "auth"`: {sasl: &SASL{Mechanism: oauthBearer, Tokens: tokens, Extensions: [][2]string{{"auth", "x"}}}},
		`sasl.extensions: "a1"`:   {sasl: &SASL{Mechanism: oauthBearer, Tokens: tokens, Extensions: [][2]string{{"a1", "x"}}}},
		`sasl.extensions: "a"`:    {sasl: &SASL{Mechanism: oauthBearer, Tokens: tokens, Extensions: [][2]string{{"a", "secret\x01"}}}},
	} {
		_, err := NewAccess(bad.tls, bad.sasl)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
		before := kept.now.Load()
		_, err = kept.Prepare(bad.tls, bad.sasl)
		require.ErrorContains(t, err, want)
		require.Same(t, before, kept.now.Load(), "what is refused changes nothing")
	}
}
