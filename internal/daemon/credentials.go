package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"anond/config"
	"anond/ingest/kafkasrc"
	"anond/internal/fault"
)

// credentials are what the access to brokers is made of, as files and programs give it.
type credentials struct {
	tls      *kafkasrc.TLS // nil: not encrypted
	sasl     config.SASL   // its secrets apart
	password string
}

// block is what a block of the configuration says of TLS and SASL.
type block struct {
	key  string // of the block
	tls  config.TLS
	sasl config.SASL
}

func ofSource(c *config.Config) block {
	return block{"source.kafka", c.Source.Kafka.TLS, c.Source.Kafka.SASL}
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
	if c.sasl.Username != now.sasl.Username {
		keys = append(keys, "source.kafka.sasl.username")
	}
	switch {
	case c.password == now.password:
	case len(c.sasl.PasswordCommand) > 0:
		keys = append(keys, "source.kafka.sasl.password_command")
	default:
		keys = append(keys, "source.kafka.sasl.password")
	}
	return keys
}

// readCredentials reads files, and runs the program that prints the password.
func readCredentials(ctx context.Context, of block) (*credentials, error) {
	out, err := credentialFiles(of)
	command := of.sasl.PasswordCommand
	if err != nil || len(command) == 0 {
		return out, err
	}
	text, err := printed(ctx, command, passwordOutput)
	text = strings.TrimRight(text, "\r\n")
	if err == nil && text == "" {
		err = errors.New("it prints nothing")
	}
	if err != nil {
		return nil, fault.Errorf(fault.Config, "see that the program prints the password, and nothing else", "%s.sasl.password_command %s: %w", of.key, command[0], err)
	}
	out.password = text
	return out, nil
}

// credentialFiles are the credentials as the configuration and the files say them.
func credentialFiles(of block) (*credentials, error) {
	out := &credentials{sasl: of.sasl, password: of.sasl.Password.Reveal()}
	out.sasl.Password = config.Secret{} // a pointer, which differs each time
	if !of.tls.Enabled {
		return out, nil
	}
	out.tls = &kafkasrc.TLS{ServerName: of.tls.ServerName}
	for _, f := range []struct {
		path string
		into *[]byte
	}{{of.tls.CA, &out.tls.CA}, {of.tls.Cert, &out.tls.Cert}, {of.tls.Key, &out.tls.Key}} {
		if f.path == "" {
			continue
		}
		pem, err := config.Regular(mostOfAFile)(f.path)
		if err == nil && len(pem) == 0 { // a file that is being written: nobody is trusted for it
			err = fmt.Errorf("%s is empty", f.path)
		}
		if err != nil {
			return nil, fault.Errorf(fault.Config, "correct the files of "+of.key+".tls", "%s.tls: %w", of.key, err)
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
		out.Tokens = kafkasrc.FreshTokens(tokenFile(b.key, s.TokenFile))
	case len(s.TokenCommand) > 0:
		out.Tokens = kafkasrc.KeptTokens(tokenCommand(b.key, s.TokenCommand), s.TokenLifetime, b.log)
	}
	return out
}

// TokenEnds is when the token ends that a connection would use now; zero: it does not tell.
func TokenEnds(ctx context.Context, c *config.Config) (time.Time, error) {
	b := &brokers{key: "source.kafka", log: slog.New(slog.DiscardHandler)}
	return b.saslOf(&credentials{sasl: c.Source.Kafka.SASL}).Tokens.Ends(ctx)
}

// tokenFile reads a token from a file.
func tokenFile(key, path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("%s.sasl.token_file: %w", key, err)
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(io.LimitReader(f, kafkasrc.MaxToken+spaceAround))
		if err != nil {
			return "", fmt.Errorf("%s.sasl.token_file: %w", key, err)
		}
		return string(text), nil
	}
}

// tokenCommand runs a program that prints a token.
func tokenCommand(key string, command []string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		text, err := printed(ctx, command, kafkasrc.MaxToken+spaceAround)
		if err != nil {
			return "", fmt.Errorf("%s.sasl.token_command %s: %w", key, command[0], err)
		}
		return text, nil
	}
}

// spaceAround is how much white space may stand around a token.
const spaceAround = 64
