package kafkaclient

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/sasl"
)

// Client is a client of one topic: a kafka.Transport that can be rebuilt while it is in use. A rebuilt
// transport has fresh connections and fresh metadata; kafka-go offers no way to
// ask for either.
type Client struct {
	cfg  Config
	addr net.Addr

	mu        sync.Mutex
	transport *kafka.Transport
	life      context.Context // of the transport
	end       context.CancelFunc
	born      time.Time
	ends      time.Time // of the first token to end with which a connection of the transport logged in; zero: none ends
}

// errRebuilt ends the requests that were under way when connections were rebuilt.
var errRebuilt = errors.New("connections were rebuilt")

// maxMetadataAge bounds the age of the metadata that kafka-go keeps (it draws
// an age below that each time). A moved leader is found sooner, by Renew; a
// shorter age would only mean more attempts at brokers that are away, for which
// kafka-go has no backoff.
const maxMetadataAge = 10 * time.Second

// minMetadataAge is a bound from below, since kafka-go lets no answer with metadata take longer
// than the metadata may be old.
const minMetadataAge = time.Second

// New does not connect. The configuration is one that Config.WithDefaults returned.
func New(cfg Config) *Client {
	c := &Client{cfg: cfg, addr: kafka.TCP(cfg.Brokers...)}
	c.build()
	cfg.Access.join(c)
	return c
}

func (c *Client) build() {
	c.life, c.end = context.WithCancel(context.Background())
	c.transport = &kafka.Transport{
		Dial: c.Dial, ClientID: c.cfg.ClientID, SASL: c.Login(), Context: c.life,
		DialTimeout: c.cfg.RequestTimeout, MetadataTopics: []string{c.cfg.Topic},
		MetadataTTL: max(minMetadataAge, min(maxMetadataAge, c.cfg.RefreshInterval)),
	}
	c.born, c.ends = time.Now(), time.Time{}
}

// Dial connects, and shakes hands where connections are encrypted.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.cfg.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.RequestTimeout)
	defer cancel()
	return c.cfg.Access.encrypt(ctx, conn, address)
}

// Login is how connections log in; nil: they do not.
func (c *Client) Login() sasl.Mechanism {
	if c.cfg.Access.Mechanism() == "" {
		return nil
	}
	return login{c}
}

// endsAt notes when the token of a connection ends.
func (c *Client) endsAt(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !t.IsZero() && (c.ends.IsZero() || t.Before(c.ends)) {
		c.ends = t
	}
}

// shortest is the least age at which connections are replaced for their token, in case
// that there is no better one.
const shortest = 5 * time.Second

// heedToken replaces the connections before the token ends with which they logged in: a
// broker would close them in the midst of a request.
func (c *Client) heedToken() {
	c.mu.Lock()
	due := !c.ends.IsZero() && !time.Now().Before(token{expires: c.ends}.renewal(c.born))
	c.mu.Unlock()
	if due {
		c.Renew(shortest, false)
	}
}

// Renew replaces the transport if it is older than age. Requests under way in
// the old one end by themselves, or at once with cut.
func (c *Client) Renew(age time.Duration, cut bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.born) < age {
		return false
	}
	old, end := c.transport, c.end
	c.build()
	old.CloseIdleConnections()
	if cut {
		end()
	}
	return true
}

// Close ends all connections.
func (c *Client) Close() {
	c.cfg.Access.leave(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.transport.CloseIdleConnections()
	c.end()
}

// Do sends a request and waits for its answer, RequestTimeout and what the
// broker may wait by itself at most.
func (c *Client) Do(ctx context.Context, req protocol.Message, brokerWaits time.Duration) (protocol.Message, error) {
	c.heedToken()
	c.mu.Lock()
	transport, life := c.transport, c.life
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.RequestTimeout+brokerWaits)
	defer cancel()
	defer context.AfterFunc(life, cancel)()
	res, err := transport.RoundTrip(ctx, c.addr, req)
	if err != nil && life.Err() != nil {
		err = errRebuilt
	}
	return res, err
}

// RoundTripper lends the client, which may rebuild its connections, to a writer.
func (c *Client) RoundTripper() kafka.RoundTripper { return roundTripper{c} }

// Addr are the brokers that were named.
func (c *Client) Addr() net.Addr { return c.addr }

type roundTripper struct{ *Client }

func (t roundTripper) RoundTrip(ctx context.Context, _ net.Addr, req kafka.Request) (kafka.Response, error) {
	return t.Do(ctx, protocol.Message(req), 0)
}
