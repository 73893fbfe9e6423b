package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"anond/equivclass"
	"anond/incremental"
)

// FormatVersion is the version of the release format that is written: the files,
// their names, columns and cells, and the manifest. A reader refuses
// any other. Version 3 is a union: the parts of releases of several shards, each of version 2.
const (
	FormatVersion = 2
	formatUnion   = 3
)

// manifestName is the file that speaks for a release.
const manifestName = "manifest.json"

// Manifest is manifest.json: public, so it holds neither offsets nor ids. The
// order of the fields is the order in the file.
type Manifest struct {
	FormatVersion  int            `json:"format_version"`
	Dataset        string         `json:"dataset"`
	Release        uint32         `json:"release"`
	CreatedAt      string         `json:"created_at"` // RFC 3339, UTC
	Seeded         bool           `json:"seeded"`
	Schema         []SchemaEntry  `json:"schema"`
	Policy         Policy         `json:"policy"`
	Recoding       string         `json:"recoding"`
	Values         string         `json:"values,omitempty"` // valuesDrawn: rows have values of their bucket by random draws
	Records        int            `json:"records"`
	Classes        int            `json:"classes"`
	Buckets        int            `json:"buckets,omitempty"` // level L2
	Pending        int            `json:"pending"`
	InitialMinPool int            `json:"initial_min_pool,omitempty"` // release 1 at level L2: least number of people of the first pool
	Union          *UnionEntry    `json:"union,omitempty"`            // format version 3
	Parts          []PartEntry    `json:"parts"`                      // in order of birth (of a union: shard by shard)
	Quality        Quality        `json:"quality"`
	Privacy        Privacy        `json:"privacy"`
	Previous       *PreviousEntry `json:"previous"`
}

// SchemaEntry is one attribute. Type is empty where it is never looked at.
type SchemaEntry struct {
	Name      string          `json:"name"`
	Role      equivclass.Role `json:"role"`
	Type      equivclass.Type `json:"type"`
	Digits    int             `json:"digits,omitempty"` // decimal: behind the point
	Scale     float64         `json:"scale,omitempty"`  // of numbers: the width that loses all; of dates in days
	Hierarchy *HierarchyEntry `json:"hierarchy"`
	Text      string          `json:"text,omitempty"`    // exact: the texts of records are taken as written
	Missing   string          `json:"missing,omitempty"` // value: there may be none
	Aliases   string          `json:"aliases,omitempty"` // fold: texts that differ only by dots, case, hyphens or spaces are one value
}

// HierarchyEntry says how values of an attribute are generalized: by the labels
// of a file in the releases directory, by aligned intervals, or into buckets.
type HierarchyEntry struct {
	File    string    `json:"file,omitempty"`
	SHA256  string    `json:"sha256,omitempty"`
	Steps   []float64 `json:"steps,omitempty"`
	Buckets []float64 `json:"buckets,omitempty"`
}

// textExact is SchemaEntry.Text of an attribute whose texts are not normalized.
const textExact = "exact"

// aliasesFold is SchemaEntry.Aliases of an attribute whose texts are folded.
const aliasesFold = "fold"

// Rule is how texts of records become values of the attribute.
func (e *SchemaEntry) Rule() equivclass.Text {
	return equivclass.Text{Exact: e.Text == textExact, Folded: e.Aliases == aliasesFold}
}

// FileEntry is one data file. Rows do not count the header.
type FileEntry struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Rows   int    `json:"rows"`
}

// PreviousEntry chains a manifest to the one before it.
type PreviousEntry struct {
	Release uint32 `json:"release"`
	SHA256  string `json:"sha256"`
}

// encode writes the manifest: fixed key order, two spaces, LF at the end.
func (m *Manifest) encode() ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("write %s: %w", manifestName, err)
	}
	return buf.Bytes(), nil
}

// decodeManifest reads a manifest. The error does not quote the content.
func decodeManifest(data []byte) (*Manifest, error) {
	m := &Manifest{}
	if json.Unmarshal(data, m) != nil {
		return nil, fmt.Errorf("%w: %s is no manifest", ErrDamaged, manifestName)
	}
	if v := m.FormatVersion; v != FormatVersion && v != formatUnion {
		return nil, fmt.Errorf("%w: %s has format_version %d, and this anond reads format %d, and %d of a union, alone: read it with the "+
			"version that wrote it", ErrDamaged, manifestName, v, FormatVersion, formatUnion)
	}
	return m, checkParts(m)
}

// newManifest fills in what is known before the data files are written.
func newManifest(in *Input, s *Settings, from *standing) (*Manifest, error) {
	entries, err := schemaEntries(in, s.Hierarchies)
	if err != nil {
		return nil, err
	}
	m := &Manifest{
		FormatVersion: FormatVersion,
		Dataset:       s.Dataset,
		Release:       in.Release,
		CreatedAt:     time.Unix(in.CreatedAt, 0).UTC().Format(time.RFC3339),
		Seeded:        in.Seeded,
		Schema:        entries,
		Policy:        s.Policy,
		Recoding:      s.Recoding.Name(),
		Pending:       in.Pending,
	}
	if m.Policy.Level = ""; in.Level == incremental.L2 {
		m.Policy.Level = policyL2
	}
	if in.Level == incremental.L2 && in.Release == 1 {
		m.InitialMinPool = in.FirstNeed
	}
	if m.Policy.Diversity == nil {
		m.Policy.Diversity = []Diversity{}
	}
	m.Policy.Diversity = withReferences(m.Policy.Diversity, in)
	if from.manifest != nil {
		m.Previous = &PreviousEntry{Release: from.release(), SHA256: hex.EncodeToString(from.sha256[:])}
	}
	return m, nil
}

// schemaEntries describes what is published.
func schemaEntries(in *Input, files []HierarchyFile) ([]SchemaEntry, error) {
	out := make([]SchemaEntry, 0, len(in.Schema.Attributes()))
	scale := in.Scale
	for _, a := range in.Schema.Attributes() {
		e := SchemaEntry{Name: a.Name, Role: a.Role, Type: a.Type, Digits: a.Digits}
		if a.Role == equivclass.Quasi && len(scale) > 0 {
			if of := scale[0]; a.Type.Numeric() {
				e.Scale = a.Float(of.Hi - of.Lo)
			}
			scale = scale[1:]
		}
		if a.Text.Exact {
			e.Text = textExact
		}
		if a.Optional {
			e.Missing = string(equivclass.MissingValue)
		}
		if a.Text.Folded {
			e.Aliases = aliasesFold
		}
		if len(a.Steps) > 0 || len(a.Buckets) > 0 {
			e.Hierarchy = &HierarchyEntry{Steps: floats(&a, a.Steps), Buckets: floats(&a, a.Buckets)}
		}
		for i := range files {
			if files[i].Attribute == a.Name {
				e.Hierarchy = &HierarchyEntry{File: files[i].copyName(), SHA256: files[i].sha256()}
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// floats writes numbers of an attribute as JSON does, which loses nothing.
func floats(a *equivclass.Attribute, units []int64) (out []float64) {
	for _, v := range units {
		out = append(out, a.Float(v))
	}
	return out
}

// sha is the SHA-256 by which a manifest is chained.
func sha(data []byte) [32]byte { return sha256.Sum256(data) }
