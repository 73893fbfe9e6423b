package daemon

import (
	"context"
	"log/slog"
	"reflect"
	"time"

	"anond/config"
	"anond/ingest/kafkasrc"
	"anond/internal/fault"
	"anond/internal/ops/certificate"
)

// brokers is how one run reaches its brokers: source, lease and dead letters share it.
// Reloads, and renewals, put other certificates and secrets in the place of the old ones.
type brokers struct {
	access *kafkasrc.Access
	key    string // of the block of the configuration
	log    *slog.Logger
	used   *credentials // of the access now
}

// UsesKafka reports whether a configuration needs brokers.
func UsesKafka(c *config.Config) bool {
	return c.Source.Type == config.FromKafka || c.DeadLetter.Type == config.ToTopic
}

// reachBrokers reads certificates and secrets. It connects to nobody.
func reachBrokers(ctx context.Context, c *config.Config, log *slog.Logger) (*brokers, error) {
	b := &brokers{log: log}
	if !UsesKafka(c) {
		return b, nil
	}
	return b, b.reach(ctx, ofSource(c))
}

// reach opens the access that a block of the configuration describes.
func (b *brokers) reach(ctx context.Context, of block) error {
	read, err := readCredentials(ctx, of)
	if err != nil {
		return err
	}
	b.used, b.key = read, of.key
	if b.access, err = kafkasrc.NewAccess(read.tls, b.saslOf(read)); err != nil {
		return fault.Errorf(fault.Config, "correct "+of.key, "%s.%w", of.key, err)
	}
	return nil
}

// OutputBrokers is how anond-deliver and consume reach the brokers of outputs.kafka. It
// connects to nobody.
func OutputBrokers(ctx context.Context, k *config.KafkaOutput, log *slog.Logger) (kafkasrc.Config, error) {
	b := &brokers{log: log}
	err := b.reach(ctx, block{"outputs.kafka", k.TLS, k.SASL})
	return kafkasrc.Config{Brokers: k.Brokers, Topic: k.Topic, ClientID: k.ClientID, Access: b.access, Reconnect: reconnect(),
		Logger: log}, err
}

// prepare reads them again for another configuration, and changes nothing. use puts them
// in effect, and names the keys whose files or programs give something else than before.
func (b *brokers) prepare(ctx context.Context, next *config.Config) (use func() []string, err error) {
	if b.access == nil {
		return func() []string { return nil }, nil
	}
	read, err := readCredentials(ctx, ofSource(next))
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
	read, err := credentialFiles(ofSource(next))
	if err != nil {
		return nil, err
	}
	if len(read.sasl.PasswordCommand) > 0 {
		read.password = b.used.password
	}
	return b.replace(read)
}

// replace prepares to put other credentials in the place of those in use.
func (b *brokers) replace(read *credentials) (use func() []string, err error) {
	if reflect.DeepEqual(read, b.used) {
		return func() []string { return nil }, nil
	}
	put, err := b.access.Prepare(read.tls, b.saslOf(read))
	if err != nil {
		return nil, fault.Errorf(fault.Config, "correct source.kafka", "source.kafka.%w", err)
	}
	return func() []string {
		keys := b.used.renewed(read)
		b.used = read
		put()
		return keys
	}, nil
}

// expiries are the ends of the certificates in use, by what they are for.
func (b *brokers) expiries() map[string]time.Time {
	out := map[string]time.Time{}
	if b.used == nil || b.used.tls == nil {
		return out
	}
	if at, err := certificate.ChainEnds(b.used.tls.Cert); err == nil {
		out[certificate.KafkaClient] = at
	}
	if at, err := certificate.AuthoritiesEnd(b.used.tls.CA); err == nil {
		out[certificate.KafkaCA] = at
	}
	return out
}
