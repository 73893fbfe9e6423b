package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot"
)

// Table is one data file of the recoding over all parts of a release.
type Table struct {
	Name    string // of the file, without .csv: data, buckets, qit, st, …
	Columns []Column
	Parts   []Part
	// Records is how many living rows there must be, where each record has one; else -1.
	Records int
	header  []string // of the table: of all parts
	release *Release
}

// Part is what a table has in one part of a release.
type Part struct {
	Label   string // part-000007
	Release uint32 // that wrote it first
	Dead    []uint32
	File    snapshot.FileEntry
	path    string
	header  []string // of the part
	places  []int    // of the table's columns in it; -1: it does not have the column
}

// Identity says what decides the rows of a part: the file, by its hash, which of its
// classes are dead, and where its columns are, if it does not have all of the table. Equal identities have equal rows in every release.
func (p *Part) Identity() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %d", p.Label, p.File.SHA256, p.Dead)
	if slices.Contains(p.places, -1) { // the rows have null in columns that came later
		fmt.Fprintf(h, " %d", p.places)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Empty is a table of a release that has no parts: of what the copy of it has.
func (r *Release) Empty(name string) *Table { return &Table{Name: name, release: r} }

// Tables are the data files of the release's recoding; the first has one row a record. A release without parts has none.
func (r *Release) Tables() ([]*Table, error) {
	parts := r.Manifest.Parts
	if len(parts) == 0 {
		return nil, nil // all of it has left
	}
	names := r.Manifest.Names()
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: release %d names no files", snapshot.ErrDamaged, r.Manifest.Release)
	}
	var out []*Table
	for i, name := range names {
		t, err := r.table(name)
		if err != nil {
			return nil, err
		}
		if t.Records = -1; i == 0 {
			t.Records = r.Manifest.Records
		}
		out = append(out, t)
	}
	return out, nil
}

func (r *Release) table(name string) (*Table, error) {
	stem, ok := strings.CutSuffix(name, ".csv")
	if !ok || stem == "" || filepath.Base(name) != name || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("%w: release %d names a file that is no data file of a part", snapshot.ErrDamaged, r.Manifest.Release)
	}
	t := &Table{Name: stem, release: r, header: r.Manifest.Columns(name)}
	for _, of := range r.Manifest.ByEra() {
		for i := range of.Parts {
			p := &of.Parts[i]
			at := slices.IndexFunc(p.Files, func(f snapshot.FileEntry) bool { return f.Name == name })
			if at < 0 && len(r.Manifest.Eras) > 0 && i == 0 {
				break // the era has no such file
			}
			if at < 0 {
				return nil, fmt.Errorf("%w: release %d, %s has no %s", snapshot.ErrDamaged, r.Manifest.Release, p.Part, name)
			}
			t.Parts = append(t.Parts, Part{Label: p.Part, Release: p.Release, Dead: p.Dead, File: p.Files[at],
				path: filepath.Join(r.dir, p.Part, name), header: of.Columns(name), places: r.Manifest.Places(p, name)})
		}
	}
	var err error
	t.Columns, err = columnsOf(r.Manifest, name, t.header)
	return t, err
}

// Dataset is the name of the dataset.
func (t *Table) Dataset() string { return t.release.Manifest.Dataset }

// Recoding is how the classes are written.
func (t *Table) Recoding() string { return t.release.Manifest.Recoding }
