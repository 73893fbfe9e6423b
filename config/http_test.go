package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
