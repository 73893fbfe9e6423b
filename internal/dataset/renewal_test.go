package dataset

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/brokeraccess"
	"anond/internal/ops/certificate"
	"anond/internal/ops/monitor"
	"anond/internal/testkit/eventtest"
	"anond/snapshot"
)

// renewed is a renewal of a client's certificate, with what it logs.
type renewed struct {
	*renewal
	t         *testing.T
	cert, key string
	log       bytes.Buffer
	served    func() ([]string, error) // what HTTP says
}

func newRenewed(t *testing.T) *renewed {
	dir := t.TempDir()
	r := &renewed{t: t, cert: filepath.Join(dir, "cert"), key: filepath.Join(dir, "key"),
		served: func() ([]string, error) { return nil, nil }}
	writePair(t, r.cert, r.key)
	c := &config.Config{}
	c.Source.Type = config.FromKafka
	c.Source.Kafka.SASL.Mechanism = config.NoSASL
	c.Source.Kafka.TLS = config.TLS{Enabled: true, CA: r.cert, Cert: r.cert, Key: r.key}
	log := slog.New(slog.NewJSONHandler(&r.log, nil))
	b, err := ReachBrokers(t.Context(), c, log)
	require.NoError(t, err)
	m := monitor.New(monitor.Settings{FS: snapshot.OS(), Releases: dir})
	r.renewal = NewRenewal(c, Options{Log: log, Monitor: m, Brokers: b, Prepare: func(*config.Config) (func() []string, error) {
		keys, err := r.served()
		return func() []string { return keys }, err
	}})
	return r
}

// settles looks until nothing is new, and returns how often an event was logged since.
func (r *renewed) settles(name string) int {
	r.t.Helper()
	r.log.Reset()
	for looks := 0; r.look(); looks++ {
		require.Less(r.t, looks, 3)
	}
	require.False(r.t, r.look())
	for _, line := range strings.Split(strings.TrimSpace(r.log.String()), "\n") {
		if line != "" {
			require.NoError(r.t, eventtest.Check([]byte(line)))
		}
	}
	return strings.Count(r.log.String(), `"event":"`+name+`"`)
}

func (r *renewed) ends(use string) time.Time { return r.o.Monitor.Now().Certificates[use] }

// TestCertificatesAreRenewed: by files alone, whole, with one event; what cannot be used
// changes nothing, and is logged once.
func TestCertificatesAreRenewed(t *testing.T) {
	r := newRenewed(t)
	first := r.ends(certificate.KafkaClient)
	require.False(t, first.IsZero())
	require.Equal(t, first, r.ends(certificate.KafkaCA))
	require.Zero(t, r.settles("credentials_kept"))
	require.Empty(t, r.log.String(), "nothing has changed")

	used := r.o.Brokers.used
	require.NoError(t, os.WriteFile(r.cert, []byte("half a"), 0o600))
	require.Equal(t, 1, r.settles("credentials_kept"))
	require.Contains(t, r.log.String(), "source.kafka.tls")
	require.Zero(t, r.settles("credentials_kept"), "the same files are no news")

	writePair(t, r.cert, r.key+" of another")
	require.Equal(t, 1, r.settles("credentials_kept"))
	require.Contains(t, r.log.String(), "private key does not match")
	require.Same(t, used, r.o.Brokers.used)
	require.Equal(t, first, r.ends(certificate.KafkaClient))

	require.NoError(t, os.Rename(r.key+" of another", r.key))
	require.Equal(t, 1, r.settles("credentials_renewed"))
	require.Contains(t, r.log.String(), `"keys":["source.kafka.tls.ca","source.kafka.tls.cert","source.kafka.tls.key"]`)
	require.NotSame(t, used, r.o.Brokers.used)
	require.True(t, r.ends(certificate.KafkaClient).After(first))
}

// TestFilesThatAreBeingWritten: what the next look finds changed again is not taken in.
func TestFilesThatAreBeingWritten(t *testing.T) {
	r := newRenewed(t)
	r.settles("")
	used := r.o.Brokers.used
	for range 3 {
		writePair(t, r.cert, r.key)
		require.True(t, r.look())
		require.Same(t, used, r.o.Brokers.used)
	}
	require.False(t, r.look())
	require.NotSame(t, used, r.o.Brokers.used)
}

// TestEmptyFilesDowngradeNothing: without its authority anond would trust all public ones, and
// without its certificate it would be nobody.
func TestEmptyFilesDowngradeNothing(t *testing.T) {
	r := newRenewed(t)
	r.settles("")
	used := r.o.Brokers.used
	require.NoError(t, os.WriteFile(r.cert, nil, 0o600))
	require.NoError(t, os.WriteFile(r.key, nil, 0o600))
	require.Equal(t, 1, r.settles("credentials_kept"))
	require.Contains(t, r.log.String(), "is empty")
	require.Same(t, used, r.o.Brokers.used)
}

// TestOneFaultKeepsNothingElse: Kafka is renewed although HTTP is not, and a large file is
// not read.
func TestOneFaultKeepsNothingElse(t *testing.T) {
	r := newRenewed(t)
	r.settles("")
	r.served = func() ([]string, error) { return nil, errors.New("http.tls: no") }
	writePair(t, r.cert, r.key)
	require.Equal(t, 1, r.settles("credentials_kept"))
	require.Contains(t, r.log.String(), `"event":"credentials_renewed"`)
	r.served = func() ([]string, error) { return []string{"http.auth.token"}, nil }
	writePair(t, r.cert, r.key)
	require.Equal(t, 1, r.settles("credentials_renewed"))
	require.Contains(t, r.log.String(), `"source.kafka.tls.key","http.auth.token"]`)
	large := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(large, make([]byte, brokeraccess.MostOfAFile+1), 0o600))
	_, err := config.Regular(brokeraccess.MostOfAFile)(large)
	require.ErrorContains(t, err, "larger than 4 MiB")
}
