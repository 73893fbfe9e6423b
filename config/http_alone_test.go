package config_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestHTTPAlone: the block `http` of a file that has nothing else, or an address alone, under
// the rules of a configuration: on this machine unless told otherwise, with a warning if others reach
// it and nobody is asked who they are.
func TestHTTPAlone(t *testing.T) {
	files := map[string]string{"token": "word\n",
		"h.yaml":    "http: {listen: \"0.0.0.0:1\", auth: {token: \"${file:token}\"}}\n",
		"more.yaml": "http: {listen: off}\npolicy: {k: 3}\n", "half.yaml": "http: {tls: {cert: a.pem}}\n",
		"plain.yaml": "http: {auth: {token: x}}\n"}
	read := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	lookup := func(string) (string, bool) { return "", false }
	for _, x := range []struct {
		path, listen  string
		address       string
		asked         bool
		fault, warned string
	}{
		{"", "", "127.0.0.1:9", false, "", ""},
		{"", "127.0.0.1:4", "127.0.0.1:4", true, "", ""},
		{"", "off", "off", true, "", ""},
		{"", ":4", ":4", true, "", "command line: --listen: can be reached from other machines without authentication"},
		{"", "nowhere", "", false, "--listen: \"nowhere\"", ""},
		{"h.yaml", "", "0.0.0.0:1", true, "", "passwords are sent unencrypted"},
		{"h.yaml", "127.0.0.1:4", "127.0.0.1:4", true, "", ""},
		{"plain.yaml", "", "127.0.0.1:9", true, "", ""},
		{"more.yaml", "", "", false, "policy", ""},
		{"half.yaml", "", "", false, "http.tls: has only one of cert and key", ""},
		{"none.yaml", "", "", false, "none.yaml: cannot be read: there is no such file", ""},
	} {
		h, warnings, err := config.LoadHTTP(x.path, x.listen, "127.0.0.1:9", lookup, read)
		if x.fault != "" {
			require.ErrorContains(t, err, x.fault)
			continue
		}
		require.NoError(t, err, "%+v", x)
		assert.Equal(t, x.address, h.Listen)
		assert.Equal(t, x.asked, h.Asked, "%+v", x)
		assert.Equal(t, x.warned != "", len(warnings) == 1, "%+v: %v", x, warnings)
		if x.warned != "" {
			assert.Contains(t, warnings[0].String(), x.warned)
		}
		if x.path == "h.yaml" {
			assert.Equal(t, "word", h.Auth.Token.Reveal())
		}
	}
}
