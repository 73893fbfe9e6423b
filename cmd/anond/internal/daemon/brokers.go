package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"strings"

	"anond/config"
	"anond/ingest/kafkasrc"
)

// brokers is how one run reaches its brokers: source, lease and dead letters share it. A
// reload reads certificates and secrets again, and puts them in the place of the old ones.
type brokers struct {
	access *kafkasrc.Access
	log    *slog.Logger
	used   *credentials // of the access now
}

// credentials are what the access to brokers is made of, as files and programs give it.
type credentials struct {
	tls      *kafkasrc.TLS // nil: not encrypted
	sasl     config.SASL   // its secrets apart
	password string
}

// usesKafka reports whether a configuration needs brokers.
func usesKafka(c *config.Config) bool {
	return c.Source.Type == config.FromKafka || c.DeadLetter.Type == config.ToTopic
}

// reachBrokers reads certificates and secrets. It connects to nobody.
func reachBrokers(ctx context.Context, c *config.Config, log *slog.Logger) (*brokers, error) {
	b := &brokers{log: log}
	if !usesKafka(c) {
		return b, nil
	}
	read, err := readCredentials(ctx, c)
	if err != nil {
		return nil, err
	}
	b.used = read
	if b.access, err = kafkasrc.NewAccess(read.tls, b.saslOf(read)); err != nil {
		return nil, &ConfigError{fmt.Errorf("source.kafka.%w", err)}
	}
	return b, nil
}

// prepare reads them again for another configuration, and changes nothing. use puts them
// in effect, and names the keys whose files or programs give something else than before
// although the configuration says the same.
func (b *brokers) prepare(ctx context.Context, next *config.Config) (use func() []string, err error) {
	if b.access == nil {
		return func() []string { return nil }, nil
	}
	read, err := readCredentials(ctx, next)
	if err != nil {
		return nil, err
	}
	if reflect.DeepEqual(read, b.used) {
		return func() []string { return nil }, nil
	}
	put, err := b.access.Prepare(read.tls, b.saslOf(read))
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("source.kafka.%w", err)}
	}
	return func() []string {
		keys := b.used.renewed(read)
		b.used = read
		put()
		return keys
	}, nil
}

// renewed lists the keys behind which something else stands than before.
func (c *credentials) renewed(now *credentials) (keys []string) {
	if c.tls != nil && now.tls != nil {
		for _, f := range []struct {
			key     string
			was, is []byte
		}{{"ca", c.tls.CA, now.tls.CA}, {"cert", c.tls.Cert, now.tls.Cert}, {"key", c.tls.Key, now.tls.Key}} {
			if !bytes.Equal(f.was, f.is) {
				keys = append(keys, "source.kafka.tls."+f.key)
			}
		}
	}
	if len(c.sasl.PasswordCommand) > 0 && c.password != now.password {
		keys = append(keys, "source.kafka.sasl.password_command")
	}
	return keys
}

func readCredentials(ctx context.Context, c *config.Config) (*credentials, error) {
	k := c.Source.Kafka
	out := &credentials{sasl: k.SASL, password: k.SASL.Password.Reveal()}
	out.sasl.Password = config.Secret{} // a pointer, which differs each time
	if command := k.SASL.PasswordCommand; len(command) > 0 {
		text, err := printed(ctx, command, passwordOutput)
		text = strings.TrimRight(text, "\r\n")
		if err == nil && text == "" {
			err = errors.New("it prints nothing")
		}
		if err != nil {
			return nil, &ConfigError{fmt.Errorf("source.kafka.sasl.password_command %s: %w", command[0], err)}
		}
		out.password = text
	}
	if !k.TLS.Enabled {
		return out, nil
	}
	out.tls = &kafkasrc.TLS{ServerName: k.TLS.ServerName}
	for _, f := range []struct {
		path string
		into *[]byte
	}{{k.TLS.CA, &out.tls.CA}, {k.TLS.Cert, &out.tls.Cert}, {k.TLS.Key, &out.tls.Key}} {
		if f.path == "" {
			continue
		}
		pem, err := os.ReadFile(f.path)
		if err != nil {
			return nil, &ConfigError{fmt.Errorf("source.kafka.tls: %w", err)}
		}
		*f.into = pem
	}
	return out, nil
}

// passwordOutput is the most that a program may print as a password, in bytes.
const passwordOutput = 4096

// saslOf is who this client is; nil: nobody asks.
func (b *brokers) saslOf(read *credentials) *kafkasrc.SASL {
	s := read.sasl
	if s.Mechanism == config.NoSASL {
		return nil
	}
	out := &kafkasrc.SASL{Mechanism: strings.ToUpper(string(s.Mechanism)), Username: s.Username, Password: read.password}
	for _, e := range s.Extensions {
		name, value := e.Cut()
		out.Extensions = append(out.Extensions, [2]string{name, value})
	}
	switch {
	case s.TokenFile != "":
		out.Tokens = kafkasrc.FreshTokens(tokenFile(s.TokenFile))
	case len(s.TokenCommand) > 0:
		out.Tokens = kafkasrc.KeptTokens(tokenCommand(s.TokenCommand), s.TokenLifetime, b.log)
	}
	return out
}

// tokenFile reads a token from a file.
func tokenFile(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("source.kafka.sasl.token_file: %w", err)
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(io.LimitReader(f, kafkasrc.MaxToken+spaceAround))
		if err != nil {
			return "", fmt.Errorf("source.kafka.sasl.token_file: %w", err)
		}
		return string(text), nil
	}
}

// tokenCommand runs a program that prints a token.
func tokenCommand(command []string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		text, err := printed(ctx, command, kafkasrc.MaxToken+spaceAround)
		if err != nil {
			return "", fmt.Errorf("source.kafka.sasl.token_command %s: %w", command[0], err)
		}
		return text, nil
	}
}

// spaceAround is how much white space may stand around a token.
const spaceAround = 64
