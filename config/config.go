// Package config reads and checks the YAML configuration file, and returns typed
// settings.
//
// Guarantee: Load returns either a complete, checked Config or every fault of
// the file at once, each with file, line, column, key, reason and suggestion.
// An unknown key, a key set twice and a value of the wrong type are faults;
// values are never guessed or converted.
//
// Method: one table of keys (Config.keys) says for each key where its value
// goes, its type, its default and its meaning. The walker, the effective
// configuration, the settings digests, the reference and the test of the
// starting file all read that table, so they always agree.
//
// Text such as ${VAR} is expanded in scalar values only, after parsing, so a
// value can never change the structure of the file (see expand).
//
// Cost: one pass over the file and over each hierarchy file. The other files that
// it names (TLS certificates, ${file:...}) are read once; Again reads those of secrets.
//
// Only cmd/anond imports this package: other packages get plain values.
package config

import (
	_ "embed"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/incremental/settle"
)

// fileVersion is the only version of the file's shape that this anond reads.
const fileVersion = 1

// Config is a complete and checked configuration. Only Load makes one.
// Paths are resolved: what was relative is relative to the file.
type Config struct {
	Version    int
	Dataset    string
	Source     sourceSettings
	DeadLetter deadLetter
	schemaSettings
	subjects
	Shard       Shard
	Policy      policy
	Initial     initial
	Release     releaseSettings
	State       state
	Encryption  encryption
	Memory      memory
	HTTP        HTTP
	Control     control
	Log         Log
	Outputs     outputs
	Hierarchies []HierarchyFile // one per attribute that names one, in schema order
	loaded
}

// schemaSettings is the block `schema`.
type schemaSettings struct {
	Attributes []attributeSettings
	Missing    equivclass.Missing
	Others     others
}

// subjects is the block `subject`: how the records of one person are treated.
type subjects struct {
	Repeat repeat
	// MaxRecords is how many records a history has at most.
	MaxRecords int
	Deletes    deletes
	Settle     settle.Rule // how long people are observed, without what becomes of updates
	Updates    updates
	Erasure    Erasure
	// SubjectSecret is the key of the digests of subjects, if not one of the state's seed.
	SubjectSecret Secret
	// SubjectLedger is the directory of the ledger of subjects; empty: the dataset shares none.
	SubjectLedger string
}

// loaded is what Load has found besides the values of the keys.
type loaded struct {
	schema *equivclass.Schema
	trees  map[string]*equivclass.Hierarchy // by path
	// promises are those of sensitive attributes, by their index.
	promises map[int]*promise.Promise
	origin   map[string]place
	base     string                // directory of the file
	refer    map[string]*yaml.Node // values that refer to a file, by key
}

// Schema returns the checked schema, hierarchies included.
func (c *Config) Schema() *equivclass.Schema { return c.schema }

// keys is the table of all keys, in the order of the documentation.
func (c *Config) keys() []key {
	table := []key{
		{path: "version", value: versionNumber(&c.Version), required: true, doc: "Version of the shape of this file: 1."},
		{path: "dataset", value: word(&c.Dataset), required: true,
			doc: "Name of the dataset, as the manifest of each release carries it. Fixed once a release is decided."},
	}
	for _, block := range [][]key{
		c.Source.keys(), c.Shard.keys(), c.DeadLetter.keys(), c.schemaKeys(), c.Policy.keys(),
		c.Initial.keys(), c.Release.keys(), c.State.keys(), c.Encryption.keys(), c.Memory.keys(), c.Control.keys(), c.HTTP.keys(), c.Log.keys(),
		c.Outputs.keys(),
	} {
		table = append(table, block...)
	}
	return table
}

func versionNumber(to *int) value {
	v := atLeast(fileVersion, "this anond reads version 1", to).(scalar[int])
	v.name = "integer"
	bounded := v.parse
	v.parse = func(s string) (int, error) {
		n, err := bounded(s)
		if err == nil && n > fileVersion {
			err = complain("is newer than this anond", "it reads version 1; use a newer anond")
		}
		return n, err
	}
	return v
}

// Load reads and checks the configuration at path, and the hierarchy files it
// names. lookup and read stand for the environment and the disk; os.LookupEnv
// and os.ReadFile fit.
//
// Guarantee: the error is nil or *Faults with everything that is wrong, and the
// Config is complete or nil. Warnings come in either case, in file order. No
// fault repeats a secret, or a text from outside the file.
func Load(path string, lookup Lookup, read ReadFile) (*Config, []Warning, error) {
	return LoadEdited(path, lookup, read, nil)
}

// LoadEdited is Load of the file with some keys set or removed, before anything is checked: what is removed need not be
// usable here. A fault of what was set names the place of the block that it is in.
func LoadEdited(path string, lookup Lookup, read ReadFile, edits []Edit) (*Config, []Warning, error) {
	content, err := read.small(path)
	if err != nil {
		return nil, nil, &Faults{[]Fault{{File: path, Reason: "cannot be read: " + plain(err), Suggestion: "name the file with -c; anond " +
			"init DATA writes one for a table"}}}
	}
	r := newReader(path, filepath.Dir(path), lookup, read)
	r.edits = edits
	c := &Config{}
	r.document(content, c.keys())
	if len(r.at) > 0 {
		check(c, r)
	}
	if len(r.faults) == 0 {
		checkApart(c, r, func(shard int) (*Config, error) {
			o, _, err := LoadEdited(path, ForShard(lookup, shard), read, edits)
			return o, err
		})
	}
	if len(r.faults) > 0 {
		inOrder(r.faults, path)
		return nil, r.sortedWarnings(), &Faults{r.faults}
	}
	c.origin, c.base, c.refer = r.at, r.base, r.referred
	return c, r.sortedWarnings(), nil
}

// check applies the rules that join several keys, block by block, and sets the
// defaults that follow from other keys.
func check(c *Config, r *reader) {
	defaultsOfShard(c, r)
	checkSource(c, r)
	checkMemory(c, r)
	checkEncryption(c, r)
	checkDeadLetter(c, r)
	checkSchema(c, r)
	defaultsOfLevel(c, r)
	checkPromises(c, r)
	checkPolicy(c, r)
	checkLevel(c, r)
	checkSubjectKey(c, r)
	checkSubjectLedger(c, r)
	checkShard(c, r)
	c.Initial.Source.check(c, r)
	checkReachable(c, r)
	checkDeletes(c, r)
	checkSettle(c, r)
	checkHistories(c, r)
	checkErasure(c, r)
	checkTrigger(c, r)
	checkWindow(c, r)
	checkViews(c, r)
	checkPaths(c, r)
	checkHTTP(c, r)
	checkControl(c, r)
	checkOutputs(c, r)
}

func (r *reader) sortedWarnings() []Warning {
	faults := make([]Fault, len(r.warnings))
	for i, w := range r.warnings {
		faults[i] = Fault(w)
	}
	inOrder(faults, r.file)
	for i, f := range faults {
		r.warnings[i] = Warning(f)
	}
	return r.warnings
}

// Starting is the commented file that `anond config init` prints. A test checks
// that it passes Load as it is, and that it names every key.
//
//go:embed starting.yaml
var Starting string

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
		checkSchema(c, r)
		checkOne(c, r)
		checkDiversity(c, r)
	}
	if len(r.faults) > 0 {
		inOrder(r.faults, path)
		return nil, r.sortedWarnings(), &Faults{r.faults}
	}
	out := &OneOff{Dataset: c.Dataset, K: c.Policy.K, L: c.Policy.L, Extra: c.Requirement().Extra, References: c.References(),
		Schema: c.schema, Hierarchies: c.Hierarchies}
	return out, r.sortedWarnings(), nil
}
