package kafkaclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"
)

// MaxToken is the size of the longest token, in bytes.
const MaxToken = 64 << 10

// Tokens hands out bearer tokens, one for each connection. It never prints one.
type Tokens struct {
	fetch    func(context.Context) (string, error)
	kept     bool
	lifetime time.Duration
	log      *slog.Logger
	now      func() time.Time

	mu       sync.Mutex
	have     token
	until    time.Time     // when another one is fetched
	fetching chan struct{} // closed when the fetch under way has ended; nil: there is none
	failed   error         // of the newest fetch
	failures int           // fetches and refusals since a broker has accepted a token
	again    time.Time     // no fetch before this
}

// token is one of them. It has no String: nothing prints it.
type token struct {
	text    string
	expires time.Time // zero: it does not say
}

// KeptTokens fetches a token once for many connections: until shortly before it expires
// if it is a JSON Web Token that says when, and for lifetime if not. Fetches and repeated
// attempts after a failure are at least a second apart, up to half a minute.
func KeptTokens(fetch func(context.Context) (string, error), lifetime time.Duration, log *slog.Logger) *Tokens {
	return &Tokens{fetch: fetch, kept: true, lifetime: lifetime, log: log, now: time.Now}
}

// FreshTokens fetches a token for each connection, which must be cheap.
func FreshTokens(fetch func(context.Context) (string, error)) *Tokens {
	return &Tokens{fetch: fetch, now: time.Now}
}

// String has no token.
func (t *Tokens) String() string { return "tokens" }

// GoString is String.
func (t *Tokens) GoString() string { return t.String() }

// Ends is when the token for a new connection ends; zero: it does not tell.
func (t *Tokens) Ends(ctx context.Context) (time.Time, error) {
	got, err := t.get(ctx)
	return got.expires, err
}

// get returns the token for a new connection.
func (t *Tokens) get(ctx context.Context) (token, error) {
	if !t.kept {
		return t.read(ctx)
	}
	for {
		t.mu.Lock()
		now := t.now()
		switch {
		case t.have.text != "" && now.Before(t.until):
			defer t.mu.Unlock()
			return t.have, nil
		case now.Before(t.again):
			defer t.mu.Unlock()
			if t.have.text != "" && now.Before(t.have.expires) {
				return t.have, nil // its end is near, but it is good
			}
			return token{}, t.failed
		case t.fetching == nil:
			t.fetching = make(chan struct{})
			go t.renew(t.fetching)
		}
		done := t.fetching
		t.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return token{}, fmt.Errorf("the token is still being fetched: %w", ctx.Err())
		}
	}
}

// renew fetches a token. It goes on if the connection that waits for it gives up: the
// next one needs it as well. fetch bounds its time.
func (t *Tokens) renew(done chan struct{}) {
	defer close(done)
	got, err := t.read(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fetching, t.failed = nil, err
	now := t.now()
	if err != nil {
		t.failures++
		t.again = now.Add(pause(t.failures))
		t.log.Warn("no token could be fetched", slog.String("event", "source_token_failed"), slog.String("error", err.Error()),
			slog.Bool("usable", t.have.text != "" && now.Before(t.have.expires)))
		return
	}
	t.have, t.until = got, now.Add(t.lifetime)
	if !got.expires.IsZero() {
		t.until = got.renewal(now)
	}
	if soonest := now.Add(pause(t.failures + 1)); t.until.Before(soonest) {
		t.until = soonest // a program that prints tokens which have expired is not run without end
	}
}

// pause is the time between fetches after so many failures in a row.
func pause(failures int) time.Duration {
	return min(time.Second<<min(max(failures, 1)-1, 5), 30*time.Second)
}

// accepted notes that a broker has accepted a token.
func (t *Tokens) accepted() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures = 0
}

// refused notes that a broker has refused a token: another one is fetched soon.
func (t *Tokens) refused(used token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.have.text != used.text {
		return
	}
	t.failures++
	if soon := t.now().Add(pause(t.failures)); soon.Before(t.until) {
		t.until = soon
	}
}

// read fetches a token and checks it.
func (t *Tokens) read(ctx context.Context) (token, error) {
	text, err := t.fetch(ctx)
	if err != nil {
		return token{}, err
	}
	text = strings.TrimSpace(text)
	if err := checkToken(text); err != nil {
		return token{}, err
	}
	return token{text, expiryOf(text)}, nil
}

// renewal is when a token that ends is replaced: when a fifth of its time is left, or
// five minutes.
func (t token) renewal(now time.Time) time.Time {
	return t.expires.Add(-min(t.expires.Sub(now)/5, 5*time.Minute))
}

// checkToken accepts what RFC 6750 calls b64token. Other characters could end the message
// and begin another one.
func checkToken(text string) error {
	switch {
	case text == "":
		return errors.New("the token is empty")
	case len(text) > MaxToken:
		return fmt.Errorf("the token is longer than %d bytes", MaxToken)
	}
	body := strings.TrimRight(text, "=")
	for i := range len(body) {
		c := body[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("-._~+/", rune(c)) {
			return fmt.Errorf("the token has a character at byte %d that no bearer token has: letters, digits and -._~+/ may stand in it, "+
				"nothing else, and no quotes", i+1)
		}
	}
	if body == "" {
		return errors.New("the token has nothing but =")
	}
	return nil
}

// expiryOf reads when a JSON Web Token ends; zero for other tokens. Nothing is verified:
// that is the broker's part.
func expiryOf(text string) time.Time {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Exp *float64 `json:"exp"`
	}
	const latest = 1 << 40 // seconds; the year 36812
	if json.NewDecoder(bytes.NewReader(payload)).Decode(&claims) != nil || claims.Exp == nil || *claims.Exp < 1 || *claims.Exp > latest {
		return time.Time{}
	}
	whole, part := math.Modf(*claims.Exp)
	return time.Unix(int64(whole), int64(part*1e9))
}
