package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestWhatIsFixedIsNotReloadable: a key is fixed if a state keeps its digest, and only then.
func TestWhatIsFixedIsNotReloadable(t *testing.T) {
	digests := load(t, digested).Digests()
	for _, k := range config.Reference() {
		_, kept := digests[k.Key]
		if strings.Contains(k.Key, "[]") || k.Key == "policy.level" || k.Key == "policy.min_pool" || k.Key == "policy.max_pool" ||
			k.Key == "initial.min_pool" || k.Key == "release.tables" || k.Key == "release.window" || strings.HasPrefix(k.Key, "release.about.") ||
			strings.HasPrefix(k.Key, "shard.") || strings.HasPrefix(k.Key, "subject.erasure.") || k.Key == "subject.key" ||
			k.Key == "subject.ledger" || k.Key == "subject.max_records" || k.Key == "subject.settle" || k.Key == "subject.updates" {
			continue // kept under names of their own, or only where they mean something
		}
		assert.Equal(t, kept, slices.Contains([]config.Change{config.Never, config.NextPool, config.Newcomers}, k.Change), k.Key)
		assert.Equal(t, k.Change == config.AtReload, config.Reloadable(k.Key), k.Key)
	}
}

// TestDifference names what differs, secrets and the content of hierarchies included.
func TestDifference(t *testing.T) {
	before := load(t, digested)
	assert.Empty(t, before.Difference(load(t, digested)))
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"l: 5", "l: 5, threshold: 9", nil}, // the default written out
		{"release: {dir: out}", "release: {dir: out}\nlog: {level: debug}", []string{"log.level"}},
		{"dir: out", `dir: out, trigger: {on: cron, at: "0 2 * * *", time_zone: Europe/Berlin}`,
			[]string{"release.trigger.on", "release.trigger.min_interval", "release.trigger.at", "release.trigger.time_zone"}},
		{"k: 10, l: 5", "k: 12, l: 5", []string{"policy.k", "policy.threshold"}},
		{"type: integer}", "type: decimal}", []string{"schema.attributes", "schema.attributes[age].digits", "schema.attributes[age].type"}},
		{"{type: stdin}", "{type: stdin, max_records_per_second: 5}", []string{"source.max_records_per_second"}},
	} {
		require.Contains(t, digested, c.from)
		assert.Equal(t, c.want, before.Difference(load(t, strings.Replace(digested, c.from, c.to, 1))), c.to)
	}
	grown := func(lines string) *config.Config {
		c, _, err := config.Load("anond.yaml", lookup(nil), func(name string) ([]byte, error) {
			if name == "anond.yaml" {
				return []byte(digested), nil
			}
			text, err := os.ReadFile(name)
			return append(text, lines...), err
		})
		require.NoError(t, err)
		return c
	}
	changed := grown("").Difference(grown("99999;999**;*\n"))
	assert.Equal(t, []string{"schema.attributes[postcode].hierarchy"}, changed)
	assert.False(t, config.Reloadable(changed[0]))
}

// TestDifferenceOfSecrets: a changed password is a difference, although no output shows it.
func TestDifferenceOfSecrets(t *testing.T) {
	with := func(password string) *config.Config {
		kafka := `{type: kafka, kafka: {brokers: ["a:9092"], topic: t, sasl: {mechanism: scram-sha-512, username: u, password: ` +
			password + `}}}`
		return load(t, strings.Replace(digested, "{type: stdin}", kafka, 1))
	}
	assert.Empty(t, with("one").Difference(with("one")))
	assert.Equal(t, []string{"source.kafka.sasl.password"}, with("one").Difference(with("two")))
}

// TestTimeZones: names of the database of time zones.
func TestTimeZones(t *testing.T) {
	for zone, good := range map[string]bool{"UTC": true, "Europe/Berlin": true, "Local": false, "Europe/Atlantis": false, `""`: false} {
		_, _, err := config.Load("anond.yaml", lookup(nil), func(name string) ([]byte, error) {
			if name == "anond.yaml" {
				return []byte(strings.Replace(digested, "dir: out",
					`dir: out, trigger: {on: cron, at: "0 2 * * *", time_zone: `+zone+`}`, 1)), nil
			}
			return os.ReadFile(name)
		})
		assert.Equal(t, good, err == nil, "%s: %v", zone, err)
	}
}

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
