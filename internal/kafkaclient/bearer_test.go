package kafkaclient

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// jwt is a token that ends at a moment. Its signature is not one.
func jwt(ends time.Time) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part(fmt.Appendf(nil, `{"sub":"anond","exp":%d}`, ends.Unix())) + ".c2ln"
}

// warnings counts what was logged as source_token_failed.
type warnings struct{ failed atomic.Int64 }

func (*warnings) Enabled(context.Context, slog.Level) bool { return true }
func (w *warnings) WithGroup(string) slog.Handler          { return w }
func (w *warnings) WithAttrs([]slog.Attr) slog.Handler     { return w }

func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "event" && a.Value.String() == "source_token_failed" {
			w.failed.Add(1)
		}
		return true
	})
	return nil
}

// TestAnswerOfABrokerIsNotRepeated, but for the word that says why.
func TestAnswerOfABrokerIsNotRepeated(t *testing.T) {
	for answer, want := range map[string]string{`{"status":"invalid_token"}`: "invalid_token", `{"status":"eyJh.secret"}`: "", `x`: "",
		`{"status":7}`: "", `{"status":"` + strings.Repeat("a", 41) + `"}`: ""} {
		require.Equal(t, want, statusOf([]byte(answer)))
	}
}

// TestConnectionsAreReplacedBeforeTheTokenEnds: no request meets the end of a token.
func TestConnectionsAreReplacedBeforeTheTokenEnds(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "in"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	var hellos atomic.Int64
	c.ControlKey(int16(kmsg.SASLHandshake), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return k.ResponseKind(), nil, true
	})
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		hellos.Add(1)
		return k.ResponseKind(), nil, true
	})
	now := time.Now()
	tokens := FreshTokens(func(context.Context) (string, error) { return jwt(now.Add(time.Hour)), nil })
	access, err := NewAccess(nil, &SASL{Mechanism: oauthBearer, Tokens: tokens})
	require.NoError(t, err)
	cfg, err := Config{Brokers: c.ListenAddrs(), Topic: "in", Access: access, RequestTimeout: time.Hour}.WithDefaults()
	require.NoError(t, err)
	cl := New(cfg)
	defer cl.Close()
	ask := func() { _, err := cl.Partitions(t.Context()); require.NoError(t, err) }
	ask()
	first := cl.transport
	require.Equal(t, now.Add(time.Hour).Unix(), cl.ends.Unix())
	ask()
	require.Same(t, first, cl.transport, "nothing ends yet")
	cl.born = now.Add(-time.Hour) // of an hour and an hour to go, the rest is no fifth
	ask()
	require.Same(t, first, cl.transport)
	cl.ends = now.Add(time.Minute) // now it is
	before := hellos.Load()
	ask()
	require.NotSame(t, first, cl.transport)
	require.Greater(t, hellos.Load(), before)
	second := cl.transport
	cl.ends = now.Add(-time.Minute) // no better token: not at each request
	ask()
	require.Same(t, second, cl.transport)
}
