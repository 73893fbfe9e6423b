package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// rowReader reads a data file row by row; the first row is the header.
type rowReader struct {
	from   *bufio.Reader
	line   []byte
	fields [][]byte
}

// NewRows reads a data file.
func NewRows(from io.Reader) *rowReader { return &rowReader{from: bufio.NewReaderSize(from, 1<<16)} }

// Next returns the cells of the next row, or io.EOF.
func (r *rowReader) Next() (cells []string, err error) {
	if r.line, err = recordOf(r.from, r.line[:0]); err != nil {
		return nil, err
	}
	r.fields = splitRecord(r.fields, r.line)
	cells = make([]string, len(r.fields))
	for i, f := range r.fields {
		cells[i] = unquotedField(string(f))
	}
	return cells, nil
}

// unquotedField is the inverse of appendField.
func unquotedField(field string) string {
	if len(field) < 2 || field[0] != '"' {
		return field
	}
	return strings.ReplaceAll(field[1:len(field)-1], `""`, `"`)
}

// RunColumns are the columns of a data file that say which rows belong together and stand
// together: those of a class, a group or a bucket. They are given as by NumberColumns.
func (m *Manifest) RunColumns(file string) []int {
	n := m.numbering(file)
	switch {
	case n.class == 0, n.shared == firstShared:
		return []int{0}
	case n.class == lastField && n.shared == lastShared:
		return []int{-2}
	}
	return []int{-1}
}

// ClassColumn is the name of the column of classes, of those that may die: rows of a file
// whose number in that column is dead are skipped.
func (m *Manifest) ClassColumn() string {
	switch m.Recoding {
	case NameAnatomy, NamePermutation:
		if !m.Shared() {
			return "group"
		}
	}
	return "class"
}

// numbering tells where the rows of a data file have numbers, as its recoding does.
func (m *Manifest) numbering(file string) numbering {
	switch {
	case m.Shared() && m.Values == ValuesDrawn: // rows name the bucket alone
		return numbering{class: noField, shared: lastShared}
	case m.Shared() && file == BucketsName:
		return numbering{class: noField, shared: firstShared}
	case m.Shared():
		return numbering{class: lastField, shared: lastShared}
	case file == valuesOf(m.Recoding): // groups stand first in the file of sensitive values
		return numbering{class: 0}
	}
	return numbering{class: lastField}
}

// counts reports that the file is the one that numbers the buckets.
func (n *numbering) counts() bool { return n.class == noField }

// recordOf reads up to the line break that ends a record: one outside of quotes.
func recordOf(from *bufio.Reader, record []byte) ([]byte, error) {
	for quotes := 0; ; {
		line, err := from.ReadSlice('\n')
		record = append(record, line...)
		quotes += bytes.Count(line, []byte{'"'})
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(record) == 0:
			return record, io.EOF
		case errors.Is(err, io.EOF):
			return record, fmt.Errorf("%w: a record is cut off", ErrDamaged)
		case err != nil:
			return record, err
		case quotes%2 == 0:
			return record, nil
		}
	}
}

// splitRecord cuts a record into its fields, quotes kept.
func splitRecord(fields [][]byte, record []byte) [][]byte {
	body := bytes.TrimSuffix(record, []byte{'\n'})
	fields = fields[:0]
	from, quoted := 0, false
	for i, b := range body {
		switch {
		case b == '"':
			quoted = !quoted
		case b == ',' && !quoted:
			fields = append(fields, body[from:i])
			from = i + 1
		}
	}
	return append(fields, body[from:])
}

// NumberColumns are the columns of a data file that hold numbers of classes,
// groups and buckets, and counts: from the front or, negative, from the end. All
// others are cells.
func (m *Manifest) NumberColumns(file string) []int {
	switch {
	case !m.Shared():
	case file == "buckets.csv":
		return []int{0, -1}
	case m.Values == "":
		return []int{-2, -1} // class and bucket
	}
	switch file {
	case "st.csv":
		return []int{0, -1}
	case "pst.csv":
		return []int{0}
	}
	return []int{-1}
}
