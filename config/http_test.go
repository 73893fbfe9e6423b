package config_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestHTTP: what the block may say, and what it warns about.
func TestHTTP(t *testing.T) {
	for _, c := range []struct{ block, fault, warning string }{
		{block: "{}"},
		{block: "{listen: off}"},
		{block: `{listen: "localhost:0"}`},
		{block: `{listen: "[::1]:9464", auth: {token: secretword}}`},
		{block: "{listen: 0.0.0.0:9464}", warning: "warning: http.listen: can be reached from other machines without authentication"},
		{block: `{listen: ":9464", auth: {username: u, password: secretword}}`,
			warning: "warning: http.listen: can be reached from other machines, a"},
		{block: "{listen: 0.0.0.0:9464, auth: {token: secretword}, tls: {cert: c, key: k}}"},
		{block: "{listen: 9464}", fault: "http.listen: is an integer"},
		{block: "{listen: localhost}", fault: "is not an address to listen on"},
		{block: `{listen: "h:99999"}`, fault: "is not an address to listen on"},
		{block: "{tls: {cert: c.pem}}", fault: "http.tls: has only one of cert and key"},
		{block: "{tls: {client_ca: c.pem}}", fault: "http.tls.client_ca: needs cert and key"},
		{block: "{auth: {username: u}}", fault: "http.auth: has only one of username and password"},
		{block: "{auth: {password: secretword}}", fault: "http.auth: has only one of username and password"},
	} {
		t.Run(c.block, func(t *testing.T) {
			loaded, said := loadChanged(t, "log: {level: info}", "log: {level: info}\nhttp: "+c.block)
			all := strings.Join(said, "\n")
			require.NotContains(t, all, "secretword")
			require.Contains(t, all, c.fault)
			require.Contains(t, all, c.warning)
			require.Equal(t, c.fault+c.warning != "", len(said) > 0, all)
			if c.fault == "" {
				require.True(t, loaded.HTTP.Asked)
			}
		})
	}
	loaded, _ := loadChanged(t, "log: {level: info}", "log: {level: info}")
	require.Equal(t, "127.0.0.1:9464", loaded.HTTP.Listen)
	require.False(t, loaded.HTTP.Asked)
}

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
