package config

import (
	"path/filepath"
	"strings"

	"anond/equivclass"
)

// OneOff is what a command for a single table uses of a configuration: the
// schema and, if the file has them, the name and the promises. Other blocks are
// only checked for faults of form.
type OneOff struct {
	Dataset string                 // empty if not set
	K, L    int                    // 0 if not set
	Extra   []equivclass.Principle // policy.diversity
	// References are the declared distributions of t-closeness, by attribute of the schema.
	References  map[int][]equivclass.ValueCount
	Schema      *equivclass.Schema
	Hierarchies []HierarchyFile // one per attribute that names one, in schema order
}

// LoadOneOff reads the block schema of the configuration at path, and the
// hierarchy files it names. No other block is required. Errors and warnings are
// those of Load.
func LoadOneOff(path string, lookup Lookup, read ReadFile) (*OneOff, []Warning, error) {
	content, err := read.small(path)
	if err != nil {
		return nil, nil, &Faults{[]Fault{{File: path, Reason: "cannot be read: " + plain(err), Suggestion: "name the file with -c; its block " +
			"schema describes the columns"}}}
	}
	r := newReader(path, filepath.Dir(path), lookup, read)
	c := &Config{}
	table := c.keys()
	for i := range table {
		table[i].required = table[i].required && strings.HasPrefix(table[i].path, "schema.")
	}
	r.document(content, table)
	if len(r.at) > 0 {
		c.checkSchema(r)
		c.checkDiversity(r)
	}
	if len(r.faults) > 0 {
		inOrder(r.faults, path)
		return nil, r.sortedWarnings(), &Faults{r.faults}
	}
	out := &OneOff{Dataset: c.Dataset, K: c.Policy.K, L: c.Policy.L, Extra: c.Requirement().Extra, References: c.References(),
		Schema: c.schema, Hierarchies: c.Hierarchies}
	return out, r.sortedWarnings(), nil
}
