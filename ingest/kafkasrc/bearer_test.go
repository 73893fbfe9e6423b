package kafkasrc

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/ingest"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
)

// jwt is a token that ends at a moment. Its signature is not one.
func jwt(ends time.Time) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part(fmt.Appendf(nil, `{"sub":"anond","exp":%d}`, ends.Unix())) + ".c2ln"
}

// demandTokens has a broker log clients in as RFC 7628 says. judge is asked about each first
// message, and answers "" or why it is refused. It counts the messages of each kind.
func demandTokens(c *kfake.Cluster, judge func(hello string) string) (hellos, acknowledged *atomic.Int64) {
	hellos, acknowledged = new(atomic.Int64), new(atomic.Int64)
	c.ControlKey(int16(kmsg.SASLHandshake), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		res := k.ResponseKind().(*kmsg.SASLHandshakeResponse)
		if k.(*kmsg.SASLHandshakeRequest).Mechanism != "OAUTHBEARER" {
			res.ErrorCode = kerr.UnsupportedSaslMechanism.Code
		}
		return res, nil, true
	})
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(k kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		res := k.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		said := string(k.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes)
		if said == "\x01" {
			acknowledged.Add(1)
			res.ErrorCode = kerr.SaslAuthenticationFailed.Code
			return res, nil, true
		}
		hellos.Add(1)
		if why := judge(said); why != "" {
			res.SASLAuthBytes = []byte(why)
		}
		return res, nil, true
	})
	return hellos, acknowledged
}

func good(string) string { return "" }

func bearerAccess(t *testing.T, tokens *kafkaclient.Tokens, extensions ...[2]string) *kafkaclient.Access {
	t.Helper()
	return access(t, nil, &kafkaclient.SASL{Mechanism: "OAUTHBEARER", Tokens: tokens, Extensions: extensions})
}

func always(text string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return text, nil }
}

func TestBearer(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	var said sync.Map
	hellos, _ := demandTokens(c, func(hello string) string { said.Store(hello, true); return "" })
	cfg := config(c, &events{})
	fetched := new(atomic.Int64)
	fetch := func(context.Context) (string, error) { fetched.Add(1); return "abc.DEF-1_2~3+4/5==\n", nil }
	cfg.Access = bearerAccess(t, kafkaclient.FreshTokens(fetch), [2]string{"logicalCluster", "lkc-1"}, [2]string{"pool", "a b"})
	got := newReceived()
	s := open(t, cfg, ingest.Resume{Once: true})
	got.readEnd(t, s)
	require.Equal(t, wantValues(0, [2]int{0, 10}), got.values[0])
	require.NoError(t, s.Close())
	said.Range(func(hello, _ any) bool {
		require.Equal(t, "n,,\x01auth=Bearer abc.DEF-1_2~3+4/5==\x01logicalCluster=lkc-1\x01pool=a b\x01\x01", hello)
		return true
	})
	require.Positive(t, hellos.Load())
	eventually(t, "each connection reads the token", func() bool { return hellos.Load() == fetched.Load() })

	kepts := new(atomic.Int64)
	before := hellos.Load()
	keeping := func(ctx context.Context) (string, error) { kepts.Add(1); return fetch(ctx) }
	kept := kafkaclient.KeptTokens(keeping, time.Hour, slog.New(slog.DiscardHandler))
	cfg.Access = bearerAccess(t, kept, [2]string{"logicalCluster", "lkc-1"}, [2]string{"pool", "a b"})
	newReceived().readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Greater(t, hellos.Load(), before)
	require.EqualValues(t, 1, kepts.Load(), "one token for all connections")
}

// TestRefusedToken: broker, mechanism and end of the token are named, the token is not, and
// the answer of the broker is acknowledged as RFC 7628 demands.
func TestRefusedToken(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	secret := jwt(time.Now().Add(-time.Hour))
	_, acknowledged := demandTokens(c, func(hello string) string { return `{"status":"invalid_token","scope":"` + secret + `"}` })
	log := &events{}
	cfg := config(c, log)
	cfg.Access = bearerAccess(t, kafkaclient.FreshTokens(always(secret)))
	_, err := Open(background(t), cfg, ingest.Resume{})
	require.Contains(t, fault.Line(err), "broker "+c.ListenAddrs()[0]+" refuses the token of OAUTHBEARER (invalid_token), which expired at ")
	require.Contains(t, fault.Hint(err), "sasl.token_file")
	require.Positive(t, acknowledged.Load())
	require.Contains(t, log.text("source_disconnected"), "refuses the token")
	for _, text := range []string{err.Error(), log.text("source_disconnected")} {
		require.NotContains(t, text, secret)
	}
	probed := Probe(background(t), cfg)
	require.Equal(t, "connection", probed[len(probed)-1].What)
	require.Contains(t, fault.Hint(probed[len(probed)-1].Err), "refuses the token")
}

func TestTokenThatCannotBeFetched(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	write(t, producer(t, c), 0, 0, 10)
	demandTokens(c, good)
	log := &events{}
	cfg := config(c, log)
	var broken atomic.Bool
	broken.Store(true)
	cfg.Access = bearerAccess(t, kafkaclient.FreshTokens(func(context.Context) (string, error) {
		if broken.Load() {
			return "", errors.New("the program ended with exit status 3")
		}
		return "good", nil
	}))
	go func() {
		eventually(t, "the failure", func() bool { return log.count("source_disconnected") > 0 })
		broken.Store(false)
	}()
	got := newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true})) // it waits, as for a broker that is away
	require.Equal(t, 10, got.count())
	require.True(t, log.has("OAUTHBEARER at "+c.ListenAddrs()[0]+": the program ended with exit status 3"))
}

// closing closes its connections after so many writes, as a broker does that wants clients
// to log in again (connections.max.reauth.ms).
type closing struct {
	net.Conn
	left atomic.Int64
}

func (c *closing) Write(p []byte) (int, error) {
	if c.left.Add(-1) < 0 {
		_ = c.Conn.Close()
		return 0, io.EOF
	}
	return c.Conn.Write(p)
}

// TestClosedForLogIn: a broker that closes connections for the log-in costs no record, and
// none comes twice. Each connection logs in with the token of its time.
func TestClosedForLogIn(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic))
	cl := producer(t, c)
	hellos, _ := demandTokens(c, good)
	cfg := config(c, &events{})
	cfg.MaxBytes = 2000 // many fetches
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		out := &closing{Conn: conn}
		out.left.Store(12)
		return out, nil
	}
	fetched := new(atomic.Int64)
	counted := func(context.Context) (string, error) { return fmt.Sprint("t", fetched.Add(1)), nil }
	cfg.Access = bearerAccess(t, kafkaclient.FreshTokens(counted))
	s := open(t, cfg, ingest.Resume{})
	got := newReceived()
	for i := range 20 {
		write(t, cl, 0, 50*i, 50*(i+1))
		write(t, cl, 1, 50*i, 50*(i+1))
		for got.count() < 100*(i+1) {
			chunk, err := s.Next(background(t))
			require.NoError(t, err)
			got.take(t, chunk)
		}
	}
	require.Equal(t, wantValues(0, [2]int{0, 1000}), got.values[0])
	require.Equal(t, wantValues(1, [2]int{0, 1000}), got.values[1])
	require.Greater(t, hellos.Load(), int64(4), "connections were closed, and logged in again")
	require.LessOrEqual(t, hellos.Load(), fetched.Load())
}
