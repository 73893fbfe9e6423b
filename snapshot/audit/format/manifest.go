package format

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FormatVersion is the version of the format that this auditor knows, of datasets and of unions.
// The objects policy, quality and a schema entry's
// hierarchy are open: fields unknown to the auditor are tolerated there and
// nowhere else.
const FormatVersion = 5

// Manifest is manifest.json of one release.
type Manifest struct {
	FormatVersion  int          `json:"format_version"`
	Dataset        string       `json:"dataset"`
	Release        int          `json:"release"`
	CreatedAt      string       `json:"created_at"`
	Seeded         bool         `json:"seeded"`
	About          about        `json:"about"`
	Schema         []Column     `json:"schema"`
	Policy         Policy       `json:"policy"`
	Recoding       string       `json:"recoding"`
	Values         string       `json:"values"` // drawn: which row of its bucket shows a value is a random draw
	Records        int          `json:"records"`
	Classes        int          `json:"classes"`
	Buckets        int          `json:"buckets"` // level L2
	Pending        int          `json:"pending"`
	Erasure        *Erasure     `json:"erasure"`          // when buckets leave whose people asked to be erased
	InitialMinPool int          `json:"initial_min_pool"` // release 1 at level L2: least number of people of the first pool
	Window         string       `json:"window"`           // how long a part stays
	Expired        int          `json:"expired"`          // what releases up to it gave birth to has left
	PeopleEver     int          `json:"people_ever"`      // with a window: who were ever published
	Union          *unionVector `json:"union"`            // of a union of shards
	View           *View        `json:"view"`             // of a view of another chain
	Parts          []Part       `json:"parts"`
	Documents      []Document   `json:"documents"`
	Quality        openObject   `json:"quality"`
	Privacy        privacy      `json:"privacy"`
	Tables         [][]string   `json:"tables"` // level L2: pairs of sensitive attributes with pair tables
	Previous       *previousRef `json:"previous"`

	Sha    string // SHA-256 of the file's bytes, hex
	odd    bool   // the file is not in canonical form
	Pruned *Vault // has the files of a pruned release; nil: they are in its directory
}

// about is what the owner says of the releases.
type about struct {
	Licence string `json:"licence"`
	Contact string `json:"contact"`
}

// Column is one attribute of the schema.
type Column struct {
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	Type      string     `json:"type"`
	Digits    int        `json:"digits"` // decimal: behind the point
	Weight    float64    `json:"weight"` // of a quasi-identifier: what its distances count for, if that is less than 1
	Scale     float64    `json:"scale"`  // of numbers: the width that loses all; of dates in days
	Hierarchy *Hierarchy `json:"hierarchy"`
	Text      string     `json:"text"`      // exact: texts of records are not normalized
	Missing   string     `json:"missing"`   // value: there may be none
	Values    string     `json:"values"`    // exact: numbers are shown as they are
	Precision string     `json:"precision"` // of a date: month or year, if a date is the first day of one
	Promise   *Promise   `json:"promise"`   // of a sensitive attribute at level L2, where it has one of its own
	Aliases   string     `json:"aliases"`   // fold: spellings that differ only by dots, case, hyphens or spaces are one value
}

// Hierarchy says how a column generalizes: by the labels of a copied file, or by
// aligned intervals of declared widths.
type Hierarchy struct {
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"`
	Steps  []float64 `json:"steps"`
	// Buckets are the lower bounds of the intervals of a numeric sensitive attribute.
	Buckets []float64 `json:"buckets"`
}

// UnmarshalJSON tolerates unknown fields: hierarchy is an open object.
func (h *Hierarchy) UnmarshalJSON(b []byte) error {
	type plain Hierarchy
	return json.Unmarshal(b, (*plain)(h))
}

// Policy is what the manifest declares; the fields the auditor checks.
type Policy struct {
	K             int              `json:"k"`
	L             int              `json:"l"`
	Level         string           `json:"level"`    // L2; absent: L1
	MinPool       int              `json:"min_pool"` // level L2: least number of records of a pool
	Diversity     []jsontext.Value `json:"diversity"`
	Republication string           `json:"republication"`
	MaxRegroups   *int             `json:"max_regroups"`   // absent or negative: no bound is declared
	SubjectRepeat string           `json:"subject_repeat"` // first or history; absent: not declared
}

// UnmarshalJSON tolerates unknown fields: policy is an open object.
func (p *Policy) UnmarshalJSON(b []byte) error {
	type plain Policy
	return json.Unmarshal(b, (*plain)(p))
}

// openObject is an object whose fields the auditor does not interpret.
type openObject map[string]jsontext.Value

// File is one file of a release.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Rows   int    `json:"rows"`
}

// privacy is what the publisher claims to have reached.
type privacy struct {
	KMin         int                `json:"k_min"`
	MaxFrequency float64            `json:"max_frequency"`
	Certificate  string             `json:"certificate"`
	Level        string             `json:"level"`
	K1           string             `json:"k1"`
	Grown        bool               `json:"grown"`      // the first pool was refused, and grew
	Attributes   []AttributePrivacy `json:"attributes"` // level L2
	Settle       string             `json:"settle"`     // level L2: how long each person is observed before; empty: not at all
	Updates      string             `json:"updates"`    // what an update does in that time
	// Where people are published with their histories: the unit is the person, the promise is of a value that ever occurs in one.
	Unit       string `json:"unit"`
	Promise    string `json:"promise"`
	MaxRecords int    `json:"max_records"` // of a person, at most
}

// previousRef ties a manifest to the one before it.
type previousRef struct {
	Release int    `json:"release"`
	SHA256  string `json:"sha256"`
}

// ParseManifest decodes a manifest strictly: exact field names, no duplicate
// keys, no unknown fields outside the open objects, one JSON value. file is
// used in errors, which never quote the content.
func ParseManifest(file string, data []byte) (*Manifest, error) {
	return ParseAs(file, data, (*Manifest).check)
}

// ParseAs is parseManifest with the test of what any later step relies on.
func ParseAs(file string, data []byte, check func(*Manifest) string) (*Manifest, error) {
	m := &Manifest{Sha: HexSHA(data), odd: !Canonical(data)}
	if err := json.Unmarshal(data, m, json.RejectUnknownMembers(true)); err != nil {
		return nil, manifestError(file, data, err)
	}
	if reason := check(m); reason != "" {
		return nil, Unreadable(file, 0, "%s", reason)
	}
	return m, nil
}

func manifestError(file string, data []byte, err error) error {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return Unreadable(file, lineAt(data, syntactic.ByteOffset), "is not valid JSON")
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		reason := "a field has the wrong type"
		if errors.Is(err, json.ErrUnknownName) {
			reason = "unknown field"
		}
		return Unreadable(file, lineAt(data, semantic.ByteOffset), "%s", reason)
	}
	return Unreadable(file, 0, "is not a manifest")
}

// check tests what any later step relies on.
func (m *Manifest) check() string {
	switch {
	case m.Union != nil:
		return "is the manifest of a union, among releases that are none"
	case slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Shard != nil }):
		return "speaks of shards, and is no union"
	}
	return m.checkFields()
}

// checkFields is check of what manifests of all versions have.
func (m *Manifest) checkFields() string {
	switch {
	case m.FormatVersion != FormatVersion:
		return fmt.Sprintf("has format_version %d, and this auditor reads format %d alone", m.FormatVersion, FormatVersion)
	case m.Release < 1 || m.Records < 0 || m.Classes < 0 || m.Pending < 0:
		return "release or a count is out of range"
	case m.Buckets < 0 || m.Buckets > MaxRows:
		return "the number of buckets is out of range"
	case m.Policy.K < 1 || m.Policy.L < 0 || m.Policy.L == 0 && !m.allPromised():
		return "policy.k or policy.l is missing"
	case m.View != nil && (m.View.First < 1 || m.View.First > m.Release || !m.AtL2() || m.Union != nil):
		return "view is malformed, or not of level L2"
	case m.Policy.LevelName() == "":
		return "policy.level is not one this auditor knows"
	case m.Previous != nil && !IsSHA(m.Previous.SHA256):
		return "previous.sha256 is not a SHA-256"
	}
	if _, ok := parseWindow(m.Window); !ok && (m.Window != "" || m.Expired != 0 || m.PeopleEver != 0 && m.Erasure == nil) || ok && !m.AtL2() ||
		m.Expired < 0 || m.Expired >= m.Release || !inRange(m.PeopleEver) {
		return "window, expired or people_ever is malformed"
	}
	if !m.settles() {
		return "privacy.settle or privacy.updates is malformed"
	}
	if !m.remembers() {
		return "privacy.unit, privacy.promise or privacy.max_records is malformed, or does not go with what else the manifest says"
	}
	if _, err := time.Parse(time.RFC3339, m.CreatedAt); err != nil {
		return "created_at is not a time"
	}
	if reason := m.checkParts(); reason != "" {
		return reason
	}
	return m.checkSchema()
}

func (m *Manifest) checkSchema() string {
	sensitive, seen := 0, map[string]bool{}
	for _, c := range m.Schema {
		if seen[c.Name] || c.Name == "" {
			return "schema names an attribute twice or not at all"
		}
		seen[c.Name] = true
		switch c.Role {
		case "sensitive":
			sensitive++
		case "quasi", "subject", "record", "identifier", "drop":
		default:
			return "schema has an unknown role"
		}
		switch c.Type {
		case "integer", "decimal", "date", "categorical":
		case "":
			if c.Role == "quasi" {
				return "a quasi-identifier has no type"
			}
		default:
			return "schema has an unknown type"
		}
		if c.Promise != nil && (c.Role != "sensitive" || !m.AtL2() || !c.Promise.wellFormed()) {
			return "schema has a promise of an attribute that can have none, or a malformed one"
		}
		if c.Missing != "" && !c.mayLack() || c.Promise != nil && c.Promise.Open && !c.mayLack() {
			return "schema has an attribute whose missing values are neither refused nor values, or open and refused"
		}
		if c.Values != "" && !c.exact(m) {
			return "schema has exact values of an attribute that can have none"
		}
		if c.Digits < 0 || c.Digits > 9 || c.Digits > 0 && c.Type != "decimal" {
			return "schema has digits out of range, or of no decimal"
		}
		if c.Precision != "" && (c.Type != "date" || c.Precision != "month" && c.Precision != "year") {
			return "schema has an unknown precision, or one of no date"
		}
		if c.Scale != 0 && !c.scaled() {
			return "schema has a malformed scale"
		}
		if c.Weight < 0 || c.Weight > 1 || c.Weight > 0 && c.Role != "quasi" {
			return "schema has a weight out of range, or of no quasi-identifier"
		}
		if h := c.Hierarchy; h != nil && !h.wellFormed(c.Digits) {
			return "schema has a malformed hierarchy"
		}
	}
	if sensitive == 0 || sensitive > 1 && !m.AtL2() {
		return "schema has no sensitive attribute, or several and not level L2"
	}
	return m.checkTables()
}

// checkTables tests that pairs are of sensitive attributes, in the order of the schema, and each listed once, sorted.
func (m *Manifest) checkTables() string {
	last := [2]int{-1, -1}
	for _, pair := range m.Tables {
		now := [2]int{-1, -1}
		for i := range min(len(pair), 2) {
			now[i] = slices.IndexFunc(m.Schema, func(c Column) bool { return c.Role == "sensitive" && c.Name == pair[i] })
		}
		if len(pair) != 2 || !m.AtL2() || now[0] < 0 || now[0] >= now[1] || slices.Compare(last[:], now[:]) >= 0 {
			return "an entry of tables is no pair of sensitive attributes in the order of the schema, or out of order"
		}
		last = now
	}
	return ""
}

// exactValues is Column.Values of numbers that are shown as they are.
const exactValues = "exact"

// exact reports that exact values are those of a sensitive number with declared intervals, at level L2.
func (c *Column) exact(m *Manifest) bool {
	if c.Values != exactValues || !m.AtL2() || c.Role != "sensitive" || c.Type == "categorical" || c.Type == "" ||
		c.Hierarchy == nil || len(c.Hierarchy.Buckets) == 0 || !slices.IsSorted(c.Hierarchy.Buckets) {
		return false
	}
	_, ok := (&Attribute{Digits: c.Digits}).Units(c.Hierarchy.Buckets)
	return ok
}

// mayLack reports whether records may have no value of the column.
func (c *Column) mayLack() bool { return c.Missing == "value" }

// scaled reports whether the scale is a width of numbers of the column.
func (c *Column) scaled() bool {
	unit := math.Pow10(c.Digits)
	return c.Role == "quasi" && c.Type != "categorical" &&
		c.Scale > 0 && c.Scale*unit < 4*mostUnits && math.Round(c.Scale*unit)/unit == c.Scale
}

func (h *Hierarchy) wellFormed(digits int) bool {
	steps, ok := (&Attribute{Digits: digits}).Units(h.Steps)
	if !ok {
		return false
	}
	for i, w := range steps {
		if w <= 0 || i > 0 && (w <= steps[i-1] || w%steps[i-1] != 0) {
			return false
		}
	}
	return h.File == "" || isFileName(h.File) && IsSHA(h.SHA256) && len(h.Steps) == 0
}

func IsSHA(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && s == strings.ToLower(s)
}

// isFileName refuses paths, so that a manifest cannot point outside its release.
// A hierarchy may be given as "hierarchies/x.csv"; see hierarchyBase.
func isFileName(s string) bool {
	s = hierarchyBase(s)
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}

func hierarchyBase(s string) string { return strings.TrimPrefix(s, "hierarchies/") }

// Principle is one declared diversity principle.
type Principle struct {
	Kind  string
	L     float64
	C     float64
	Close *ClosePromise // kind t
}

// Principles reads policy.diversity: objects with a kind ("distinct",
// "entropy", "recursive", ...) and its parameters. Unknown ones are returned
// by their position, to be listed as not checked.
func (p *Policy) Principles() (known []Principle, unknown int) {
	for _, raw := range p.Diversity {
		var d struct {
			Kind      string  `json:"kind"`
			Type      string  `json:"type"`
			Principle string  `json:"principle"`
			Name      string  `json:"name"`
			L         float64 `json:"l"`
			C         float64 `json:"c"`
			T         float64 `json:"t"`

			Distance  string       `json:"distance"`
			Reference []ValueCount `json:"reference"`
			Declared  bool         `json:"declared"`
		}
		if json.Unmarshal(raw, &d) != nil {
			unknown++
			continue
		}
		for _, name := range []string{d.Type, d.Principle, d.Name} {
			if d.Kind == "" {
				d.Kind = name
			}
		}
		switch {
		case (d.Kind == "distinct" || d.Kind == "entropy") && d.L > 0,
			d.Kind == "recursive" && d.L >= 1 && d.C > 0:
			known = append(known, Principle{Kind: d.Kind, L: d.L, C: d.C})
		case d.Kind == "frequency" && d.L > 0:
			known = append(known, Principle{Kind: d.Kind, L: d.L})
		case d.Kind == "t":
			p := &ClosePromise{T: d.T, Distance: d.Distance, Reference: d.Reference, Declared: d.Declared}
			if p.Check() != "" {
				unknown++
				continue
			}
			known = append(known, Principle{Kind: d.Kind, Close: p})
		default:
			unknown++
		}
	}
	return known, unknown
}
