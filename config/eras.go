package config

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"anond/internal/csvfields"
)

// Later are the keys of Digests that may be others for later pools: blind, what decides who shares a class or a pool, or how a release
// shows classes; and caps, what is asked of a bag, with what has a default that follows from that. They are those that the column
// "change" says so of; of an attribute that is no quasi-identifier, range, hierarchy and role are fixed.
//
// Rule B (buckets): blind settings and caps may differ by pool (incremental/state, Era). Which quasi-identifiers a pool shows and is
// divided by is blind: who shares a class may depend on all of them, and on any choice that depends on no value of those who wait.
func (c *Config) Later() (blind, caps []string) {
	if c.Policy.Level != L2 || c.Shard.Set() {
		return nil, nil
	}
	for _, key := range changes[NextPool] {
		of, attribute := strings.CutPrefix(key, "schema.attributes[].")
		switch {
		case attribute && strings.HasPrefix(of, "promise."):
		case attribute:
			for _, a := range c.Attributes {
				if a.Role.Blind() {
					blind = append(blind, fmt.Sprintf("schema.attributes[%s].%s", a.Name, of))
				}
			}
		case slices.Contains([]string{"policy.l", "policy.diversity", "initial.min_pool", "policy.max_pool"}, key):
			caps = append(caps, key)
		default:
			blind = append(blind, key)
		}
	}
	for _, i := range c.schema.Sensitive() {
		caps = append(caps, promiseKey(c.Attributes[i].Name))
	}
	return blind, caps
}

// Newcomers are the keys of Digests that may be others for people who come later: what is taken in, and of whom. They are those that the
// column "change" says so of; of a sensitive attribute also range and max_length. Further attributes may follow the others: the state
// knows which these are.
//
// Rule S (subjects): everybody's record is judged once, by what was valid when the person came; without a subject nobody knows who
// had come (incremental, newcomers.go).
func (c *Config) Newcomers() (keys []string) {
	if c.Policy.Level != L2 || c.Shard.Set() || c.schema.SubjectIndex() < 0 {
		return nil
	}
	for _, key := range changes[Newcomers] {
		of, attribute := strings.CutPrefix(key, "schema.attributes[].")
		if !attribute {
			keys = append(keys, key)
			continue
		}
		for _, a := range c.Attributes {
			keys = append(keys, fmt.Sprintf("schema.attributes[%s].%s", a.Name, of))
		}
	}
	for _, i := range c.schema.Sensitive() {
		for _, of := range []string{"range", "max_length"} {
			keys = append(keys, fmt.Sprintf("schema.attributes[%s].%s", c.Attributes[i].Name, of))
		}
	}
	return keys
}

// frozen is what a state keeps of the settings of a dataset.
type frozen struct {
	Settings map[string]any    `json:"settings"`
	Files    map[string]string `json:"files,omitempty"` // by path: hierarchies, and declared counts
}

// Frozen returns what a state keeps of the settings under which it is: those of the dataset, as JSON, with the content of the files
// that they name, compressed. No secret is part of it, and nothing of where the dataset reads or writes.
func (c *Config) Frozen() []byte {
	out := frozen{Settings: map[string]any{}, Files: map[string]string{}}
	for _, k := range c.frozenKeys() {
		if value := k.value.json(); !isEmpty(value) {
			out.Settings[k.path] = set(value)
		}
	}
	for _, h := range c.Hierarchies {
		out.Files[h.Path] = string(h.Content)
	}
	for i, a := range c.Attributes {
		if p := c.promises[i]; p != nil && a.Promise.Reference != "" {
			text := []byte("value,count\n")
			for _, value := range slices.Sorted(maps.Keys(p.Reference)) {
				text = fmt.Appendf(csvfields.Append(text, value, ','), ",%d\n", p.Reference[value])
			}
			out.Files[a.Promise.Reference] = string(text)
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic("config: a setting has no JSON form") // numbers are finite, the rest are texts
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // the level exists
	_, err = w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		panic("config: a buffer takes no more") // it has no end
	}
	return b.Bytes()
}

// set is a value without what is not set in it.
func set(value any) any {
	switch value := value.(type) {
	case []object:
		out := make([]any, len(value))
		for i, o := range value {
			out[i] = set(o)
		}
		return out
	case object:
		var out object
		for _, m := range value {
			if !isEmpty(m.value) {
				out = append(out, member{m.name, set(m.value)})
			}
		}
		return out
	}
	return value
}

// frozenKeys are those of the dataset.
func (c *Config) frozenKeys() []key {
	return slices.DeleteFunc(c.keys(), func(k key) bool {
		_, secret := k.value.(scalar[Secret])
		_, path := k.value.(pathValue)
		of := ChangeOf(k.path)
		return secret || path || of != NextPool && of != Newcomers && of != Never && k.path != "source.format" ||
			strings.HasPrefix(k.path, "shard.")
	})
}

// mostFrozen bounds what is decompressed: hierarchies are at most this large (Load).
const mostFrozen = 1 << 30

// Thawed returns this configuration with the settings of the dataset that Frozen kept. Nothing is read from the disk.
func (c *Config) Thawed(content []byte) (*Config, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(content)), mostFrozen))
	var root yaml.Node
	kept := struct {
		Settings map[string]yaml.Node
		Files    map[string]string
	}{}
	if err = errors.Join(err, yaml.Unmarshal(text, &root)); err == nil {
		err = root.Decode(&kept)
	}
	if err != nil {
		return nil, fmt.Errorf("what the state keeps of them does not decode: %w", err)
	}
	r := newReader("", c.base, nil, func(path string) ([]byte, error) {
		if text, known := kept.Files[path]; known {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	})
	r.plain = true
	next := *c
	for _, k := range next.frozenKeys() {
		k.value.(interface{ clear() }).clear()
		if n, known := kept.Settings[k.path]; known {
			r.at[k.path] = place{1, 1}
			k.value.read(r, k.path, &n)
		}
	}
	next.Hierarchies, next.trees, next.promises, next.schema = nil, nil, nil, nil
	if len(r.faults) == 0 {
		for _, check := range []func(*Config, *reader){checkSchema, defaultsOfLevel, checkPromises, checkPolicy, checkLevel} {
			check(&next, r)
		}
	}
	if len(r.faults) > 0 {
		return nil, fmt.Errorf("%s: %s", r.faults[0].Key, r.faults[0].Reason)
	}
	return &next, nil
}

// Changed is one setting of the dataset that differs, as JSON.
type Changed struct {
	Key string `json:"key"`
	Was any    `json:"was"` // nil: it was not set
	Is  any    `json:"is"`
	Cap bool   `json:"cap"` // it is asked of a bag
}

// ChangedBy lists the settings of the dataset in which a later configuration differs, in order of their keys.
func (c *Config) ChangedBy(next *Config) (out []Changed) {
	was, is := c.Digests(), next.Digests()
	_, caps := next.Later()
	keys := slices.Collect(maps.Keys(is))
	for key := range was {
		if _, has := is[key]; !has {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if was[key] != is[key] {
			out = append(out, Changed{key, c.shown(key), next.shown(key), slices.Contains(caps, key)})
		}
	}
	return out
}

// shown is the value of a key of Digests; of a hierarchy a part of its digest, as the file may stay the same.
func (c *Config) shown(key string) any {
	table := c.keys()
	if rest, of := strings.CutPrefix(key, "schema.attributes["); of {
		name, path, _ := strings.Cut(rest, "].")
		at := slices.IndexFunc(c.Attributes, func(a attributeSettings) bool { return a.Name == name })
		if at < 0 {
			return nil
		}
		table, key = c.Attributes[at].keys(), path
		for _, h := range c.Hierarchies {
			if path == "hierarchy" && h.Attribute == name {
				sum := sha256.Sum256(h.Content)
				return fmt.Sprintf("%s (sha256 %x)", filepath.Base(h.Path), sum[:4])
			}
		}
	}
	var section object
	for _, k := range table {
		switch rest, within := strings.CutPrefix(k.path, key+"."); {
		case k.path == key && isEmpty(k.value.json()):
			return nil
		case k.path == key:
			return k.value.json()
		case within && !isEmpty(k.value.json()):
			section = append(section, member{rest, k.value.json()})
		}
	}
	if section == nil {
		return nil
	}
	return section
}
