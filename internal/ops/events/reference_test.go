package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// reference is docs/EVENTS.md.
func reference() string {
	var b strings.Builder
	b.WriteString(`# Events

This page is generated from the table of events in the code. [RUN.md](RUN.md#the-log) says how the log is written;
[events.schema.json](events.schema.json) is a JSON Schema of its lines. Fields in parentheses are not always there. A duration of type
nanoseconds is an integer; other durations are texts such as ` + "`1m30s`" + `. Each line of a shard also has ` + "`shard`" + `, its number.

| event | level | fields | meaning | action |
|---|---|---|---|---|
`)
	for _, e := range All() {
		for _, c := range e.Cases {
			level := c.Level
			if level == "" {
				level = strings.Join(e.Levels, ", ")
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Name, level, fieldList(e.Fields), c.Meaning, c.Action)
		}
	}
	return b.String()
}

func fieldList(fields []field) string {
	var out []string
	for _, f := range fields {
		text := f.Name
		if f.Optional {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// member is one member of an object, whose order is kept.
type member struct {
	name  string
	value any
}

type object []member

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name)
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// schema is docs/events.schema.json: a JSON Schema (draft 2020-12) of a line of the log.
func schema() ([]byte, error) {
	var kinds []object
	for _, e := range All() {
		kinds = append(kinds, e.schema())
	}
	schema := object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "A line of the log of anond, format json"},
		{"type", "object"}, {"required", []string{"time", "level", "msg", "event"}}, {"oneOf", kinds}}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(schema)
	return b.Bytes(), err
}

func (e *event) schema() object {
	levels := make([]string, len(e.Levels))
	for i, l := range e.Levels {
		levels[i] = strings.ToUpper(l)
	}
	properties := object{{"time", object{{"type", "string"}, {"format", "date-time"}}}, {"level", object{{"enum", levels}}},
		{"msg", object{{"type", "string"}}}, {"event", object{{"const", e.Name}}}}
	required := []string{}
	if !slices.ContainsFunc(e.Fields, func(f field) bool { return f.Name == "shard" }) {
		properties = append(properties, member{"shard", object{{"type", "integer"}}})
	}
	for _, f := range e.Fields {
		properties = append(properties, member{f.Name, f.Type.schema()})
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return object{{"title", e.Name}, {"description", e.Cases[0].Meaning}, {"properties", properties}, {"required", required},
		{"additionalProperties", false}}
}

func (t fieldType) schema() object {
	switch t {
	case "lags":
		return object{{"type", "array"}, {"items", object{{"type", "object"}, {"required", []string{"partition", "lag"}}}}}
	case "texts":
		return object{{"type", "array"}, {"items", object{{"type", "string"}}}}
	case "numbers":
		return object{{"type", "array"}, {"items", object{{"type", "integer"}}}}
	case "letter":
		return object{{"type", "object"}, {"required", []string{"source", "partition", "offset", "reason", "attribute"}}}
	}
	return object{{"type", string(t)}}
}
