package readback

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"anond/snapshot"
)

// sheet is a data file of a release, row by row.
type sheet struct {
	name string
	csv  *csv.Reader
	row  int // of the row at hand, from 1
}

// sheet opens a data file after it was held against its hash.
func (r *Release) sheet(name string, header []string) (*sheet, error) {
	i := slices.IndexFunc(r.Manifest.Files, func(e snapshot.FileEntry) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: the manifest names no %s", snapshot.ErrDamaged, name)
	}
	data, err := readChecked(filepath.Join(r.dir, name), r.Manifest.Files[i].SHA256)
	if err != nil {
		return nil, err
	}
	s := &sheet{name: name, csv: csv.NewReader(bytes.NewReader(data))}
	s.csv.ReuseRecord = true
	first, err := s.csv.Read()
	if err != nil || !slices.Equal(first, header) {
		return nil, fmt.Errorf("%w: the columns of %s are not those of its schema", snapshot.ErrDamaged, name)
	}
	return s, nil
}

// next returns the fields of the next row, nil at the end. The error of a row
// does not quote it.
func (s *sheet) next() ([]string, error) {
	s.row++
	fields, err := s.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, s.damaged("is no CSV record")
	}
	return fields, nil
}

func (s *sheet) damaged(what string) error {
	return fmt.Errorf("%w: %s: row %d %s", snapshot.ErrDamaged, s.name, s.row, what)
}

// group reads a class number, which must be the one before or the next.
func (s *sheet) group(text string, last int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n != last && n != last+1 || n == 0 {
		return 0, s.damaged("has a class number out of order")
	}
	return n, nil
}

// names are those of the columns, the sensitive one last.
func (r *Release) names() []string {
	out := make([]string, len(r.Dicts))
	for j, d := range r.Dicts {
		out[j] = d.Attribute().Name
	}
	return out
}
