package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestAgain: secrets are read again from their files, and nothing else is.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const head = `version: 1
dataset: d
source: {type: kafka, kafka: {brokers: ["b:1"], topic: "${file:topic}", tls: {enabled: true},
  sasl: {mechanism: plain, username: "${file:user}", password: "x-${file:password}"}}}
dead_letter: {type: file, path: ./dead-letter}
schema: {attributes: [{name: a, role: quasi, type: integer}, {name: b, role: sensitive, type: categorical}, {name: s, role: subject}]}
policy: {k: 5, l: 2, level: L1}
release: {dir: ./releases}
http: {listen: "127.0.0.1:0", auth: {token: "${file:token}", username: u, password: "${SECRET}"}}
`
	write("anond.yaml", head)
	for _, name := range []string{"topic", "user", "password", "token"} {
		write(name, name+"-1\n")
	}
	c, _, err := config.Load(filepath.Join(dir, "anond.yaml"), testEnvironment, os.ReadFile)
	require.NoError(t, err)
	same, err := c.Again(testEnvironment, os.ReadFile)
	require.NoError(t, err)
	require.Empty(t, c.Difference(same))

	write("anond.yaml", "not read")
	for _, name := range []string{"topic", "user", "password", "token"} {
		write(name, name+"-2")
	}
	next, err := c.Again(testEnvironment, os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, []string{"source.kafka.sasl.username", "source.kafka.sasl.password", "http.auth.token"}, c.Difference(next))
	require.Equal(t, "x-password-2", next.Source.Kafka.SASL.Password.Reveal())
	require.Equal(t, "token-1", c.HTTP.Auth.Token.Reveal(), "the configuration before is as it was")
	again, err := next.Again(testEnvironment, os.ReadFile)
	require.NoError(t, err)
	require.Empty(t, next.Difference(again))

	write("token", "\n")
	_, err = c.Again(testEnvironment, os.ReadFile)
	require.EqualError(t, err, "http.auth.token: is empty", "nobody is let in without a token meanwhile")
	require.NoError(t, os.Remove(filepath.Join(dir, "token")))
	_, err = c.Again(testEnvironment, os.ReadFile)
	require.ErrorContains(t, err, "http.auth.token: needs the file token, which cannot be read: there is no such file")
}

// TestAnEmptySecretIsRefused: it would let everybody in.
func TestAnEmptySecretIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.yaml")
	require.NoError(t, os.WriteFile(path, []byte("http: {auth: {token: \"${file:token}\"}}\n"), 0o600))
	_, _, err := config.Load(path, testEnvironment, func(name string) ([]byte, error) {
		if name == path {
			return os.ReadFile(name)
		}
		return []byte("\n"), nil
	})
	require.ErrorContains(t, err, "http.auth.token: is empty; write the secret into the file")
}
