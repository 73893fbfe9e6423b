package kafkasrc

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/sasl"
)

// client is a kafka.Transport that can be rebuilt while it is in use. A rebuilt
// transport has fresh connections and fresh metadata; kafka-go offers no way to
// ask for either.
type client struct {
	cfg  Config
	addr net.Addr
	tls  *tls.Config
	sasl sasl.Mechanism

	mu        sync.Mutex
	transport *kafka.Transport
	life      context.Context // of the transport
	end       context.CancelFunc
	born      time.Time
}

// errRebuilt ends the requests that were under way when connections were rebuilt.
var errRebuilt = errors.New("connections were rebuilt")

// maxMetadataAge bounds the age of the metadata that kafka-go keeps (it draws
// an age below that each time). A moved leader is found sooner, by renew; a
// shorter age would only mean more attempts at brokers that are away, for which
// kafka-go has no backoff.
const maxMetadataAge = 10 * time.Second

func newClient(cfg Config) (*client, error) {
	c := &client{cfg: cfg, addr: kafka.TCP(cfg.Brokers...)}
	var err1, err2 error
	c.tls, err1 = cfg.TLS.config()
	c.sasl, err2 = cfg.SASL.mechanism()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	c.build()
	return c, nil
}

func (c *client) build() {
	c.life, c.end = context.WithCancel(context.Background())
	c.transport = &kafka.Transport{
		Dial: c.cfg.Dial, ClientID: c.cfg.ClientID, TLS: c.tls, SASL: c.sasl, Context: c.life,
		DialTimeout: c.cfg.RequestTimeout, MetadataTTL: min(maxMetadataAge, c.cfg.RefreshInterval), MetadataTopics: []string{c.cfg.Topic},
	}
	c.born = time.Now()
}

// renew replaces the transport if it is older than age. Requests under way in
// the old one end by themselves, or at once with cut.
func (c *client) renew(age time.Duration, cut bool) bool {
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

func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.transport.CloseIdleConnections()
	c.end()
}

// do sends a request and waits for its answer, RequestTimeout and what the
// broker may wait by itself at most.
func (c *client) do(ctx context.Context, req protocol.Message, brokerWaits time.Duration) (protocol.Message, error) {
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

// fetch asks for records of a partition from an offset on. The broker waits for
// new ones, if there are none, up to wait. An answer of more than most bytes is
// errLargeAnswer.
func (c *client) fetch(ctx context.Context, partition int32, offset int64, wait time.Duration, most int) (*fetchResponse, error) {
	req := newFetchRequest(&c.cfg, partition, offset, int32(wait/time.Millisecond))
	req.most = most
	res, err := c.do(ctx, req, wait)
	if err != nil {
		return nil, err
	}
	return res.(*fetchResponse), nil
}
