package config

import (
	"fmt"

	"anond/equivclass"
	"anond/ingest/pointer"
)

// Paths are the JSON Pointers of the attributes that have one, by name.
func (c *Config) Paths() map[string]string {
	out := map[string]string{}
	for _, a := range c.Attributes {
		if a.Path != "" {
			out[a.Name] = a.Path
		}
	}
	return out
}

// checkPointers checks where attributes lie: each pointer by itself, and that no two lie in
// one value.
func (c *Config) checkPointers(r *reader) {
	root := pointer.New()
	for i, a := range c.Attributes {
		if (a.Name == "__op" || a.Name == "__deleted") && (c.Source.Format == JSON || c.Source.Format == CSV) {
			r.warn(fmt.Sprintf("schema.attributes[%d].name", i), "is a member of flat change events: in format "+string(c.Source.Format)+
				" updates and deletes count as people", "set source.format to debezium-flat, or read a source of inserts only")
		}
		at := fmt.Sprintf("schema.attributes[%d].path", i)
		if !r.sound(at, fmt.Sprintf("schema.attributes[%d].name", i)) || a.Role == equivclass.Identifier || a.Role == equivclass.Drop {
			continue
		}
		steps := []string{a.Name}
		if a.Path != "" {
			if c.Source.Format == CSV {
				r.warn(at, "is not used: a field of CSV has no members", "remove it, or set source.format")
			}
			var err error
			if steps, err = pointer.Parse(a.Path); err != nil {
				r.fault(at, err.Error(), "write for instance /code/coding/0/code; in a name, ~ is ~0 and / is ~1")
				continue
			}
		}
		if other, ok := root.Add(steps, i); !ok && (a.Path != "" || c.Attributes[other].Path != "") {
			r.fault(at, fmt.Sprintf("lies in the value of attribute %q, or around it", c.Attributes[other].Name),
				"give each attribute a value of its own")
		}
	}
}
