package eventtest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCheck: a line is held to the fields of its event, and their types.
func TestCheck(t *testing.T) {
	for line, fault := range map[string]string{
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"m","event":"release_resumed","release":3}`:          "",
		`{"time":"2026-01-01T00:00:00Z","level":"WARN","msg":"m","event":"release_resumed","release":3}`:          "has level WARN",
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"m","event":"release_resumed"}`:                      "lacks release",
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"m","event":"release_resumed","release":"3"}`:        "is no integer",
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"m","event":"release_resumed","release":3,"age":41}`: "has a field age",
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"m","event":"release_made","release":3}`:             "is not in the table",
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","event":"release_resumed","release":3}`:                    "has no msg",
		`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"m","event":"draining"}`:                             "",
		`{"time":"2026-01-01T00:00:00Z","level":"ERROR","msg":"m","event":"infeasible","records":1,"share":0.5}`:  "",
		`{"time":"2026-01-01T00:00:00Z","level":"ERROR","msg":"m","event":"source_gap","partition":1.5,"want":1}`: "is no integer",
		`text`: "is no JSON object",
	} {
		if fault == "" {
			assert.NoError(t, Check([]byte(line)))
		} else {
			assert.ErrorContains(t, Check([]byte(line)), fault)
		}
	}
}
