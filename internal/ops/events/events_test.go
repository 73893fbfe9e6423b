package events

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write docs/EVENTS.md and docs/events.schema.json anew")

// TestReferenceIsWritten: the documents are those of the table.
func TestReferenceIsWritten(t *testing.T) {
	lines, err := schema()
	require.NoError(t, err)
	for name, want := range map[string]string{"EVENTS.md": reference(), "events.schema.json": string(lines)} {
		path := filepath.Join("..", "..", "..", "docs", name)
		if *rewrite {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(got), "go test ./internal/ops/events -rewrite")
	}
	assert.True(t, json.Valid(lines))
}

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		assert.False(t, seen[e.Name], e.Name)
		seen[e.Name] = true
		assert.NotEmpty(t, e.Levels, e.Name)
		for _, l := range e.Levels {
			assert.Contains(t, []string{"debug", "info", "warn", "error"}, l, e.Name)
		}
		for _, f := range e.Fields {
			assert.Contains(t, []fieldType{"string", "integer", "number", "boolean", "lags", "texts", "numbers", "letter"}, f.Type,
				"%s: %s", e.Name, f.Name)
		}
		require.NotEmpty(t, e.Cases, e.Name)
		for _, c := range e.Cases {
			assert.NotEmpty(t, c.Meaning, e.Name)
			assert.NotEmpty(t, c.Action, e.Name)
			assert.Equal(t, len(e.Cases) > 1, c.Level != "", e.Name)
		}
	}
}
