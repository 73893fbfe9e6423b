// Package eventtest holds what was logged against the table of events.
package eventtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"anond/internal/ops/events"
)

// Check holds a line of the log in JSON against the table.
func Check(line []byte) error {
	var fields map[string]any
	if err := json.Unmarshal(line, &fields); err != nil {
		return fmt.Errorf("a line of the log is no JSON object: %w", err)
	}
	name, _ := fields["event"].(string)
	e, known := events.Find(name)
	if !known {
		return fmt.Errorf("event %q is not in the table", name)
	}
	if level, _ := fields["level"].(string); !slices.Contains(e.Levels, strings.ToLower(level)) {
		return fmt.Errorf("event %s has level %s, the table says %v", name, level, e.Levels)
	}
	for _, always := range []string{"time", "level", "msg", "event"} {
		if _, ok := fields[always].(string); !ok {
			return fmt.Errorf("event %s has no %s", name, always)
		}
		delete(fields, always)
	}
	for _, f := range e.Fields {
		value, there := fields[f.Name]
		if !there && !f.Optional {
			return fmt.Errorf("event %s lacks %s", name, f.Name)
		}
		if there && !fits(string(f.Type), value) {
			return fmt.Errorf("event %s: %s is no %s", name, f.Name, f.Type)
		}
		delete(fields, f.Name)
	}
	if fits("integer", fields["shard"]) {
		delete(fields, "shard") // of a shard each line
	}
	for other := range fields {
		return fmt.Errorf("event %s has a field %s, which the table does not know", name, other)
	}
	return nil
}

// fits reports that a line in JSON writes a field of the type so.
func fits(kind string, value any) bool {
	switch x := value.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && x == float64(int64(x))
	case []any:
		return kind == "lags" || kind == "texts" || kind == "numbers"
	case map[string]any:
		return kind == "letter"
	}
	return false
}
