package source

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
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
	header  []string
	release *Release
}

// Part is what a table has in one part of a release.
type Part struct {
	Label   string // part-000007
	Release uint32 // that wrote it first
	Dead    []uint32
	File    snapshot.FileEntry
	path    string
}

// Identity says what decides the rows of a part: the file, by its hash, and which of its
// classes are dead. Equal identities have equal rows in every release.
func (p *Part) Identity() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %d", p.Label, p.File.SHA256, p.Dead)
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
	if len(parts[0].Files) == 0 {
		return nil, fmt.Errorf("%w: release %d names no files", snapshot.ErrDamaged, r.Manifest.Release)
	}
	var out []*Table
	for i, f := range parts[0].Files {
		t, err := r.table(f.Name, parts)
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

func (r *Release) table(name string, parts []snapshot.PartEntry) (*Table, error) {
	stem, ok := strings.CutSuffix(name, ".csv")
	if !ok || stem == "" || filepath.Base(name) != name || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("%w: release %d names a file that is no data file of a part", snapshot.ErrDamaged, r.Manifest.Release)
	}
	t := &Table{Name: stem, release: r}
	for i := range parts {
		p := &parts[i]
		at := slices.IndexFunc(p.Files, func(f snapshot.FileEntry) bool { return f.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("%w: release %d, %s has no %s", snapshot.ErrDamaged, r.Manifest.Release, p.Part, name)
		}
		t.Parts = append(t.Parts, Part{Label: p.Part, Release: p.Release, Dead: p.Dead, File: p.Files[at],
			path: filepath.Join(r.dir, p.Part, name)})
	}
	var err error
	if t.header, err = r.header(t.Parts[0].path); err != nil {
		return nil, err
	}
	t.Columns, err = columnsOf(r.Manifest, name, t.header)
	return t, err
}

// header reads the names of the columns. The file is compared with its hash when its rows are read.
func (r *Release) header(path string) ([]string, error) {
	f, err := r.files.Open(path)
	if err != nil {
		return nil, err
	}
	header, err := csv.NewReader(f).Read()
	if err != nil {
		err = fmt.Errorf("%w: %s has no header", snapshot.ErrDamaged, path)
	}
	return header, errors.Join(err, f.Close())
}

// Dataset is the name of the dataset.
func (t *Table) Dataset() string { return t.release.Manifest.Dataset }

// Recoding is how the classes are written.
func (t *Table) Recoding() string { return t.release.Manifest.Recoding }
