package config

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
)

// fileVersion is the only version of the file's shape that this anond reads.
const fileVersion = 1

// Config is a complete and checked configuration. Only Load makes one.
// Paths are resolved: what was relative is relative to the file.
type Config struct {
	Version    int
	Dataset    string
	Source     Source
	DeadLetter DeadLetter
	Attributes []Attribute
	Missing    equivclass.Missing
	Repeat     Repeat
	Deletes    Deletes
	// SubjectSecret is the key of the digests of subjects, if not one of the state's seed.
	SubjectSecret Secret
	Shard         Shard
	Policy        Policy
	Initial       Initial
	Release       Release
	State         State
	Encryption    Encryption
	Memory        Memory
	HTTP          HTTP
	Control       Control
	Log           Log
	Outputs       Outputs
	Hierarchies   []HierarchyFile // one per attribute that names one, in schema order

	schema *equivclass.Schema
	trees  map[string]*equivclass.Hierarchy // by path
	origin map[string]place
	base   string                // directory of the file
	refer  map[string]*yaml.Node // values that refer to a file, by key
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
	content, err := read.small(path)
	if err != nil {
		return nil, nil, &Faults{[]Fault{{File: path, Reason: "cannot be read: " + plain(err), Suggestion: "name the file with -c; anond " +
			"config init prints a starting file"}}}
	}
	r := newReader(path, filepath.Dir(path), lookup, read)
	c := &Config{}
	r.document(content, c.keys())
	if len(r.at) > 0 {
		c.check(r)
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
func (c *Config) check(r *reader) {
	c.defaultsOfShard(r)
	c.checkSource(r)
	c.checkMemory(r)
	c.checkEncryption(r)
	c.checkDeadLetter(r)
	c.checkSchema(r)
	c.defaultsOfLevel(r)
	c.checkPolicy(r)
	c.checkLevel(r)
	c.checkSubjectKey(r)
	c.checkShard(r)
	c.checkReachable(r)
	c.checkDeletes(r)
	c.checkTrigger(r)
	c.checkPaths(r)
	c.checkHTTP(r)
	c.checkControl(r)
	c.checkOutputs(r)
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
