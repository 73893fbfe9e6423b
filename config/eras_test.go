package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
)

var atL2 = strings.Replace(digested, "level: L1, ", "", 1)

// TestThawedSettings: what a state keeps of settings gives the same dataset again, whatever the configuration says by then, and has no
// secret.
func TestThawedSettings(t *testing.T) {
	for _, from := range []string{atL2, digested,
		strings.Replace(atL2, "type: integer}", "type: decimal, digits: 0, range: [0, 120], steps: [5, 10], missing_values: ['$${x}', 999]}", 1),
		strings.Replace(atL2, "l: 5", "l: 5, max_hold: 0s, diversity: [{entropy: 5.5}, {recursive: {c: 3, l: 3}}]", 1),
		strings.Replace(atL2, "policy:", "  missing: value\npolicy:", 1),
		strings.Replace(atL2, "role: sensitive, type: categorical", "role: sensitive, type: decimal, buckets: [0, 1.5, 4, 5, 6], "+
			"promise: {l: 3, at_most: {'2': 0.4}}", 1),
	} {
		before := load(t, from)
		changed := load(t, strings.NewReplacer("k: 10", "k: 14", "hospital", "clinic", "type: integer}", "type: date}").Replace(atL2))
		again, err := changed.Thawed(before.Frozen())
		require.NoError(t, err, from)
		require.Equal(t, before.Digests(), again.Digests(), from)
		require.Equal(t, before.Schema().Attributes(), again.Schema().Attributes(), from)
		require.Equal(t, before.Requirement(), again.Requirement())
		require.Equal(t, before.Frozen(), again.Frozen())
		require.NotEqual(t, before.Digests(), changed.Digests(), "the running configuration stays as it is")
	}
	_, err := load(t, atL2).Thawed([]byte("x"))
	require.ErrorContains(t, err, "what the state keeps of them does not decode")
}

// TestLaterSettings: blind settings and caps may be others for later pools, at level L2.
func TestLaterSettings(t *testing.T) {
	blind, caps := load(t, atL2).Later()
	require.Subset(t, blind, []string{"policy.k", "release.recoding", "schema.attributes[age].steps", "schema.attributes[age].range",
		"schema.attributes[postcode].hierarchy"})
	require.Subset(t, caps, []string{"policy.l", "policy.diversity", "schema.attributes[diagnosis].promise"})
	later := append(blind, caps...)
	for key := range load(t, atL2).Digests() {
		if config.ChangeOf(key) == config.Never {
			require.NotContains(t, later, key)
		}
	}
	require.NotContains(t, later, "schema.attributes[age].type")
	require.NotContains(t, later, "schema.attributes[diagnosis].hierarchy")
	blind, caps = load(t, digested).Later()
	require.Empty(t, append(blind, caps...), "at level L1 nothing changes")
}
