package kafkaclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"
)

// oauthBearer is the name of the mechanism of RFC 7628.
const oauthBearer = "OAUTHBEARER"

// separator stands between the parts of a message of that mechanism.
const separator = "\x01"

// bearer logs in with a token (RFC 7628; KIP-255 and KIP-342 for Kafka's extensions). A
// connection uses the token with which it began: kafka-go cannot log in again on it
// (KIP-368). So the connections are replaced before the token ends (client.heedToken),
// and a broker that closes one is a broker that is away for a moment.
type bearer struct {
	tokens     *Tokens
	extensions string
	access     *Access
}

var (
	extensionName  = regexp.MustCompile(`^[A-Za-z]+$`)
	extensionValue = regexp.MustCompile(`^[\x21-\x7E \t\r\n]+$`)
)

func newBearer(s *SASL, a *Access) (*bearer, error) {
	if s.Tokens == nil {
		return nil, errors.New("sasl.mechanism: OAUTHBEARER needs tokens")
	}
	b := &bearer{tokens: s.Tokens, access: a}
	for _, e := range s.Extensions {
		if !extensionName.MatchString(e[0]) || strings.EqualFold(e[0], "auth") || !extensionValue.MatchString(e[1]) {
			return nil, fmt.Errorf("sasl.extensions: %q is no name and value of an extension", e[0])
		}
		b.extensions += separator + e[0] + "=" + e[1]
	}
	return b, nil
}

// Name implements sasl.Mechanism.
func (b *bearer) Name() string { return oauthBearer }

// Start implements sasl.Mechanism.
func (b *bearer) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	return b.start(ctx, func(time.Time) {})
}

// start is Start, which also tells how long the token is good.
func (b *bearer) start(ctx context.Context, ends func(time.Time)) (sasl.StateMachine, []byte, error) {
	broker := "?"
	if m := sasl.MetadataFromContext(ctx); m != nil {
		broker = net.JoinHostPort(m.Host, strconv.Itoa(m.Port))
	}
	t, err := b.tokens.get(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%s at %s: %w", oauthBearer, broker, err)
	}
	hello := "n,," + separator + "auth=Bearer " + t.text + b.extensions + separator + separator
	return &bearing{bearer: b, token: t, broker: broker, ends: ends}, []byte(hello), nil
}

// bearing is one log-in.
type bearing struct {
	*bearer
	token  token
	broker string
	ends   func(time.Time)
}

// Next implements sasl.StateMachine. A broker answers nothing to a good token. To another
// one it answers why, and says so as an error once that was acknowledged.
func (b *bearing) Next(_ context.Context, answer []byte) (done bool, response []byte, err error) {
	if len(answer) == 0 {
		b.tokens.accepted()
		b.access.refused.Store(nil)
		b.ends(b.token.expires)
		return true, nil, nil
	}
	b.tokens.refused(b.token)
	b.access.refused.Store(&refusal{broker: b.broker, status: statusOf(answer), expires: b.token.expires})
	return false, []byte(separator), nil
}

// refusal is why a broker refused a token.
type refusal struct {
	broker, status string
	expires        time.Time
}

// statusOf takes the word from an answer: "invalid_token" of {"status":"invalid_token"}.
// Anything else that a broker may send is not repeated: it might hold the token.
func statusOf(answer []byte) string {
	var said struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(answer, &said) != nil || !word.MatchString(said.Status) {
		return ""
	}
	return said.Status
}

var word = regexp.MustCompile(`^[a-z_]{1,40}$`)

// String says what is known of it, at a moment.
func (r *refusal) String(now time.Time) string {
	out := "broker " + r.broker + " refuses the token of " + oauthBearer
	if r.status != "" {
		out += " (" + r.status + ")"
	}
	switch {
	case r.expires.IsZero():
	case r.expires.After(now):
		out += ", which is good until " + r.expires.UTC().Format(time.RFC3339)
	default:
		out += ", which expired at " + r.expires.UTC().Format(time.RFC3339)
	}
	return out
}
