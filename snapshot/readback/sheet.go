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

// sheet is a data file of a release, row by row: the same file of each part, one
// part after another. Rows of dead classes are skipped, and the others numbered
// through in the order of the parts.
type sheet struct {
	release *Release
	name    string
	header  []string
	number  int // field of the class; -1: rows name none
	parts   []snapshot.PartEntry
	csv     *csv.Reader
	part    int // at hand, from 1; 0: none is open
	row     int // of the file at hand, from 1
	inPart  int // class at hand, as the part numbers it
	class   int // and over all parts; 0: none yet
}

// noNumber is for files whose rows name no class.
const noNumber = -1

// sheet opens a data file whose rows have the number of their class in a field.
func (r *Release) sheet(name string, header []string, number int) (*sheet, error) {
	s := &sheet{release: r, name: name, header: header, number: number, parts: r.Manifest.Parts}
	return s, s.open()
}

// open goes to the next part, whose file is compared with its hash first.
func (s *sheet) open() error {
	p := &s.parts[s.part]
	i := slices.IndexFunc(p.Files, func(e snapshot.FileEntry) bool { return e.Name == s.name })
	if i < 0 {
		return fmt.Errorf("%w: the manifest names no %s", snapshot.ErrDamaged, filepath.Join(p.Dir(), s.name))
	}
	data, err := readChecked(filepath.Join(s.release.dir, p.Dir(), s.name), p.Files[i].SHA256)
	if err != nil {
		return err
	}
	s.part++
	s.row, s.inPart = 0, 0
	s.csv = csv.NewReader(bytes.NewReader(data))
	s.csv.ReuseRecord = true
	first, err := s.csv.Read()
	if err != nil || !slices.Equal(first, s.header) {
		return fmt.Errorf("%w: the columns of %s are not those of its schema", snapshot.ErrDamaged, filepath.Join(p.Dir(), s.name))
	}
	return nil
}

// next returns the fields of the next row of a living class, nil at the end. The
// error of a row does not quote it.
func (s *sheet) next() ([]string, error) {
	for {
		s.row++
		fields, err := s.csv.Read()
		if errors.Is(err, io.EOF) {
			if more, err := s.turn(); err != nil || !more {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, s.damaged("is no CSV record")
		}
		if s.number == noNumber {
			return fields, nil
		}
		alive, err := s.count(fields[s.number])
		if err != nil || alive {
			return fields, err
		}
	}
}

// turn ends a part, whose classes were all there, and opens the next.
func (s *sheet) turn() (more bool, err error) {
	p := &s.parts[s.part-1]
	if s.number != noNumber && (s.inPart > p.Classes || s.inPart < p.Classes && !s.release.Manifest.Shared()) {
		return false, fmt.Errorf("%w: %s has other classes than its manifest says", snapshot.ErrDamaged, filepath.Join(p.Dir(), s.name))
	}
	if s.part == len(s.parts) {
		return false, nil
	}
	return true, s.open()
}

// count reads a class number, which must be the one before or the next, at level L2 or a later one: with a bucket classes leave, and the
// numbers of the others do not change.
func (s *sheet) count(text string) (alive bool, err error) {
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 || n < s.inPart || n > s.inPart+1 && !s.release.Manifest.Shared() {
		return false, s.damaged("has a class number out of order")
	}
	_, dead := slices.BinarySearch(s.parts[s.part-1].Dead, uint32(n))
	if n > s.inPart && !dead {
		s.class++
	}
	s.inPart = n
	return !dead, nil
}

func (s *sheet) damaged(what string) error {
	p := s.parts[s.part-1]
	return fmt.Errorf("%w: %s: row %d %s", snapshot.ErrDamaged, filepath.Join(p.Dir(), s.name), s.row, what)
}

// names are those of the columns, the sensitive one last.
func (r *Release) names() []string {
	out := make([]string, len(r.Dicts))
	for j, d := range r.Dicts {
		out[j] = d.Attribute().Name
	}
	return out
}
