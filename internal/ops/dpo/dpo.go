// Package dpo writes the report on a release for a data-protection officer.
//
// Guarantee: one HTML page that needs nothing else and prints well. Its figures are those
// of the published files, their manifests, an audit, and where asked for of the state; it makes none of its own. The same
// files give the same bytes.
//
// Method: three questions of the Article 29 Working Party (Opinion 05/2014, section 2.2:
// singling out, linkability, inference) are answered by what the manifest says of the
// release and by what the audit found in all releases.
package dpo

import (
	_ "embed"
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
}

// Counts say what became of every record that was read, as the state has it now:
// Sent = Published + Pending + DeadLetter + Forgotten + Beyond.
type Counts struct {
	Sent, Published, Pending, DeadLetter, Forgotten, Beyond uint64
	Due                                                     int // people who are to be forgotten
	Refused                                                 map[equivclass.Reason]uint64
}

//go:embed report.html.tmpl
var source string

//go:embed report.css
var style string

var report = template.Must(template.New("report").Parse(source))

// Write writes the report.
func Write(w io.Writer, f *Facts) error {
	m := modelOf(f)
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
	return report.Execute(w, m)
}
