package kafkaclient

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// issuer gives tokens that last, or fails.
type issuer struct {
	lasts   time.Duration // 0: they do not say
	fails   error
	fetched atomic.Int64
}

func (i *issuer) fetch(context.Context) (string, error) {
	n := i.fetched.Add(1)
	if i.fails != nil {
		return "", i.fails
	}
	if i.lasts == 0 {
		return fmt.Sprint("opaque", n), nil
	}
	return jwt(time.Now().Add(i.lasts)), nil
}

func (i *issuer) tokens(lifetime time.Duration, log *warnings) *Tokens {
	return KeptTokens(i.fetch, lifetime, slog.New(log))
}

func take(t *testing.T, tokens *Tokens) token {
	t.Helper()
	got, err := tokens.get(t.Context())
	require.NoError(t, err)
	return got
}

func TestTokensAreKeptUntilShortlyBeforeTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{lasts: 100 * time.Second}
		tokens := i.tokens(time.Second, &warnings{})
		first := take(t, tokens)
		time.Sleep(79 * time.Second)
		require.Equal(t, first, take(t, tokens))
		require.EqualValues(t, 1, i.fetched.Load())
		time.Sleep(2 * time.Second)
		require.NotEqual(t, first, take(t, tokens))
		require.EqualValues(t, 2, i.fetched.Load())

		i.lasts = 10 * time.Hour // never more than five minutes before
		time.Sleep(time.Hour)
		take(t, tokens)
		time.Sleep(10*time.Hour - 6*time.Minute)
		take(t, tokens)
		require.EqualValues(t, 3, i.fetched.Load())
		time.Sleep(2 * time.Minute)
		take(t, tokens)
		require.EqualValues(t, 4, i.fetched.Load())
	})
}

func TestTokensThatDoNotSayWhenTheyEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		tokens := i.tokens(time.Minute, &warnings{})
		take(t, tokens)
		time.Sleep(59 * time.Second)
		take(t, tokens)
		require.EqualValues(t, 1, i.fetched.Load())
		time.Sleep(2 * time.Second)
		take(t, tokens)
		require.EqualValues(t, 2, i.fetched.Load())
	})
}

// TestTokensAreNotFetchedWithoutEnd: neither failures, nor refusals, nor tokens that have
// expired already have the program run more often than each half a minute in the end.
func TestTokensAreNotFetchedWithoutEnd(t *testing.T) {
	cases := map[string]func(*issuer, *Tokens, error){
		"failures": func(i *issuer, _ *Tokens, _ error) { i.fails = errors.New("exit status 1") },
		"refusals": func(_ *issuer, tokens *Tokens, _ error) { tokens.refused(tokens.have) },
		"expired": func(i *issuer, tokens *Tokens, _ error) {
			i.lasts = -time.Hour
			tokens.refused(tokens.have)
		},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := &issuer{}
				log := &warnings{}
				tokens := i.tokens(time.Hour, log)
				each(i, tokens, nil)
				for range 100 * 60 { // an attempt each 100 ms, for ten minutes
					_, err := tokens.get(t.Context())
					if name == "failures" {
						require.ErrorContains(t, err, "exit status 1")
					}
					each(i, tokens, err)
					time.Sleep(100 * time.Millisecond)
				}
				require.LessOrEqual(t, i.fetched.Load(), int64(30))
				require.Greater(t, i.fetched.Load(), int64(10), "and it goes on")
				if name == "failures" {
					require.EqualValues(t, i.fetched.Load(), log.failed.Load())
				}
			})
		})
	}
}

// TestTokenThatIsGoodIsUsedThoughNoOtherComes until it ends.
func TestTokenThatIsGoodIsUsedThoughNoOtherComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{lasts: 100 * time.Second}
		tokens := i.tokens(time.Second, &warnings{})
		first := take(t, tokens)
		i.fails = errors.New("no issuer")
		time.Sleep(90 * time.Second)
		require.Equal(t, first, take(t, tokens))
		require.Greater(t, i.fetched.Load(), int64(1), "another one was tried")
		time.Sleep(11 * time.Second)
		_, err := tokens.get(t.Context())
		require.ErrorContains(t, err, "no issuer")
		i.fails = nil
		time.Sleep(31 * time.Second)
		require.NotEqual(t, first, take(t, tokens))
	})
}

// TestConnectionsShareAFetch, which goes on when one of them gives up.
func TestConnectionsShareAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetched atomic.Int64
		tokens := KeptTokens(func(context.Context) (string, error) {
			fetched.Add(1)
			time.Sleep(10 * time.Second)
			return "good", nil
		}, time.Hour, slog.New(slog.DiscardHandler))
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := tokens.get(hasty)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the token is still being fetched")
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { require.Equal(t, "good", take(t, tokens).text) })
		}
		wg.Wait()
		require.EqualValues(t, 1, fetched.Load())
	})
}

func TestTokensThatAreNone(t *testing.T) {
	for text, want := range map[string]string{"": "is empty", " \n": "is empty", "===": "nothing but =", "se cret": "at byte 3",
		"secret\x01auth=x": "at byte 7",
		`"secret"`:         "at byte 1", "sécret": "at byte 2", "secret=x": "at byte 7", "a\nb": "at byte 2",
		strings.Repeat("x", MaxToken+1): "longer than 65536"} {
		_, err := FreshTokens(always(text)).get(t.Context())
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
	of := FreshTokens(always("secret"))
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", of, of, of), "secret")
}

// FuzzToken: what is accepted cannot leave its place in the message, and the end of a JSON
// Web Token is what another reader reads.
func FuzzToken(f *testing.F) {
	f.Add(jwt(time.Unix(1_800_000_000, 0)))
	f.Add("a.e30.c")
	f.Add("x=\x01\x01")
	f.Add("a." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1.5e9,"exp":"x"}`)) + ".")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := FreshTokens(always(text)).get(t.Context())
		if err != nil {
			return
		}
		require.False(t, strings.ContainsFunc(got.text, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' || r == '"' }))
		if got.expires.IsZero() {
			return
		}
		parts := strings.Split(got.text, ".")
		bare := strings.TrimRight(parts[1], "=")
		payload, err := base64.URLEncoding.DecodeString(bare + strings.Repeat("=", (4-len(bare)%4)%4))
		require.NoError(t, err)
		var claims map[string]any
		if json.Unmarshal(payload, &claims) != nil {
			return // text behind the object
		}
		for name, value := range claims {
			if n, ok := value.(float64); ok && strings.EqualFold(name, "exp") && name != "exp" && n > 0 {
				return // encoding/json takes names without regard to case
			}
		}
		exp, ok := claims["exp"].(float64)
		require.True(t, ok)
		require.InDelta(t, exp, float64(got.expires.Unix())+float64(got.expires.Nanosecond())/1e9, 1e-3+exp*1e-9)
	})
}

func always(text string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return text, nil }
}
