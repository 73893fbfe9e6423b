package logs

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestEveryLineHasOneEvent: by attribute, or made from the message.
func TestEveryLineHasOneEvent(t *testing.T) {
	var out bytes.Buffer
	log := New(&out, config.Log{Level: config.Debug, Format: config.JSONLog}, true)
	log.Info("status", "records", 5)
	log.Info("release is out", "event", "release_published", "release", 7)
	log.Warn("Connection lost!")
	log.With("dataset", "d").WithGroup("g").Error("", "x", 1)
	log.Debug("a", "event", slog.StringValue("b"))

	var events []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		assert.Equal(t, 1, strings.Count(line, `"event":`), line)
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields))
		events = append(events, fields["event"].(string))
		assert.True(t, strings.HasSuffix(fields["time"].(string), "Z"), "times are UTC")
		assert.NotEmpty(t, fields["level"])
	}
	assert.Equal(t, []string{"status", "release_published", "connection_lost", "message", "b"}, events)
	assert.Contains(t, out.String(), `"msg":"release is out"`)
	assert.NotContains(t, out.String(), `"msg":"status"`)
	assert.Contains(t, out.String(), `"dataset":"d","event":"message","x":1`)
}

func TestLogFormat(t *testing.T) {
	for _, c := range []struct {
		format   config.LogFormat
		terminal bool
		text     bool
	}{
		{config.AutoLog, true, true}, {config.AutoLog, false, false},
		{config.TextLog, false, true}, {config.JSONLog, true, false},
	} {
		var out bytes.Buffer
		New(&out, config.Log{Level: config.Info, Format: c.format}, c.terminal).Info("status", "n", 1)
		assert.Equal(t, c.text, strings.Contains(out.String(), " event=status n=1"), out.String())
		assert.Equal(t, !c.text, json.Valid(out.Bytes()), out.String())
	}
}

func TestLogLevel(t *testing.T) {
	for level, want := range map[config.LogLevel]int{config.Debug: 4, config.Info: 3, config.Warn: 2, config.Error: 1} {
		var out bytes.Buffer
		log := New(&out, config.Log{Level: level, Format: config.JSONLog}, false)
		log.Debug("a")
		log.Info("a")
		log.Warn("a")
		log.Error("a")
		assert.Equal(t, want, strings.Count(out.String(), "\n"), level)
	}
}
