package dataset

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"time"

	"anond/config"
	"anond/internal/brokeraccess"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/ops/certificate"
)

// brokers is how one run reaches its brokers: source, lease and dead letters share it.
// Reloads, and renewals, put other certificates and secrets in the place of the old ones.
type brokers struct {
	access *kafkaclient.Access
	log    *slog.Logger
	used   *brokeraccess.Credentials // of the access now
}

// UsesKafka reports whether a configuration needs brokers.
func UsesKafka(c *config.Config) bool {
	return c.Source.Type == config.FromKafka || c.DeadLetter.Type == config.ToTopic
}

// ReachBrokers reads certificates and secrets. It connects to nobody.
func ReachBrokers(ctx context.Context, c *config.Config, log *slog.Logger) (*brokers, error) {
	b := &brokers{log: log}
	if !UsesKafka(c) {
		return b, nil
	}
	var err error
	b.access, b.used, err = brokeraccess.Open(ctx, ofSource(c), log)
	return b, err
}

// Prepare reads them again for another configuration, and changes nothing. use puts them
// in effect, and names the keys whose files or programs give something else than before.
func (b *brokers) Prepare(ctx context.Context, next *config.Config) (use func() []string, err error) {
	if b.access == nil {
		return func() []string { return nil }, nil
	}
	read, err := brokeraccess.Read(ctx, ofSource(next))
	if err != nil {
		return nil, err
	}
	return b.replace(read)
}

// prepareFiles is prepare, for what files alone give: no program runs.
func (b *brokers) prepareFiles(next *config.Config) (use func() []string, err error) {
	if b.access == nil {
		return func() []string { return nil }, nil
	}
	read, err := brokeraccess.Files(ofSource(next))
	if err != nil {
		return nil, err
	}
	if len(read.SASL.PasswordCommand) > 0 {
		read.Password = b.used.Password
	}
	return b.replace(read)
}

// replace prepares to put other credentials in the place of those in use.
func (b *brokers) replace(read *brokeraccess.Credentials) (use func() []string, err error) {
	if reflect.DeepEqual(read, b.used) {
		return func() []string { return nil }, nil
	}
	put, err := b.access.Prepare(read.TLS, read.Login(sourceKafka, b.log))
	if err != nil {
		return nil, fault.Errorf(fault.Config, "correct source.kafka", "source.kafka.%w", err)
	}
	return func() []string {
		keys := renewedKeys(b.used, read)
		b.used = read
		put()
		return keys
	}, nil
}

// expiries are the ends of the certificates in use, by what they are for.
func (b *brokers) expiries() map[string]time.Time {
	out := map[string]time.Time{}
	if b.used == nil || b.used.TLS == nil {
		return out
	}
	if at, err := certificate.ChainEnds(b.used.TLS.Cert); err == nil {
		out[certificate.KafkaClient] = at
	}
	if at, err := certificate.AuthoritiesEnd(b.used.TLS.CA); err == nil {
		out[certificate.KafkaCA] = at
	}
	return out
}

// sourceKafka is the block of the configuration that says how the source is reached.
const sourceKafka = "source.kafka"

func ofSource(c *config.Config) brokeraccess.Block {
	return brokeraccess.Block{Key: sourceKafka, TLS: c.Source.Kafka.TLS, SASL: c.Source.Kafka.SASL}
}

// renewedKeys lists the keys behind which something else stands than before.
func renewedKeys(c, now *brokeraccess.Credentials) (keys []string) {
	if c.TLS != nil && now.TLS != nil {
		for _, f := range []struct {
			key     string
			was, is []byte
		}{{"ca", c.TLS.CA, now.TLS.CA}, {"cert", c.TLS.Cert, now.TLS.Cert}, {"key", c.TLS.Key, now.TLS.Key}} {
			if !bytes.Equal(f.was, f.is) {
				keys = append(keys, "source.kafka.tls."+f.key)
			}
		}
	}
	if c.SASL.Username != now.SASL.Username {
		keys = append(keys, "source.kafka.sasl.username")
	}
	switch {
	case c.Password == now.Password:
	case len(c.SASL.PasswordCommand) > 0:
		keys = append(keys, "source.kafka.sasl.password_command")
	default:
		keys = append(keys, "source.kafka.sasl.password")
	}
	return keys
}

// TokenEnds is when the token ends that a connection would use now; zero: it does not tell.
func TokenEnds(ctx context.Context, c *config.Config) (time.Time, error) {
	read := &brokeraccess.Credentials{SASL: c.Source.Kafka.SASL}
	return read.Login(sourceKafka, slog.New(slog.DiscardHandler)).Tokens.Ends(ctx)
}
