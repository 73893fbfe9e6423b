// Package describe writes what a release says of itself to others than anond: datapackage.json, as portals read it
// (Frictionless, https://specs.frictionlessdata.io), and receiver.md, a sheet for whoever receives the release.
//
// Guarantee: both are functions of the manifest, which is public (rule V, values: the manifest has no value but those that
// the configuration declares, and these files have none). So they tell nothing that the manifest does not.
//
// Cost: one entry for each file of each part.
package describe

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"anond/snapshot"
)

// Document is a file next to the manifest, which names it.
type Document struct {
	snapshot.Document
	Text []byte
}

// Of are the documents of a release, of which the manifest says all but their names.
func Of(m *snapshot.Manifest) (out []Document, err error) {
	pack, err := datapackage(m)
	if err != nil {
		return nil, err
	}
	for _, d := range []Document{{Text: pack}, {Text: sheet(m)}} {
		sum := sha256.Sum256(d.Text)
		d.Document = snapshot.Document{Name: snapshot.Documents()[len(out)], SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(d.Text))}
		out = append(out, d)
	}
	return out, nil
}

type dataPackage struct {
	Profile      string         `json:"profile"`
	Name         string         `json:"name"`
	Title        string         `json:"title"`
	Description  string         `json:"description"`
	Version      string         `json:"version"`
	Licenses     []license      `json:"licenses,omitempty"`
	Contributors []contributor  `json:"contributors,omitempty"`
	Anond        promised       `json:"anond"`
	Resources    []dataResource `json:"resources"`
}

type license struct {
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
}

type contributor struct {
	Title string `json:"title"`
	Email string `json:"email,omitempty"`
	Role  string `json:"role"`
}

// promised is what readers of data packages have no words for.
type promised struct {
	FormatVersion int             `json:"format_version"`
	People        int             `json:"people"`
	K             int             `json:"k"`
	Level         string          `json:"level"`
	Recoding      string          `json:"recoding"`
	Caps          []attributeCap  `json:"caps,omitempty"`
	Eras          []former        `json:"eras,omitempty"`
	Dead          map[string]dead `json:"dead_classes,omitempty"`
}

// former is what was promised of the parts of a former era.
type former struct {
	Until    uint32         `json:"until"`
	K        int            `json:"k"`
	Recoding string         `json:"recoding"`
	Caps     []attributeCap `json:"caps,omitempty"`
}

type dead []uint32

type attributeCap struct {
	Attribute string         `json:"attribute"`
	Cap       snapshot.Ratio `json:"cap"` // no value has a larger share of a bucket
}

type dataResource struct {
	Profile   string      `json:"profile"`
	Name      string      `json:"name"`
	Path      string      `json:"path"`
	Format    string      `json:"format"`
	MediaType string      `json:"mediatype"`
	Encoding  string      `json:"encoding"`
	Bytes     int64       `json:"bytes"`
	Hash      string      `json:"hash"`
	Schema    tableSchema `json:"schema"`
}

type tableSchema struct {
	Fields []field `json:"fields"`
}

type field struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
}

func datapackage(m *snapshot.Manifest) ([]byte, error) {
	p := dataPackage{Profile: "tabular-data-package", Name: packageName(m.Dataset), Title: m.Dataset, Version: fmt.Sprint(m.Release),
		Description: fmt.Sprintf("%d people, k = %d. receiver.md says what can be concluded and what cannot.", m.Records,
			m.Policy.K)}
	p.Resources = []dataResource{}
	p.Anond = promised{FormatVersion: m.FormatVersion, People: m.Records, K: m.Policy.K, Level: m.Privacy.Level, Recoding: m.Recoding,
		Dead: map[string]dead{}}
	p.Anond.Caps = caps(&m.Privacy)
	for i := range m.Eras {
		e := &m.Eras[i]
		p.Anond.Eras = append(p.Anond.Eras, former{e.Until, e.Policy.K, e.Recoding, caps(&e.Privacy)})
	}
	if a := m.About; a != nil {
		switch {
		case strings.Contains(a.Licence, "://"):
			p.Licenses = []license{{Path: a.Licence}}
		case a.Licence != "":
			p.Licenses = []license{{Name: a.Licence}}
		}
		if a.Contact != "" {
			c := contributor{Title: a.Contact, Role: "contact"}
			if address.MatchString(a.Contact) {
				c.Email = a.Contact
			}
			p.Contributors = []contributor{c}
		}
	}
	for i := range m.Parts {
		part := &m.Parts[i]
		if len(part.Dead) > 0 {
			p.Anond.Dead[part.Part] = part.Dead
		}
		for _, f := range part.Files {
			file := path.Join(part.Dir(), f.Name)
			p.Resources = append(p.Resources, dataResource{Profile: "tabular-data-resource",
				Name: strings.ReplaceAll(strings.TrimSuffix(file, ".csv"), "/", "-"), Path: file, Format: "csv", MediaType: "text/csv",
				Encoding: "utf-8", Bytes: f.Bytes, Hash: "sha256:" + f.SHA256, Schema: tableSchema{fields(m.Under(part), f.Name)}})
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(p)
	return out.Bytes(), err
}

func caps(p *snapshot.Privacy) (out []attributeCap) {
	for _, a := range p.Attributes {
		out = append(out, attributeCap{a.Name, a.Cap})
	}
	return out
}

var (
	address = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	unnamed = regexp.MustCompile(`[^-a-z0-9._]+`)
)

// packageName is a dataset's name in the letters that data packages have for theirs.
func packageName(dataset string) string {
	return unnamed.ReplaceAllString(strings.ToLower(dataset), "-")
}
