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

	"anond/equivclass"
	"anond/equivclass/query"
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

func (r *Release) names() []string {
	out := make([]string, len(r.Dicts))
	for j, d := range r.Dicts {
		out[j] = d.Attribute().Name
	}
	return out
}

// loadCells reads data.csv.
func (r *Release) loadCells() error {
	names, d := r.names(), len(r.Dicts)-1
	s, err := r.sheet("data.csv", append(names, "class"))
	if err != nil {
		return err
	}
	readers := make([]cellReader, d+1)
	for j := range readers {
		readers[j] = newCellReader(r.Dicts[j])
	}
	r.Start = []int32{0}
	last := 0
	for {
		fields, err := s.next()
		if err != nil || fields == nil {
			return err
		}
		class, err := s.group(fields[d+1], last)
		if err != nil {
			return err
		}
		if class > last || r.OwnCells() {
			cells := make([]query.Cell, d+1)
			for j := range d {
				var ok bool
				if cells[j], ok = readers[j].cell(fields[j]); !ok {
					return s.damaged(fmt.Sprintf("has no cell of attribute %q", names[j]))
				}
			}
			r.Cells = append(r.Cells, cells)
		}
		if class > last {
			r.Start, last = append(r.Start, r.Start[last]), class
		}
		code, ok := readers[d].value(fields[d])
		if !ok {
			return s.damaged(fmt.Sprintf("has no value of attribute %q", names[d]))
		}
		r.SA = append(r.SA, code)
		r.Start[last]++
	}
}

// loadExact reads the two files of an exact recoding. counted: the second has a
// count beside each value.
func (r *Release) loadExact(quasi, sensitive string, counted bool) error {
	if err := r.loadQuasi(quasi); err != nil {
		return err
	}
	d := len(r.Dicts) - 1
	header := []string{"group", r.Dicts[d].Attribute().Name}
	if counted {
		header = append(header, "count")
	}
	s, err := r.sheet(sensitive, header)
	if err != nil {
		return err
	}
	values := newCellReader(r.Dicts[d])
	sizes, last := []int32{0}, 0
	for {
		fields, err := s.next()
		if err != nil {
			return err
		}
		if fields == nil {
			break
		}
		if last, err = s.group(fields[0], last); err != nil {
			return err
		}
		code, ok := values.value(fields[1])
		n := 1
		if counted {
			n, err = strconv.Atoi(fields[2])
		}
		if !ok || err != nil || n < 1 || n > r.Manifest.Records {
			return s.damaged("has no value with its count")
		}
		r.SA = append(r.SA, slices.Repeat([]equivclass.Code{code}, n)...)
		sizes = append(sizes[:last], int32(len(r.SA)))
	}
	if !slices.Equal(sizes, r.Start) {
		return fmt.Errorf("%w: %s and %s disagree on the size of a group", snapshot.ErrDamaged, quasi, sensitive)
	}
	return nil
}

func (r *Release) loadQuasi(name string) error {
	names, d := r.names(), len(r.Dicts)-1
	s, err := r.sheet(name, append(names[:d:d], "group"))
	if err != nil {
		return err
	}
	readers := make([]cellReader, d)
	for j := range readers {
		readers[j] = newCellReader(r.Dicts[j])
	}
	r.QI, r.Start = make([][]equivclass.Code, d), []int32{0}
	last := 0
	for {
		fields, err := s.next()
		if err != nil || fields == nil {
			return err
		}
		if last, err = s.group(fields[d], last); err != nil {
			return err
		}
		for j := range d {
			code, ok := readers[j].value(fields[j])
			if !ok {
				return s.damaged(fmt.Sprintf("has no value of attribute %q", names[j]))
			}
			r.QI[j] = append(r.QI[j], code)
		}
		r.Start = append(r.Start[:last], int32(len(r.QI[0])))
	}
}

// cellReader reads one column.
type cellReader struct {
	dict  *equivclass.Dictionary
	cells *query.CellReader
	twice map[string]bool            // labels that several nodes of the hierarchy have
	fixed map[string]equivclass.Code // buckets by their text
}

func newCellReader(d *equivclass.Dictionary) cellReader {
	c := cellReader{dict: d, cells: query.NewCellReader(d), twice: map[string]bool{}}
	if h := d.Attribute().Hierarchy; h != nil {
		seen := map[string]bool{}
		for node := range h.Nodes() {
			c.twice[h.Label(node)] = seen[h.Label(node)]
			seen[h.Label(node)] = true
		}
	}
	if len(d.Attribute().Buckets) > 0 {
		c.fixed = map[string]equivclass.Code{}
		for code := range equivclass.Code(d.Len()) {
			c.fixed[d.Text(code)] = code
		}
	}
	return c
}

// value reads an exact value.
func (c *cellReader) value(text string) (equivclass.Code, bool) {
	if c.fixed != nil {
		code, ok := c.fixed[text]
		return code, ok
	}
	code, found, why := c.dict.Find([]byte(text))
	if why != equivclass.Accepted {
		return 0, false
	}
	if !found {
		code = c.dict.Add([]byte(text))
	}
	return code, true
}

// cell reads a generalized cell. A label of several nodes could mean any of
// them, so that no bound would hold: it is refused.
func (c *cellReader) cell(text string) (query.Cell, bool) {
	x, why := c.cells.Read(text)
	return x, why == equivclass.Accepted && !c.twice[text]
}
