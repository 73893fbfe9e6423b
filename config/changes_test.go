package config_test

import (
	"os"
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
			k.Key == "initial.min_pool" || strings.HasPrefix(k.Key, "shard.") || k.Key == "subject.key" {
			continue // kept under names of their own, or only where they mean something
		}
		assert.Equal(t, kept, k.Change == config.Never, k.Key)
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
		{"type: integer}", "type: decimal}", []string{"schema.attributes", "schema.attributes[age]"}},
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
