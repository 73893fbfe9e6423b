package dataset

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/testdata"
)

// Source is where the public datasets are: a directory, or, if it is empty, the
// program itself, which carries them (package testdata).
type Source string

func (s Source) files() fs.FS {
	if s == "" {
		return testdata.Files
	}
	return os.DirFS(string(s))
}

// Column asks for one attribute of a dataset. Hierarchy names a file in ARX's
// format below the source's hierarchies; it makes the attribute categorical.
// Steps are nested widths to which a number is generalized. Rows in which the
// text is Missing (if set) are left out.
type Column struct {
	Name      string
	Type      equivclass.Type
	Hierarchy string
	Steps     []int64
	Missing   string
}

// AdultTree asks for a categorical attribute of Adult with ARX's hierarchy of it.
func AdultTree(name string) Column {
	return Column{Name: name, Hierarchy: "adult_hierarchy_" + name + ".csv"}
}

// Adult reads n rows of UCI Adult (0: all 45,222; the first 30,162 are its
// training part).
func (s Source) Adult(n int, columns ...Column) (*equivclass.Table, error) {
	return s.read(testdata.Adult, n, columns)
}

// ACS reads n rows of the excerpt of the American Community Survey (0: all).
func (s Source) ACS(n int, columns ...Column) (*equivclass.Table, error) {
	return s.read(testdata.ACS, n, columns)
}

func (s Source) read(name string, n int, columns []Column) (*equivclass.Table, error) {
	var t *equivclass.Table
	err := ReadCSV(s.files(), name, func(r *csv.Reader) (err error) {
		t, err = s.table(r, n, columns)
		return err
	})
	return t, err
}

// ReadCSV hands over a CSV file, gzipped if its name ends in .gz. An error of the
// reader names the file.
func ReadCSV(files fs.FS, path string, read func(*csv.Reader) error) error {
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := read(csv.NewReader(r)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (s Source) table(r *csv.Reader, n int, columns []Column) (*equivclass.Table, error) {
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	t, at, err := s.empty(header, columns)
	if err != nil {
		return nil, err
	}
	r.ReuseRecord = true
	row := make(equivclass.Row, len(columns))
	for n == 0 || t.Len() < n {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if lacks(columns, at, record) {
			continue
		}
		for j := range row {
			row[j] = []byte(record[at[j]])
		}
		if why, column := t.Append(row); why != equivclass.Accepted {
			return nil, fmt.Errorf("row %d, column %q: %s", t.Len()+1, column, why)
		}
	}
	return t, nil
}

// empty returns the table without its rows, and where its columns stand.
func (s Source) empty(header []string, columns []Column) (t *equivclass.Table, at []int, err error) {
	at = make([]int, len(columns))
	attributes := make([]equivclass.Attribute, len(columns))
	for j, c := range columns {
		if at[j] = slices.Index(header, c.Name); at[j] < 0 {
			return nil, nil, fmt.Errorf("no column %q: this is another dataset", c.Name)
		}
		if attributes[j], err = s.attribute(c); err != nil {
			return nil, nil, err
		}
	}
	return equivclass.NewTable(attributes), at, nil
}

func lacks(columns []Column, at []int, record []string) bool {
	for j, c := range columns {
		if c.Missing != "" && record[at[j]] == c.Missing {
			return true
		}
	}
	return false
}

func (s Source) attribute(c Column) (equivclass.Attribute, error) {
	a := equivclass.Attribute{Name: c.Name, Type: c.Type, Steps: c.Steps}
	if c.Hierarchy == "" {
		return a, nil
	}
	f, err := s.files().Open("hierarchies/" + c.Hierarchy)
	if err != nil {
		return a, err
	}
	defer f.Close()
	a.Type = equivclass.Categorical
	a.Hierarchy, err = equivclass.ParseHierarchy(c.Hierarchy, f)
	return a, err
}

// Shuffled returns n rows drawn without replacement, in an order that the seed
// fixes.
func Shuffled(t *equivclass.Table, n int, seed uint64) *equivclass.Table {
	order := rand.New(rand.NewPCG(seed, 0)).Perm(t.Len())[:min(n, t.Len())]
	out := &equivclass.Table{Dicts: t.Dicts, Codes: make([][]equivclass.Code, len(t.Codes))}
	for j, column := range t.Codes {
		for _, r := range order {
			out.Codes[j] = append(out.Codes[j], column[r])
		}
	}
	return out
}

// First returns the table's first n rows.
func First(t *equivclass.Table, n int) *equivclass.Table {
	out := &equivclass.Table{Dicts: t.Dicts}
	for _, column := range t.Codes {
		out.Codes = append(out.Codes, column[:min(n, len(column))])
	}
	return out
}
