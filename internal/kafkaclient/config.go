package kafkaclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"anond/internal/retry"
)

// Config says how a topic is reached. Brokers and Topic are required; the zero value of every other field means its
// default.
type Config struct {
	Brokers  []string
	Topic    string
	ClientID string  // default anond
	Access   *Access // default: neither TLS nor SASL

	RequestTimeout  time.Duration // for an answer; default 10 s
	RefreshInterval time.Duration // between looks for new partitions and ends; default 10 s
	Reconnect       retry.Policy  // default: with jitter
	Logger          *slog.Logger  // default: discards
	// Dial replaces net.Dialer (tests).
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// WithDefaults returns the configuration with every default set, or all faults at once.
func (c Config) WithDefaults() (Config, error) {
	if c.ClientID == "" {
		c.ClientID = "anond"
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = 10 * time.Second
	}
	if c.RefreshInterval == 0 {
		c.RefreshInterval = 10 * time.Second
	}
	if c.Access == nil {
		c.Access, _ = NewAccess(nil, nil) // nothing is nothing that cannot be used
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Reconnect.Rand == nil {
		c.Reconnect.Rand = rand.Float64
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	}
	return c, c.Faults()
}

// Faults are all that is wrong with it; nil: nothing.
func (c Config) Faults() error {
	var faults []error
	if len(c.Brokers) == 0 {
		faults = append(faults, errors.New("brokers: at least one host:port is needed"))
	}
	for _, b := range c.Brokers {
		if _, _, err := net.SplitHostPort(b); err != nil {
			faults = append(faults, fmt.Errorf("brokers: %w", err))
		}
	}
	if c.Topic == "" {
		faults = append(faults, errors.New("topic: must be named"))
	}
	return errors.Join(faults...)
}
