package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"anond/equivclass"
)

// FormatVersion is the version of the release format, of datasets and of unions of shards: the files,
// their names, columns and cells, and the manifest. A reader refuses any other.
const FormatVersion = 5

// Manifest is manifest.json: public, so it holds neither offsets nor ids. The
// order of the fields is the order in the file.
type Manifest struct {
	FormatVersion  int            `json:"format_version"`
	Dataset        string         `json:"dataset"`
	Release        uint32         `json:"release"`
	CreatedAt      string         `json:"created_at"` // RFC 3339, UTC
	Seeded         bool           `json:"seeded"`
	About          *About         `json:"about,omitempty"` // release.about
	Schema         []SchemaEntry  `json:"schema"`
	Policy         Policy         `json:"policy"`
	Recoding       string         `json:"recoding"`
	Values         string         `json:"values,omitempty"` // valuesDrawn: rows have values of their bucket by random draws
	Tables         [][]string     `json:"tables,omitempty"` // level L2: pairs of sensitive attributes with pair tables
	Records        int            `json:"records"`
	Classes        int            `json:"classes"`
	Buckets        int            `json:"buckets,omitempty"` // level L2
	Pending        int            `json:"pending"`
	InitialMinPool int            `json:"initial_min_pool,omitempty"` // release 1 at level L2: least number of people of the first pool
	Erasure        *Erasure       `json:"erasure,omitempty"`          // when buckets leave whose people asked to be erased
	Window         string         `json:"window,omitempty"`           // how long a part stays: a number of releases, or an age
	Expired        uint32         `json:"expired,omitempty"`          // what releases up to it gave birth to has left
	PeopleEver     int            `json:"people_ever,omitempty"`      // with a window: who were ever published, gone or not
	Union          *UnionEntry    `json:"union,omitempty"`            // of a union of shards
	View           *ViewEntry     `json:"view,omitempty"`             // of a view of another chain (package views)
	Parts          []PartEntry    `json:"parts"`                      // in order of birth (of a union: shard by shard)
	Documents      []Document     `json:"documents,omitempty"`        // a union has none
	Quality        Quality        `json:"quality"`
	Privacy        Privacy        `json:"privacy"`
	Previous       *PreviousEntry `json:"previous"`
}

// ViewEntry says what a view shows besides its schema: which cells and values are coarser than those of the dataset's own releases.
type ViewEntry struct {
	Name   string            `json:"name"`
	Of     string            `json:"of"`    // dataset
	First  uint32            `json:"first"` // release with which the chain of the view begins
	Cells  map[string]string `json:"cells,omitempty"`
	Values map[string]string `json:"values,omitempty"`
}

// First is the release with which the chain begins: 1, but for a view that began later.
func (m *Manifest) First() uint32 {
	if m.View == nil {
		return 1
	}
	return m.View.First
}

// About is what the owner says of the releases.
type About struct {
	Licence string `json:"licence,omitempty"`
	Contact string `json:"contact,omitempty"`
}

// Document is a file next to the manifest: see package describe.
type Document struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// DocumentEntries are the documents as files of a release.
func (m *Manifest) DocumentEntries() (out []FileEntry) {
	for _, d := range m.Documents {
		out = append(out, FileEntry{Name: d.Name, SHA256: d.SHA256, Bytes: d.Bytes})
	}
	return out
}

// Erasure is when buckets leave: with the first release of a period, at so many requests of their people.
type Erasure struct {
	Every int64 `json:"every"` // seconds
	Count int   `json:"count"`
}

// SchemaEntry is one attribute. Type is empty where it is never looked at.
type SchemaEntry struct {
	Name      string          `json:"name"`
	Role      equivclass.Role `json:"role"`
	Type      equivclass.Type `json:"type"`
	Digits    int             `json:"digits,omitempty"` // decimal: behind the point
	Weight    float64         `json:"weight,omitempty"` // less than 1: what its distances count for when classes are formed
	Scale     float64         `json:"scale,omitempty"`  // of numbers: the width that loses all; of dates in days
	Hierarchy *HierarchyEntry `json:"hierarchy"`
	// Precision of a date that is month or year: a date is the first day of one.
	Precision equivclass.Precision `json:"precision,omitempty"`
	Text      string               `json:"text,omitempty"`    // exact: the texts of records are taken as written
	Missing   string               `json:"missing,omitempty"` // value: there may be none
	Aliases   string               `json:"aliases,omitempty"` // fold: texts that differ only by dots, case, hyphens or spaces are one value
	Promise   *Promise             `json:"promise,omitempty"` // of a sensitive attribute at level L2, if it has one of its own
	Values    string               `json:"values,omitempty"`  // exact: a sensitive number is shown as it is; promises are of its intervals
}

// HierarchyEntry says how values of an attribute are generalized: by the labels
// of a file in the releases directory, by aligned intervals, or into buckets.
type HierarchyEntry struct {
	File    string    `json:"file,omitempty"`
	SHA256  string    `json:"sha256,omitempty"`
	Steps   []float64 `json:"steps,omitempty"`
	Buckets []float64 `json:"buckets,omitempty"`
}

// Copy is a file next to the releases that manifests name: a hierarchy, or the counts of a declared reference.
type Copy struct {
	Of     string // what it is, for errors
	File   string // below the releases directory
	SHA256 string
}

// Copies are the files next to the releases that the manifest names.
func (m *Manifest) Copies() (out []Copy) {
	for _, a := range m.Schema {
		if h := a.Hierarchy; h != nil && h.File != "" {
			out = append(out, Copy{fmt.Sprintf("hierarchy of attribute %q", a.Name), h.File, h.SHA256})
		}
		if p := a.Promise; p != nil && p.Reference != nil {
			out = append(out, Copy{fmt.Sprintf("reference of attribute %q", a.Name), p.Reference.File, p.Reference.SHA256})
		}
	}
	return out
}

// Placed reports whether a copy is in the directory of copies.
func (c Copy) Placed() bool {
	name, ok := strings.CutPrefix(c.File, HierarchyDir+"/")
	return ok && name == path.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, `\`)
}

// textExact is SchemaEntry.Text of an attribute whose texts are not normalized.
const textExact = "exact"

// aliasesFold is SchemaEntry.Aliases of an attribute whose texts are folded.
const aliasesFold = "fold"

// SetRule says how texts of records become values of the attribute.
func (e *SchemaEntry) SetRule(rule equivclass.Text) {
	if rule.Exact {
		e.Text = textExact
	}
	if rule.Folded {
		e.Aliases = aliasesFold
	}
}

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

// Encode writes the manifest: fixed key order, two spaces, LF at the end.
func (m *Manifest) Encode() ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("write %s: %w", ManifestName, err)
	}
	return buf.Bytes(), nil
}

// DecodeManifest reads a manifest. The error does not quote the content.
func DecodeManifest(data []byte) (*Manifest, error) {
	m := &Manifest{}
	if json.Unmarshal(data, m) != nil {
		return nil, fmt.Errorf("%w: %s is no manifest", ErrDamaged, ManifestName)
	}
	if v := m.FormatVersion; v != FormatVersion {
		return nil, fmt.Errorf("%w: %s has format_version %d, and this anond reads format %d alone: read it with the version that wrote it",
			ErrDamaged, ManifestName, v, FormatVersion)
	}
	return m, checkParts(m)
}
