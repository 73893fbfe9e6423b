// Package brokeraccess reads what a configuration says of access to brokers: certificates, and passwords and tokens that
// files hold or programs print. The daemon and anond-deliver share it. Nothing that it reads enters an error or a log.
package brokeraccess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"anond/config"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/secret"
)

// Credentials are what the access to brokers is made of, as files and programs give it.
type Credentials struct {
	TLS      *kafkaclient.TLS // nil: not encrypted
	SASL     config.SASL      // its secrets apart
	Password string
}

// Block is what a block of the configuration says of TLS and SASL.
type Block struct {
	Key  string // of the block
	TLS  config.TLS
	SASL config.SASL
}

// Read reads files, and runs the program that prints the password.
func Read(ctx context.Context, of Block) (*Credentials, error) {
	out, err := Files(of)
	command := of.SASL.PasswordCommand
	if err != nil || len(command) == 0 {
		return out, err
	}
	text, err := secret.Printed(ctx, command, passwordOutput)
	text = strings.TrimRight(text, "\r\n")
	if err == nil && text == "" {
		err = errors.New("it prints nothing")
	}
	if err != nil {
		return nil, fault.Errorf(fault.Config, "see that the program prints the password, and nothing else",
			"%s.sasl.password_command %s: %w", of.Key, command[0], err)
	}
	out.Password = text
	return out, nil
}

// Files are the credentials as the configuration and the files say them.
func Files(of Block) (*Credentials, error) {
	out := &Credentials{SASL: of.SASL, Password: of.SASL.Password.Reveal()}
	out.SASL.Password = config.Secret{} // a pointer, which differs each time
	if !of.TLS.Enabled {
		return out, nil
	}
	out.TLS = &kafkaclient.TLS{ServerName: of.TLS.ServerName}
	for _, f := range []struct {
		path string
		into *[]byte
	}{{of.TLS.CA, &out.TLS.CA}, {of.TLS.Cert, &out.TLS.Cert}, {of.TLS.Key, &out.TLS.Key}} {
		if f.path == "" {
			continue
		}
		pem, err := config.Regular(MostOfAFile)(f.path)
		if err == nil && len(pem) == 0 { // a file that is being written: nobody is trusted for it
			err = fmt.Errorf("%s is empty", f.path)
		}
		if err != nil {
			return nil, fault.Errorf(fault.Config, "correct the files of "+of.Key+".tls", "%s.tls: %w", of.Key, err)
		}
		*f.into = pem
	}
	return out, nil
}

// passwordOutput is the most that a program may print as a password, in bytes.
const passwordOutput = 4096

// Login is who this client is; nil: nobody asks. Failures to get a token name the block by its key, and are logged.
func (c *Credentials) Login(key string, log *slog.Logger) *kafkaclient.SASL {
	s := c.SASL
	if s.Mechanism == config.NoSASL {
		return nil
	}
	out := &kafkaclient.SASL{Mechanism: strings.ToUpper(string(s.Mechanism)), Username: s.Username, Password: c.Password}
	for _, e := range s.Extensions {
		name, value := e.Cut()
		out.Extensions = append(out.Extensions, [2]string{name, value})
	}
	switch {
	case s.TokenFile != "":
		out.Tokens = kafkaclient.FreshTokens(tokenFile(key, s.TokenFile))
	case len(s.TokenCommand) > 0:
		out.Tokens = kafkaclient.KeptTokens(tokenCommand(key, s.TokenCommand), s.TokenLifetime, log)
	}
	return out
}

// tokenFile reads a token from a file.
func tokenFile(key, path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("%s.sasl.token_file: %w", key, err)
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(io.LimitReader(f, kafkaclient.MaxToken+spaceAround))
		if err != nil {
			return "", fmt.Errorf("%s.sasl.token_file: %w", key, err)
		}
		return string(text), nil
	}
}

// tokenCommand runs a program that prints a token.
func tokenCommand(key string, command []string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		text, err := secret.Printed(ctx, command, kafkaclient.MaxToken+spaceAround)
		if err != nil {
			return "", fmt.Errorf("%s.sasl.token_command %s: %w", key, command[0], err)
		}
		return text, nil
	}
}

// spaceAround is how much white space may stand around a token.
const spaceAround = 64

// MostOfAFile is how long a file of certificates may be, in bytes; those of all public authorities are a quarter of a MiB.
const MostOfAFile = 4 << 20

// Open reads a block, and returns the access that it describes with what it was made of. It connects to nobody.
func Open(ctx context.Context, of Block, log *slog.Logger) (*kafkaclient.Access, *Credentials, error) {
	read, err := Read(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	access, err := kafkaclient.NewAccess(read.TLS, read.Login(of.Key, log))
	if err != nil {
		return nil, nil, fault.Errorf(fault.Config, "correct "+of.Key, "%s.%w", of.Key, err)
	}
	return access, read, nil
}
