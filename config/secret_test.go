package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestRuleVSecretIsNeverShown formats a secret in every way a program may do by
// accident.
func TestRuleVSecretIsNeverShown(t *testing.T) {
	const hush = "hush-hush"
	s := config.NewSecret(hush)
	inside := struct {
		Exported config.Secret
		hidden   config.Secret // fmt cannot call its methods
	}{s, s}
	text, err := json.Marshal(map[string]any{"s": s, "in": inside})
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "in", inside, "wrapped", fmt.Errorf("with %v", s))
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "in", inside)
	out := log.String() + string(text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		out += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, &s) + fmt.Sprintf(verb, inside) + fmt.Sprintf(verb, []config.Secret{s})
	}
	assert.NotContains(t, out, hush)
	assert.NotContains(t, out, fmt.Sprintf("%x", hush))
	assert.Equal(t, hush, inside.hidden.Reveal())
	assert.True(t, s.Set())
	assert.False(t, config.NewSecret("").Set())
	assert.Empty(t, config.NewSecret("").Reveal())
}
