package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
)

// quick is a clock whose tickers tick often.
type quick struct{}

func (quick) Now() time.Time { return time.Now() }

func (quick) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(min(d, 20*time.Millisecond))
	return t.C, t.Stop
}

// TestServedCredentialsAreRenewed: a daemon shows a new certificate, and asks for a new token,
// once their files have changed. While a file is empty, the token before is asked for.
func TestServedCredentialsAreRenewed(t *testing.T) {
	tier.NotShort(t, "it runs a daemon")
	s := newSite(t, "{type: file, file: {path: in.ndjson, follow: true}}", "on: interval, every: 1h", "")
	s.write("in.ndjson", "")
	s.write("token", "first\n")
	issueCertificate(t, s.path("cert.pem"), s.path("key.pem"), time.Now().Add(time.Hour))
	s.write("anond.yaml", s.read("anond.yaml")+"http: {listen: \"127.0.0.1:0\", tls: {cert: cert.pem, key: key.pem}, "+
		"auth: {token: \"${file:token}\"}}\n")
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	var log programtest.Text
	shown, err := openSurfaces(t.Context(), &cli.Env{Lookup: os.LookupEnv}, cfg, slog.New(slog.NewJSONHandler(&log, nil)), false)
	require.NoError(t, err)
	defer shown.End()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, cfg, dataset.Options{Log: shown.Log, Clock: quick{}, Monitor: shown.monitor, Prepare: shown.prepare,
			Lookup: os.LookupEnv})
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	asksOf := func(certificate, token string) (code int) {
		pool := x509.NewCertPool()
		require.True(t, pool.AppendCertsFromPEM([]byte(certificate)))
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool}}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+shown.Server.Address()+"/metrics", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		a, err := c.Do(r)
		if err != nil {
			return 0 // the certificate is another one
		}
		require.NoError(t, a.Body.Close())
		return a.StatusCode
	}
	asks := func(token string) int { return asksOf(s.read("cert.pem"), token) }
	require.Equal(t, 200, asks("first"))
	before, old := shown.monitor.Now().Certificates["http_server"], s.read("cert.pem")

	issueCertificate(t, s.path("cert.pem"), s.path("key.pem"), time.Now().Add(24*time.Hour))
	eventually(t, func() bool {
		select {
		case err := <-ended:
			require.NoError(t, err, "the daemon has ended")
		default:
		}
		return asks("first") == 200
	}, "the new certificate is shown")
	require.Zero(t, asksOf(old, "first"))
	eventually(t, func() bool {
		return strings.Contains(log.String(), `"keys":["http.tls.cert","http.tls.key"]`) &&
			shown.monitor.Now().Certificates["http_server"].After(before)
	}, "it is told: %s", &log)
	eventually(t, func() bool { return strings.Contains(s.must("status"), "the certificate http_server ends on ") }, "the status says so")

	s.write("token", "")
	eventually(t, func() bool { return strings.Contains(log.String(), "http.auth.token: is empty") }, "it is told: %s", &log)
	require.Equal(t, 200, asks("first"))
	require.Equal(t, 401, asks(""))
	s.write("token", "second\n")
	eventually(t, func() bool { return asks("second") == 200 }, "the new token is asked for: %s", &log)
	require.Equal(t, 401, asks("first"))
	stop()
	require.NoError(t, <-ended)
}
