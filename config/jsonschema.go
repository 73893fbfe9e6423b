package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
