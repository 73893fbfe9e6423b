// Package dpo writes the report on a release that a data-protection officer signs, and a short one for recipients.
//
// Guarantee: one HTML page that needs nothing else and prints well. Its figures are those
// of the published files, their manifests, an audit, and where asked for of the state, a population and a model. No figure is the
// truth about people: none counts right guesses. What recipients get has figures of public files alone. The same input gives the
// same bytes.
//
// Method: three questions of the Article 29 Working Party (Opinion 05/2014, section 2.2:
// singling out, linkability, inference) are answered by what the manifest says of the
// release and by what the audit found in all releases.
package dpo

import (
	"embed"
	"html/template"
	"io"

	"anond/equivclass"
	"anond/internal/ops/monitor"
	"anond/internal/ops/present"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// Facts are what a report is made of.
type Facts struct {
	Manifest *snapshot.Manifest // of the release
	SHA256   string             // of the manifest
	Releases []snapshot.Info    // all, oldest first
	Audit    *audit.Report      // of all releases
	Private  bool               // the audit had the private exports
	Counts   *Counts            // of the state; nil: the report is of public files alone

	Shape      *Shape      // of the files; nil: they are gone
	Population *Population // nil: the owner gave no counts
	Beliefs    *Beliefs    // nil: no model was trained
}

// Counts say what became of every record that was read, as the state has it now:
// Sent = Published + Expired + Withdrawn + Pending + DeadLetter + Forgotten + Beyond.
type Counts struct {
	Sent, Published, Expired, Withdrawn, Pending, DeadLetter, Forgotten, Beyond uint64

	Due     int // people who are to be forgotten
	Refused map[equivclass.Reason]uint64
}

//go:embed *.tmpl
var sources embed.FS

//go:embed report.css
var style string

// titledParts are parts under a title.
type titledParts struct {
	Title string
	Parts []part
}

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"titled": func(title string, parts []part) titledParts { return titledParts{title, parts} },
}).ParseFS(sources, "*.tmpl"))

// WriteRecipients writes the short version for those who receive the release.
func WriteRecipients(w io.Writer, f *Facts) error {
	m := modelOf(f)
	m.Kind = "what you have, and what not"
	return pages.ExecuteTemplate(w, "recipients", m)
}

// Write writes the report for signature.
func Write(w io.Writer, f *Facts) error {
	m := modelOf(f)
	m.Kind = "data-protection report"
	until := f.Releases
	for i, r := range until {
		if r.Release == f.Manifest.Release {
			until = until[:i+1]
			break
		}
	}
	var err error
	m.Charts, err = present.Pictures(present.OfReleases(monitor.ReleasesOf(until)))
	if err != nil {
		return err
	}
	return pages.ExecuteTemplate(w, "report.html.tmpl", m)
}
