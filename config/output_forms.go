package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
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

// treeOf nests the values of a table as the file nests them.
func treeOf(table []key) object {
	var out object
	for _, k := range table {
		out = out.with(strings.Split(k.path, "."), k.value.json())
	}
	return out
}

func (o object) with(path []string, value any) object {
	if len(path) == 1 {
		return append(o, member{path[0], value})
	}
	for i, m := range o {
		if inner, ok := m.value.(object); ok && m.name == path[0] {
			o[i].value = inner.with(path[1:], value)
			return o
		}
	}
	return append(o, member{path[0], object(nil).with(path[1:], value)})
}

// isEmpty reports what an element of a list need not show: a zero value, an empty
// list, or a section of these.
func isEmpty(value any) bool {
	if o, ok := value.(object); ok {
		for _, m := range o {
			if !isEmpty(m.value) {
				return false
			}
		}
		return true
	}
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// formatJSON returns the effective configuration, defaults included, with the keys of
// the file in the order of the reference. Secrets are redacted; a seed is
// never part of a configuration (rule R, randomness).
func (c *Config) JSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(treeOf(c.keys())); err != nil {
		return nil, fmt.Errorf("writing the configuration as JSON: %w", err)
	}
	return b.Bytes(), nil
}

// Setting is one key with its effective value.
type Setting struct {
	Key, Value string
	// Line of the file that sets it; 0: a default.
	Line int
}

// Settings lists all keys with their effective values, in the order of the
// reference, secrets redacted.
func (c *Config) Settings() ([]Setting, error) {
	table := c.keys()
	out := make([]Setting, 0, len(table))
	for _, k := range table {
		value, err := json.Marshal(k.value.json())
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", k.path, err)
		}
		out = append(out, Setting{Key: k.path, Value: string(value), Line: c.origin[k.path].line})
	}
	return out, nil
}

// JSONSchema returns a JSON Schema (draft 2020-12) of the configuration file,
// made from the key table, for editors that check and complete while typing. It
// knows keys, types and bounds of one value each; rules that
// combine several keys are checked by Load only.
func JSONSchema() ([]byte, error) {
	schema := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Configuration of anond"},
	}
	schema = append(schema, sectionSchema(new(Config).keys())...)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("writing the JSON Schema: %w", err)
	}
	return b.Bytes(), nil
}

// sectionSchema describes a mapping by the table of its keys.
func sectionSchema(table []key) object {
	var properties object
	required := []string{}
	for i, k := range table {
		name, _, nested := strings.Cut(k.path, ".")
		if _, done := properties.get(name); !done {
			properties = append(properties, member{name, propertySchema(k, table[i:], name, nested)})
		}
		if k.required && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	return object{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}, {"required", required}}
}

// propertySchema describes one name of a mapping: a setting, or the section of
// all keys below it.
func propertySchema(k key, table []key, name string, nested bool) object {
	if nested {
		var inner []key
		for _, other := range table {
			if path, below := strings.CutPrefix(other.path, name+"."); below {
				other.path = path
				inner = append(inner, other)
			}
		}
		return sectionSchema(inner)
	}
	return append(object{{"description", k.doc}}, k.value.shape()...)
}

// orReference also allows ${...} for a value that is not a text.
func orReference(shape object) object {
	return object{{"anyOf", []object{shape, {{"type", "string"}, {"pattern", `\$\{`}}}}}
}

func (o object) get(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

func (s scalar[T]) shape() object {
	if s.form == nil {
		return object{{"type", "string"}}
	}
	return orReference(s.form)
}

func (p pathValue) shape() object { return object{{"type", "string"}} }
func (e every) shape() object     { return object{{"type", []string{"integer", "string"}}} }

func (l list[T]) shape() object {
	return object{{"type", "array"}, {"items", l.of(new(T)).shape()}}
}

func (o objects[T]) shape() object {
	return object{{"type", "array"}, {"items", sectionSchema(o.table())}}
}
