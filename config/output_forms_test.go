package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"anond/config"
)

// TestJSONSchemaAgreesWithLoad: the schema takes every file that Load takes,
// and refuses those whose keys or types are wrong.
func TestJSONSchemaAgreesWithLoad(t *testing.T) {
	text, err := config.JSONSchema()
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(text, &schema))
	assert.True(t, fits(schema, parsed(t, config.Starting)))
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		switch {
		case name == "bad_everything.yaml" || name == "bad_list.yaml":
			assert.False(t, fits(schema, parsed(t, strings.Replace(string(content), "\n  k: 5\n", "\n", 1))), name)
		case !strings.HasPrefix(name, "bad_"):
			assert.True(t, fits(schema, parsed(t, string(content))), name)
		}
	}
	for _, change := range [][2]string{{"k: 10", "k: ten"}, {"\n  l: 5", "\n  l: 1"}, {"type: stdin", "type: stdim"},
		{"dir: ./releases", "dri: ./releases"}, {"version: 1", ""}, {"payload: false", "payload: no"}} {
		assert.False(t, fits(schema, parsed(t, strings.Replace(config.Starting, change[0], change[1], 1))), change[1])
	}
}

func parsed(t *testing.T, content string) any {
	t.Helper()
	var value any
	require.NoError(t, yaml.Unmarshal([]byte(content), &value))
	return value
}

// fits is the part of JSON Schema that ours uses.
func fits(schema map[string]any, value any) bool {
	if options, ok := schema["anyOf"].([]any); ok {
		return slices.ContainsFunc(options, func(o any) bool { return fits(o.(map[string]any), value) })
	}
	if words, ok := schema["enum"].([]any); ok {
		return slices.Contains(words, value)
	}
	types, ok := schema["type"].([]any)
	if !ok {
		types = []any{schema["type"]}
	}
	if !slices.Contains(types, any(typeOf(value))) && (typeOf(value) != "integer" || !slices.Contains(types, any("number"))) {
		return false
	}
	switch v := value.(type) {
	case string:
		pattern, _ := schema["pattern"].(string)
		return regexp.MustCompile(pattern).MatchString(v)
	case int:
		least, bounded := schema["minimum"].(float64)
		return !bounded || float64(v) >= least
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !fits(schema["items"].(map[string]any), item) })
	case map[string]any:
		return fitsSection(schema, v)
	}
	return true
}

func fitsSection(schema, section map[string]any) bool {
	for _, name := range schema["required"].([]any) {
		if _, there := section[name.(string)]; !there {
			return false
		}
	}
	for name, value := range section {
		property, known := schema["properties"].(map[string]any)[name].(map[string]any)
		if !known || value != nil && !fits(property, value) {
			return false
		}
	}
	return true
}

func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case int:
		return "integer"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}
