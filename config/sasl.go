package config

import (
	"strings"
	"time"
)

// saslMechanism is how a client authenticates itself.
type saslMechanism string

// The mechanisms.
const (
	NoSASL      saslMechanism = "none"
	saslPlain   saslMechanism = "plain"
	scramSHA256 saslMechanism = "scram-sha-256"
	ScramSHA512 saslMechanism = "scram-sha-512"
	OAuthBearer saslMechanism = "oauthbearer"
)

// SASL is the block `source.kafka.sasl`, or `outputs.kafka.sasl`.
type SASL struct {
	Mechanism       saslMechanism
	Username        string
	Password        Secret
	PasswordCommand []string // prints the password; run without a shell

	TokenFile     string
	TokenCommand  []string // prints the token; run without a shell
	TokenLifetime time.Duration
	Extensions    []saslExtension
}

// saslExtension is a name and a value that OAUTHBEARER sends with the token: name=value.
type saslExtension string

// Cut splits it.
func (e saslExtension) Cut() (name, value string) {
	name, value, _ = strings.Cut(string(e), "=")
	return name, value
}

// extension is a value that has both parts; what else may stand in them, the client checks.
func extension(to *saslExtension) value {
	return scalar[saslExtension]{to: to, name: "name=value", tags: []string{"!!str"}, suggestion: inQuotes,
		parse: func(s string) (saslExtension, error) {
			bad := complain("is no extension", "write name=value, such as logicalCluster=lkc-1; a name has letters only, and is not auth")
			name, value, ok := strings.Cut(s, "=")
			if !ok || value == "" || name == "" || strings.EqualFold(name, "auth") {
				return "", bad
			}
			for _, c := range name {
				if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
					return "", bad
				}
			}
			for _, c := range value {
				if (c < ' ' || c > '~') && c != '\t' && c != '\r' && c != '\n' {
					return "", bad
				}
			}
			return saslExtension(s), nil
		}}
}

// keys are those of SASL at a place of the file.
func (s *SASL) keys(at string) []key {
	return []key{
		{path: at + ".mechanism", value: oneOf(&s.Mechanism, NoSASL, saslPlain, scramSHA256, ScramSHA512, OAuthBearer), def: "none",
			doc: "How the client authenticates itself."},
		{path: at + ".username", value: text(&s.Username), derived: "none", doc: "User name for plain and scram."},
		{path: at + ".password", value: secret(&s.Password), derived: "none",
			doc: "Password for plain and scram; preferably ${file:/run/secrets/...}, which a running anond takes in when the file changes, or " +
				"${VAR}. Never shown."},
		{path: at + ".password_command", value: list[string]{&s.PasswordCommand, text}, derived: "none",
			doc: "In place of the password: a program and its arguments, run without a shell at each start and reload, that prints the " +
				"password within 30 seconds."},
		{path: at + ".token_file", value: path(&s.TokenFile), derived: "none; oauthbearer needs this or token_command",
			doc: "File with the bearer token for oauthbearer, read again for each connection. Somebody else has to replace it in time."},
		{path: at + ".token_command", value: list[string]{&s.TokenCommand, text}, derived: "none",
			doc: "In place of the file: a program and its arguments, run without a shell, that prints a bearer token of at most 64 KiB within " +
				"30 seconds. A token is used for new connections until shortly before it expires (a fifth of its time, at most five minutes), " +
				"if it is a JSON Web Token that says when. What the program writes to standard error is not logged."},
		{path: at + ".token_lifetime", value: duration(&s.TokenLifetime, time.Second), def: "5m",
			doc: "How long a token of token_command is used for new connections if it does not say when it expires."},
		{path: at + ".extensions", value: list[saslExtension]{&s.Extensions, extension}, def: "[]",
			doc: "What oauthbearer sends with the token, as name=value; for instance [logicalCluster=lkc-1, identityPoolId=pool-1]."},
	}
}

func (s *SASL) check(r *reader, at string, encrypted bool) {
	for _, k := range s.keys(at) {
		if !r.sound(k.path) {
			return
		}
	}
	for name, command := range map[string][]string{"password_command": s.PasswordCommand, "token_command": s.TokenCommand} {
		if len(command) > 0 && command[0] == "" {
			r.fault(at+"."+name, "has an empty program", "write the path of a program")
		}
	}
	password := s.Username != "" || s.Password.Set() || len(s.PasswordCommand) > 0
	token := s.TokenFile != "" || len(s.TokenCommand) > 0 || len(s.Extensions) > 0 || r.set(at+".token_lifetime")
	switch {
	case s.Mechanism == NoSASL && password:
		r.fault(at, "has credentials, but no mechanism", "add mechanism: plain, scram-sha-256 or scram-sha-512")
	case s.Mechanism == NoSASL && token:
		r.fault(at, "has a token, but no mechanism", "add mechanism: oauthbearer")
	case s.Mechanism == OAuthBearer && password:
		r.fault(at, "has a user name or password, but mechanism oauthbearer", "remove them: the token says who the client is")
	case s.Mechanism == OAuthBearer:
		s.checkToken(r, at, encrypted)
	case s.Mechanism != NoSASL && token:
		r.fault(at, "has a token, but mechanism "+string(s.Mechanism), "remove it, or write mechanism: oauthbearer")
	case s.Mechanism != NoSASL:
		s.checkPassword(r, at, encrypted)
	}
}

func (s *SASL) checkPassword(r *reader, at string, encrypted bool) {
	if s.Username == "" {
		r.fault(at+".username", "is missing, but a mechanism is set", "name the user")
	}
	switch {
	case !s.Password.Set() && len(s.PasswordCommand) == 0:
		r.fault(at+".password", "is missing, but a mechanism is set", "write for instance ${file:/run/secrets/kafka-password}")
	case s.Password.Set() && len(s.PasswordCommand) > 0:
		r.fault(at+".password_command", "does not belong to a password", "write one of the two")
	}
	if s.Mechanism == saslPlain && !encrypted {
		r.warn(at+".mechanism", "is plain without TLS: the password is sent unencrypted", "enable tls, or use scram-sha-512")
	}
}

func (s *SASL) checkToken(r *reader, at string, encrypted bool) {
	switch {
	case s.TokenFile == "" && len(s.TokenCommand) == 0:
		r.fault(at, "has mechanism oauthbearer, but neither token_file nor token_command", "name the file of the token, "+
			"or the program that prints it")
	case s.TokenFile != "" && len(s.TokenCommand) > 0:
		r.fault(at+".token_command", "does not belong to a token_file", "write one of the two")
	case s.TokenFile != "" && r.set(at+".token_lifetime"):
		r.warn(at+".token_lifetime", "is not used: the file is read for each connection", "remove it")
	}
	if !encrypted {
		r.warn(at+".mechanism", "is oauthbearer without TLS: the token is sent unencrypted", "enable tls")
	}
}
